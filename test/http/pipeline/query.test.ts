import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { EventBuffer, EventRow, EventType } from '../../../src/events/types.ts'
import { parseQuery } from '../../../src/http/pipeline/query.ts'
import { fakeRest, LOCAL_ID } from '../fakes.ts'

// Events by long poll, and catalogue row W-13: hostile parameters.

const row = (id: number): EventRow => ({
  id,
  globalID: id + 100,
  timeMs: 1_500,
  type: 'FolderPaused',
  data: { id: 'x', label: '' },
})

/** Records the parameters of polls. */
function polls() {
  const polled: { since: number; timeoutMs: number; types: readonly EventType[] }[] = []
  const events = {
    emit: () => {},
    sequence: () => ({ newestId: 0, next: async () => [] }),
    buffer: (types: ReadonlySet<EventType>): EventBuffer => ({
      since: async (since, timeoutMs) => (
        polled.push({ since, timeoutMs, types: [...types] }),
        [row(1), row(2), row(3)].filter(({ id }) => id > since)
      ),
    }),
  }
  return { polled, rest: fakeRest({ deps: { events } }) }
}

test('events: rows in the format of Syncthing', async () => {
  const { rest } = polls()
  const response = await rest.send('GET', '/rest/events?since=2')
  assert.equal(response.headers['content-type'], 'application/json; charset=utf-8')
  assert.deepEqual(JSON.parse(response.body), [
    { id: 3, globalID: 103, time: '1970-01-01T00:00:01.5Z', type: 'FolderPaused', data: { id: 'x', label: '' } },
  ])
})

test('events: since, limit and timeout are clamped or ignored, never an error', async () => {
  const cases: [query: string, since: number, timeoutMs: number, ids: number[]][] = [
    ['', 0, 60_000, [1, 2, 3]],
    ['since=-1', 0, 60_000, [1, 2, 3]],
    ['since=NaN&timeout=x', 0, 60_000, [1, 2, 3]],
    ['since=1.5', 0, 60_000, [1, 2, 3]],
    ['since=1180591620717411303424', 0, 60_000, [1, 2, 3]],
    ['since=9223372036854775807', Number('9223372036854775807'), 60_000, []],
    ['since=1&since=3', 1, 60_000, [2, 3]],
    ['timeout=0', 0, 0, [1, 2, 3]],
    ['timeout=-5', 0, 60_000, [1, 2, 3]],
    ['timeout=999999999', 0, 86_400_000, [1, 2, 3]],
    ['limit=1', 0, 60_000, [3]],
    ['limit=0', 0, 60_000, [1, 2, 3]],
    ['limit=-1', 0, 60_000, [1, 2, 3]],
    ['limit=1000000000', 0, 60_000, [1, 2, 3]],
  ]
  for (const [query, since, timeoutMs, ids] of cases) {
    const { polled, rest } = polls()
    const response = await rest.send('GET', `/rest/events?${query}`)
    assert.deepEqual(
      JSON.parse(response.body).map(({ id }: { id: number }) => id),
      ids,
      query,
    )
    assert.deepEqual([polled[0]?.since, polled[0]?.timeoutMs], [since, timeoutMs], query)
  }
})

test('events: the requested types; unknown names select nothing; the disk list is fixed', async () => {
  const cases: [target: string, types: string[]][] = [
    ['/rest/events?events=FolderPaused,%20StateChanged%20,nope', ['StateChanged', 'FolderPaused']],
    ['/rest/events?events=nope,__proto__', []],
    ['/rest/events?events=folderpaused', []],
    ['/rest/events?events=FolderPaused&events=StateChanged', ['FolderPaused']],
    ['/rest/events/disk?events=FolderPaused', ['LocalChangeDetected', 'RemoteChangeDetected']],
  ]
  for (const [target, types] of cases) {
    const { polled, rest } = polls()
    await rest.send('GET', target)
    assert.deepEqual(polled[0]?.types.toSorted(), types.toSorted(), target)
  }
  const { polled, rest } = polls()
  await rest.send('GET', '/rest/events?events=')
  assert.ok(polled[0]?.types.includes('StateChanged') && !polled[0].types.includes('LocalChangeDetected'))
})

