import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeviceId } from '../../../src/core/ids.ts'
import type { NameRecords } from '../../../src/db/types.ts'
import { formatNs } from '../../../src/http/views/times.ts'
import type { IgnoredItem, Item } from '../../../src/model/queries/explorer-types.ts'
import { deletion, directory, file, headOf, version } from '../../db/records.ts'
import { fakeRest, type FakeOptions } from '../fakes.ts'
import { connected } from '../connected.ts'

// The fake checks replies against their declared schemas.

const BEN = 'P56IOI7-MZJNU2Y-IQGDREY-DM2MGTI-MGL3BXN-PQ6W5BM-TBBZ4TJ-XZWICQ2' as DeviceId
const CARA = 'MFZWI3D-BONSGYC-YLTMRWG-C43ENR5-QXGZDMM-FZWI3DP-BONSGYY-LTMRWAD' as DeviceId

const recordsOf = (info: ReturnType<typeof file>, more: Partial<NameRecords> = {}): NameRecords => ({
  name: info.name,
  global: headOf(info),
  local: undefined,
  others: new Map(),
  ...more,
})

async function get(fake: FakeOptions, target: string): Promise<unknown> {
  const reply = await fakeRest({ peers: [BEN, CARA], ...fake }).send('GET', target)
  assert.equal(reply.status, 200, reply.body)
  return JSON.parse(reply.body)
}

test('every parameter is checked, and the refusal names the error', async () => {
  const { send } = fakeRest()
  const refused: readonly (readonly [string, RegExp])[] = [
    ['tree', /folder is missing/],
    ['tree?folder=', /folder is missing/],
    ['waiting', /folder is missing/],
    ['conflicts?page=0', /page must be/],
    ['conflicts/diff?name=a', /folder is missing/],
    ['tree?folder=share&page=0', /page must be a whole number from 1 to/],
    ['tree?folder=share&page=x', /page must be/],
    ['tree?folder=share&perpage=501', /perpage must be a whole number from 1 to 500/],
    ['waiting?folder=share&perpage=-1', /perpage must be/],
    ['waiting?folder=share&after=../a', /after must be a path inside the folder/],
    ['waiting?folder=share&after=', /after must be/],
    ['waiting?folder=share&before=/a', /before must be/],
    ['waiting?folder=share&before=a%00b', /before must be/],
    ['waiting?folder=share&after=a&before=b', /after and before exclude each other/],
    ['tree?folder=share&prefix=../etc', /prefix must be a path inside the folder/],
    ['tree?folder=share&prefix=/etc', /prefix must be/],
    ['tree?folder=share&prefix=a%00b', /prefix must be/],
    ['tree?folder=share&prefix=a//b', /prefix must be/],
    ['tree?folder=share&sort=date', /sort must be one of name, size, modified/],
    ['tree?folder=share&descending=1', /descending must be one of false, true/],
    ['tree?folder=share&ignored=yes', /ignored must be one of/],
    ['why?folder=share', /file is missing/],
    ['why?file=a', /folder is missing/],
    ['search?folder=share', /text must be 1 to 200 characters/],
    [`search?folder=share&text=${'x'.repeat(201)}`, /text must be/],
    ['search?folder=share&text=a&limit=201', /limit must be a whole number from 1 to 200/],
    ['search?text=a', /folder is missing/],
    ['find', /text must be 1 to 200 characters/],
    ['find?text=a&limit=0', /limit must be a whole number from 1 to 200/],
  ]
  for (const [target, message] of refused) {
    const reply = await send('GET', `/rest/twinfold/${target}`)
    assert.equal(reply.status, 400, target)
    assert.match(reply.body, message)
  }
  const previews: readonly (readonly [string, RegExp])[] = [
    ['{}', /lines is missing/],
    ['{"lines":"x"}', /lines must be a list/],
    ['{"lines":[1]}', /lines\[0\] must be/],
    ['{"lines":["a\\nb"]}', /must be one line of text/],
    ['[]', /must be an object/],
    ['', /JSON/],
    [JSON.stringify({ lines: Array(2_001).fill('') }), /lines must be at most 2000/],
  ]
  for (const [body, message] of previews) {
    const reply = await send('POST', '/rest/twinfold/ignore-preview?folder=share', body)
    assert.equal(reply.status, 400, body.slice(0, 50))
    assert.match(reply.body, message)
  }
})

