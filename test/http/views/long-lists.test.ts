/** Replies with long lists are formatted in pieces: other requests are served in between. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FileHead } from '../../../src/core/records/file-info.ts'
import { formatJson } from '../../../src/http/pipeline/json.ts'
import { fileEntryJson } from '../../../src/http/views/file-entry.ts'
import { longList, longListsJson, longListsReply } from '../../../src/http/views/long-lists.ts'
import type { CompletionView } from '../../../src/model/queries/completion.ts'
import { DB_ROUTES, COMPLETION_ROUTES } from '../../../src/rest/db-routes.ts'
import { LOCAL_CHANGE_ROUTES } from '../../../src/rest/versions.ts'
import { file } from '../../db/records.ts'
import { fakeRest, LOCAL_ID } from '../fakes.ts'

const PIECE_LENGTH_MAX = 128 * 1024

test('pieces together are the text that formatting at once gives', () => {
  const names = ['a', 'b"c', '<script>&', 'ü\u2028', '\n', '日本', 'x'.repeat(200)]
  for (const count of [0, 1, 7, 2_000]) {
    const items = Array.from({ length: count }, (_, i) => ({ name: names[i % 7], inner: { list: [i, []], none: {} } }))
    const rest = { page: 1, deep: { a: [1, { b: null }] }, none: null, text: 'a\nb' }
    const pieces = [
      ...longListsJson({ first: longList(items, (item) => item), ...rest, last: longList(items, String) }),
    ]
    assert.equal(pieces.join(''), formatJson({ first: items, ...rest, last: items.map(String) }))
    for (const piece of pieces) assert.ok(piece.length < PIECE_LENGTH_MAX, String(piece.length))
    assert.equal(pieces.length > 2, count === 2_000)
  }
})

test('few entries are sent at once with the same text, more in pieces', () => {
  const clock = { sleep: () => Promise.reject(new Error('not used')) }
  const request = { signal: new AbortController().signal }
  for (const count of [0, 1, 16, 17, 5_000]) {
    const items = Array.from({ length: count }, (_, i) => ({ name: `<${i}>`, inner: [i] }))
    const lists = { page: 1, first: longList(items, (item) => item), none: null, last: longList(items, String) }
    const { body } = longListsReply(lists, clock, request)
    const text = formatJson({ page: 1, first: items, none: null, last: items.map(String) })
    if (count < 5_000) assert.equal(body, text)
    else assert.equal(typeof body, 'object')
  }
})

const COUNT = 20_000
const HEADS: readonly FileHead[] = Array.from({ length: COUNT }, (_, i) => file(`f${i}`))

/** All routes of Syncthing's interface that return pages. */
const ROUTES = Object.entries({ ...DB_ROUTES, ...COMPLETION_ROUTES, ...LOCAL_CHANGE_ROUTES })
  .filter(([, route]) => 'query' in route && 'perpage' in route.query)
  .map(([name]) => name)

test('the routes that return pages are these', () => {
  assert.deepEqual(ROUTES.toSorted(), [
    'GET /rest/db/localchanged',
    'GET /rest/db/need',
    'GET /rest/db/remoteneed',
    'GET /rest/folder/errors',
    'GET /rest/folder/pullerrors',
    'POST /rest/db/prio',
  ])
})

for (const route of ROUTES) {
  test(`other requests are served while a long page is formatted: ${route}`, async () => {
    const completion: Partial<CompletionView> = { remoteNeed: async () => HEADS }
    const { send, slept } = fakeRest({
      hub: {
        need: async () => ({ progress: [], queued: [], rest: HEADS }),
        localChanged: async () => HEADS,
        folderErrors: async () => HEADS.map(({ name }) => ({ path: name, error: 'x'.repeat(100) })),
      },
      deps: { completion: completion as CompletionView },
    })
    const [method = '', path = ''] = route.split(' ')
    const reply = await send(method, `${path}?folder=share&device=${LOCAL_ID}`)
    const body: Record<string, unknown> = JSON.parse(reply.body)
    const list = Object.values(body).find((value) => Array.isArray(value) && value.length > 0)
    assert.ok(Array.isArray(list) && list.length === COUNT, route)
    if (!path.includes('errors')) assert.deepEqual(list[7], JSON.parse(JSON.stringify(fileEntryJson(HEADS[7]!))))
    const turns = slept.filter((timeMs) => timeMs === 0).length
    assert.ok(turns >= reply.body.length / PIECE_LENGTH_MAX - 2, `${turns} turns for ${reply.body.length} characters`)
  })
}