test('paging: invalid values are the default, large ones are clamped, the effective ones are returned', async () => {
  const cases: [query: string, page: number, perPage: number][] = [
    ['', 1, 65_536],
    ['page=0&perpage=0', 1, 65_536],
    ['page=-3&perpage=-1', 1, 65_536],
    ['page=x&perpage=1.5', 1, 65_536],
    ['page=2&perpage=10', 2, 10],
    ['page=2&page=9', 2, 65_536],
    ['perpage=99999999', 1, 1_048_576],
  ]
  for (const [query, page, perpage] of cases) {
    const response = JSON.parse((await fakeRest().send('GET', `/rest/db/need?folder=share&${query}`)).body)
    assert.deepEqual([response.page, response.perpage], [page, perpage], query)
  }
  const huge = JSON.parse(
    (await fakeRest().send('GET', '/rest/db/need?folder=share&page=9223372036854775807&perpage=9223372036854775807'))
      .body,
  )
  assert.ok(Number.isSafeInteger(huge.page * huge.perpage))
})

test('queries: decoded like forms, first value wins, invalid escapes are refused', () => {
  const query = parseQuery('a=1&a=2&b=x+y%2B&%C3%BC=%E2%82%AC&&=z&c&d==')
  assert.deepEqual(
    [
      query.first('a'),
      query.all('a'),
      query.first('b'),
      query.first('ü'),
      query.first(''),
      query.first('c'),
      query.first('d'),
    ],
    ['1', ['1', '2'], 'x y+', '€', 'z', '', '='],
  )
  for (const text of ['a=%', 'a=%zz', 'a=%ff', '%c0%ae=1'])
    assert.throws(() => parseQuery(text), { code: 'bad-request' })
})

const PARAMETERS = [
  'folder',
  'sub',
  'file',
  'next',
  'page',
  'perpage',
  'since',
  'limit',
  'timeout',
  'events',
  'prefix',
  'levels',
  'dirsonly',
  'device',
  'id',
  'length',
  'enable',
  'disable',
  'current',
]

const VALUES = [
  '',
  'share',
  '-5',
  'NaN',
  '1180591620717411303424',
  '0',
  '-1',
  '1000000000',
  '9223372036854775807',
  '1e9',
  '%00',
  '%ff',
  '..',
  '__proto__',
  'constructor',
  '[]',
  '%5B%5D',
  'a'.repeat(5_000),
  '%F0%9F%92%A9',
  '<script>',
]

test('W-13: no parameter of any route causes an internal error or a giant reply', async () => {
  const rest = fakeRest()
  const routes = (await rest.routes()).filter(
    ({ method, path }) =>
      (method === 'GET' || method === 'POST') && !/shutdown|restart$|clear|events\/stream$/.test(path),
  )
  const pair = fc.tuple(
    fc.constantFrom(...PARAMETERS),
    fc.constantFrom('', '%5B%5D', '[0]'),
    fc.constantFrom(...VALUES),
  )
  let failures = 0
  let largestBytes = 0
  let tried = 0
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...routes), fc.array(pair, { maxLength: 6 }), async (route, pairs) => {
      const query = pairs.map(([name, suffix, value]) => `${name}${suffix}=${value}`).join('&')
      const response = await rest.send(route.method, `${route.path.replace(':id', LOCAL_ID)}?${query}`)
      tried++
      largestBytes = Math.max(largestBytes, response.body.length)
      if (!isReadable(query)) assert.equal(response.status, 400, `${route.path}?${query}`)
      // By contract: ignores, versions, the upgrade check and requests with an invalid device have some 5xx replies.
      const byContract =
        /^\/rest\/(db\/(ignores|browse|remoteneed)|folder\/versions|system\/(upgrade|pause|resume|reset))$/.test(
          route.path,
        )
      if (response.status >= 500 && !byContract) failures++
      assert.ok(response.status < 500 || byContract, `${response.status} ${response.body}`)
      // The description of the interface has 310 kB.
      assert.ok(response.body.length < 400_000)
    }),
    { numRuns: 3_000 },
  )
  console.log(JSON.stringify({ id: 'W-13', tried, serverErrors: failures, largestReplyBytes: largestBytes }))
})

function isReadable(query: string): boolean {
  try {
    parseQuery(query)
    return true
  } catch {
    return false
  }
}

test('a query that is not UTF-8 is 400 on every route', async () => {
  const rest = fakeRest()
  for (const { method, path } of await rest.routes()) {
    const response = await rest.send(method, `${path.replace(':id', LOCAL_ID)}?device=%ff`, '{}')
    assert.deepEqual(
      [response.status, response.body],
      [400, 'the query is not percent-encoded UTF-8\n'],
      `${method} ${path}`,
    )
  }
  assert.deepEqual(rest.calls, [])
})