test('a tree entry is the global version under its base name, or the local one when that is invalid', async () => {
  const devices: Item['devices'] = [{ deviceID: BEN, version: 'newest' }]
  const ours = file('d/own', { sizeBytes: 5, localFlags: 8 })
  const items: readonly Item[] = [
    { records: recordsOf(directory('d/sub')), state: 'here', children: true, devices },
    { records: recordsOf(file('d/a', { sizeBytes: 7 })), state: 'missing', devices },
    { records: recordsOf(deletion('d/old')), state: 'older', devices },
    {
      records: recordsOf(file('d/own', { sizeBytes: 9, localFlags: 64 }), { local: headOf(ours) }),
      state: 'extra',
      devices,
    },
  ]
  const ignored: readonly IgnoredItem[] = [
    { name: 'd/x.log', type: 'file', sizeBytes: 3, modifiedS: 1_794_701_359, modifiedNs: 123_456_789 },
  ]
  let queried: unknown
  const tree = {
    tree: async (...args: unknown[]) => (
      (queried = [...args.slice(0, 3), args[4]]),
      { total: 40, truncated: false, items, ignored }
    ),
  }
  const query = 'folder=share&prefix=d/&page=2&perpage=4&sort=size&descending=true&ignored=true'
  const response = await get({ explorer: tree }, `/rest/twinfold/tree?${query}`)
  const options = { order: { by: 'size', descending: true }, withIgnored: true }
  assert.deepEqual(queried, ['share', 'd', { page: 2, perPage: 4 }, options])
  const fields = { modified: formatNs(1_794_701_359, 123_456_789), modifiedBy: 'LD3QAAA' }
  assert.deepEqual(response, {
    total: 40,
    page: 2,
    perpage: 4,
    truncated: false,
    entries: [
      {
        name: 'sub',
        type: 'directory',
        sizeBytes: 0,
        ...fields,
        deleted: false,
        state: 'here',
        children: true,
        devices,
      },
      { name: 'a', type: 'file', sizeBytes: 7, ...fields, deleted: false, state: 'missing', devices },
      { name: 'old', type: 'file', sizeBytes: 0, ...fields, deleted: true, state: 'older', devices },
      { name: 'own', type: 'file', sizeBytes: 5, ...fields, deleted: false, state: 'extra', devices },
      {
        ...fields,
        name: 'x.log',
        type: 'file',
        sizeBytes: 3,
        modifiedBy: '',
        deleted: false,
        state: 'ignored',
        devices: [],
      },
    ],
  })
})

