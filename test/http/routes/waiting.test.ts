import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeviceId } from '../../../src/core/ids.ts'
import type { FolderExplorer } from '../../../src/model/queries/explorer.ts'
import type { NextTo, WaitingItem } from '../../../src/model/queries/explorer-types.ts'
import { file, headOf } from '../../db/records.ts'
import { fakeRest, type FakeOptions } from '../fakes.ts'
import { connected } from '../connected.ts'

const BEN = 'P56IOI7-MZJNU2Y-IQGDREY-DM2MGTI-MGL3BXN-PQ6W5BM-TBBZ4TJ-XZWICQ2' as DeviceId
const CARA = 'MFZWI3D-BONSGYC-YLTMRWG-C43ENR5-QXGZDMM-FZWI3DP-BONSGYY-LTMRWAD' as DeviceId

async function get(fake: FakeOptions, target: string): Promise<unknown> {
  const reply = await fakeRest({ peers: [BEN, CARA], ...fake }).send('GET', target)
  assert.equal(reply.status, 200, reply.body)
  return JSON.parse(reply.body)
}

test('the reason of a waiting item depends on the connected devices', async () => {
  const facts = { paused: false, type: 'sendreceive', error: '', scanning: false } as const
  const item = (name: string, more: Partial<WaitingItem> = {}): WaitingItem => ({
    records: { name, global: headOf(file(name)), local: undefined, others: new Map() },
    action: 'download',
    stage: 'queued',
    bytesDone: 0,
    problem: undefined,
    holders: [BEN, CARA],
    ...more,
  })
  const items = [
    item('now', { stage: 'downloading', bytesDone: 3 }),
    item('next'),
    item('lonely', { holders: [CARA] }),
    item('bad', { problem: 'disk is full' }),
  ]
  const response = (await get(
    {
      explorer: { waiting: async () => ({ folder: facts, total: 9, items }) },
      deps: { connections: { status: () => connected(BEN) } },
    },
    '/rest/twinfold/waiting?folder=share',
  )) as {
    total: number
    items: { name: string; reason: { code: string; text: string }; holders: string[]; knownHolders: string[] }[]
  }
  assert.deepEqual(
    response.items.map(({ name, reason }) => [name, reason.code]),
    [
      ['now', 'downloading'],
      ['next', 'queued'],
      ['lonely', 'no-device'],
      ['bad', 'failed'],
    ],
  )
  assert.deepEqual(
    [response.items[0]?.holders, response.items[0]?.knownHolders, response.items[2]?.holders],
    [[BEN], [BEN, CARA], []],
  )
  assert.match(response.items[3]?.reason.text ?? '', /disk is full/)
})

test('a page of waiting items is found next to an item', async () => {
  const facts = { paused: false, type: 'sendreceive', error: '', scanning: false } as const
  const asked: NextTo[] = []
  const explorer: Partial<FolderExplorer> = {
    waiting: async (_folder, paging) => {
      asked.push(paging)
      return { folder: facts, total: 0, items: [] }
    },
  }
  await get({ explorer }, '/rest/twinfold/waiting?folder=share&page=7&perpage=5&after=a%2Fb')
  await get({ explorer }, '/rest/twinfold/waiting?folder=share&before=u%CC%88')
  assert.deepEqual(asked, [
    { page: 7, perPage: 5, after: 'a/b', before: undefined },
    { page: 1, perPage: 100, after: undefined, before: 'u\u0308' },
  ])
})