test('why: only connected devices offer a version, and the devices are named', async () => {
  const facts = { paused: false, type: 'sendreceive', error: '', scanning: false } as const
  const records = recordsOf(file('a', { version: version(2) }), { local: headOf(file('a')) })
  const devices = [
    { deviceID: BEN, version: 'newest' },
    { deviceID: CARA, version: 'newest' },
  ] as const
  const explorer = {
    file: async () => ({
      folder: facts,
      disk: undefined,
      records,
      problem: undefined,
      queue: { stage: 'waiting' } as const,
      devices,
    }),
  }
  const response = (await get(
    { explorer, deps: { connections: { status: () => connected(CARA) } } },
    '/rest/twinfold/why?folder=share&file=a',
  )) as {
    state: string
    upToDate: boolean
    reasons: { code: string; text: string }[]
    local: { name: string }
    devices: unknown
  }
  assert.deepEqual([response.state, response.upToDate, response.local.name], ['older', false, 'a'])
  assert.deepEqual(
    response.reasons.map(({ code }) => code),
    ['older', 'waiting', 'offered'],
  )
  assert.match(response.reasons[2]?.text ?? '', new RegExp(`: ${CARA}$`))
  assert.deepEqual(response.devices, [
    { deviceID: BEN, name: BEN, connected: false, version: 'newest' },
    { deviceID: CARA, name: CARA, connected: true, version: 'newest' },
  ])
  const night = { kind: 'device', id: BEN, rule: 'night', untilMs: 60_000 } as const
  const { status, ...others } = fakeRest().deps.schedule
  const schedule = { ...others, status: () => ({ ...status(), metered: 'yes', pauses: [night] }) as const }
  const away = (await get({ explorer, deps: { schedule } }, '/rest/twinfold/why?folder=share&file=a')) as {
    reasons: object[]
  }
  assert.deepEqual(away.reasons.slice(2), [
    { code: 'no-device', text: 'no connected device has the newest version' },
    {
      code: 'device-paused',
      text: `${BEN} has the newest version, and is paused by the rule night until 1970-01-01T00:01:00Z`,
      device: BEN,
      rule: 'night',
      until: '1970-01-01T00:01:00Z',
    },
    { code: 'metered', text: 'the connection is metered: only devices at local addresses are connected' },
  ])
  const unknown = (await get({}, '/rest/twinfold/why?folder=share&file=nothing')) as { state: string; global: unknown }
  assert.deepEqual([unknown.state, unknown.global], ['unknown', null])
})

test('conflicts have the original file, searches the whole path, previews the line number', async () => {
  const copy = file('d/x.sync-conflict-20260131-235959-ABCDEFG.txt', { sizeBytes: 4 })
  const listed = { ...recordsOf(copy, { local: headOf(copy) }), file: undefined }
  const conflicts = (await get(
    { explorer: { conflictRange: async () => ({ total: 1, items: [listed] }) } },
    '/rest/twinfold/conflicts?folder=share',
  )) as { total: number; items: { name: string; original: string }[] }
  assert.deepEqual(
    conflicts.items.map(({ name, original }) => [name, original]),
    [[copy.name, 'd/x.txt']],
  )
  const total = (n: number) => ({ explorer: { conflictRange: async () => ({ total: n, items: [] }) } })
  assert.deepEqual(await get(total(3), '/rest/twinfold/conflict-counts'), { share: 3 })
  assert.deepEqual(await get(total(0), '/rest/twinfold/conflict-counts'), {})
  let limit = 0
  const search = (await get(
    {
      explorer: {
        search: async (_folder, wanted) => (
          (limit = wanted.limit),
          {
            next: 'd/a',
            searched: 7,
            workedMs: 1,
            items: [{ records: recordsOf(file('d/a')), state: 'here', devices: [] }],
          }
        ),
      },
    },
    '/rest/twinfold/search?folder=share&text=A',
  )) as { items: { name: string }[]; truncated: boolean; next: string; searched: number }
  const { truncated, next, searched } = search
  assert.deepEqual([search.items[0]?.name, truncated, next, searched, limit], ['d/a', true, 'd/a', 7, 200])
  const preview = await fakeRest().send('POST', '/rest/twinfold/ignore-preview?folder=share', '{"lines":["a","b"]}')
  assert.deepEqual(
    (JSON.parse(preview.body) as { lines: { line: number }[] }).lines.map(({ line }) => line),
    [1, 2],
  )
})

test('a folder or a device is paused for a time; anything else is refused', async () => {
  const { send, calls } = fakeRest({ peers: [BEN] })
  const pause = async (query: string) => (await send('POST', `/rest/twinfold/pause?${query}`)).status
  assert.equal(await pause('folder=share&seconds=60'), 200)
  assert.equal(await pause(`device=${BEN}&seconds=3600`), 200)
  assert.deepEqual(calls, ['pause folder share 60000', `pause device ${BEN} 3600000`])
  const refused = ['folder=share', 'seconds=60', 'folder=share&seconds=0', 'folder=share&seconds=2592001']
  for (const query of [...refused, `folder=share&device=${BEN}&seconds=1`, 'device=x&seconds=1'])
    assert.equal(await pause(query), 400, query)
  assert.equal(calls.length, 2)
})
