import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ShortId } from '../../src/core/ids.ts'
import { FLAG_REMOTE_INVALID } from '../../src/core/records/file-info.ts'
import { COUNTER_MAX } from '../../src/core/records/version-vector.ts'
import type { FolderIndex } from '../../src/db/types.ts'
import { anomalyOf } from '../../src/model/peers/index-receiver.ts'
import { IndexSender } from '../../src/model/peers/index-sender.ts'
import type { IndexData } from '../../src/protocol/types.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { allRecords, file, openTestStore } from '../db/records.ts'
import { quietLogger } from '../support/logger.ts'
import { DOCS } from '../support/model.ts'
import { PEER, receiverOf } from './index-peer.ts'

function message(names: string, firstSequence: number, more: Partial<IndexData> = {}): IndexData {
  const files = [...names].map((name, i) => file(name, { sequence: firstSequence + i }))
  return { folder: DOCS, files, prevSequence: 0, lastSequence: firstSequence + files.length - 1, ...more }
}

async function namesOf(index: FolderIndex): Promise<string> {
  return (await allRecords(index, PEER)).map(({ name }) => name).join('')
}

test('records are kept while the index is the same, and dropped when it is another or none', async () => {
  await using store = await openTestStore(undefined)
  const index = await store.folder(DOCS)
  const first = await receiverOf(index, 5n)
  await first.receiver.index(message('ab', 1))
  assert.equal(await namesOf(index), 'ab')
  await receiverOf(index, 5n)
  assert.equal(await namesOf(index), 'ab')
  await receiverOf(index, 6n)
  assert.equal(await namesOf(index), '')
  assert.equal(await index.exchange.remoteIndexId(PEER), 6n)
  await (await receiverOf(index, 6n)).receiver.indexUpdate(message('c', 1))
  await receiverOf(index, 0n)
  assert.equal(await namesOf(index), '')
})

test('a whole index replaces everything, an update adds to it, and each emits an event', async () => {
  await using store = await openTestStore(undefined)
  const index = await store.folder(DOCS)
  const { receiver, events } = await receiverOf(index, 5n)
  await receiver.index(message('ab', 1))
  await receiver.indexUpdate(message('c', 3, { prevSequence: 2 }))
  assert.equal(await namesOf(index), 'abc')
  await receiver.index(message('x', 7))
  assert.equal(await namesOf(index), 'x')
  assert.deepEqual(events, [
    `RemoteIndexUpdated {"device":"${PEER}","folder":"docs","items":2,"sequence":2,"version":2}`,
    `RemoteIndexUpdated {"device":"${PEER}","folder":"docs","items":1,"sequence":3,"version":3}`,
    `RemoteIndexUpdated {"device":"${PEER}","folder":"docs","items":1,"sequence":7,"version":7}`,
  ])
})

const ANOMALIES: readonly [name: string, data: IndexData, receivedSequence: number, wrong: boolean][] = [
  ['an update that joins up', message('c', 3, { prevSequence: 2 }), 2, false],
  ['an update that leaves a gap', message('c', 9, { prevSequence: 8 }), 2, true],
  ['an update that repeats a record', message('c', 2, { prevSequence: 1 }), 2, false],
  [
    'the same sequence twice',
    { ...message('', 1), files: [file('a', { sequence: 1 }), file('b', { sequence: 1 })], lastSequence: 1 },
    0,
    true,
  ],
  [
    'decreasing sequences',
    { ...message('', 1), files: [file('a', { sequence: 9 }), file('b', { sequence: 3 })], lastSequence: 9 },
    0,
    true,
  ],
  ['an end before the last record', message('abc', 1, { lastSequence: 2 }), 0, true],
  ['no last sequence, as in older versions', message('abc', 1, { lastSequence: 0 }), 0, false],
  [
    'a version that is not acceptable',
    {
      ...message('', 1),
      files: [
        file('a', {
          sequence: 1,
          localFlags: FLAG_REMOTE_INVALID,
          version: [{ device: 1n as ShortId, value: COUNTER_MAX + 1n }],
        }),
      ],
      lastSequence: 1,
    },
    0,
    true,
  ],
  ['nothing at all', message('', 1, { lastSequence: 0 }), 0, false],
]
for (const [name, data, receivedSequence, wrong] of ANOMALIES) {
  test(`numbers of a message: ${name}`, () => assert.equal(anomalyOf(data, receivedSequence) !== undefined, wrong))
}

test('wrong sequence numbers are reported once; the records are stored', async () => {
  await using store = await openTestStore(undefined)
  const index = await store.folder(DOCS)
  const { receiver, events } = await receiverOf(index, 5n)
  for (let i = 0; i < 5; i++) await receiver.indexUpdate(message('a', 100, { prevSequence: 99 + i * 1_000 }))
  assert.equal(events.filter((line) => line.startsWith('Failure')).length, 1)
  assert.equal(await namesOf(index), 'a')
})

test('B-08: a long message is stored in parts, and other queries are served between them', async () => {
  await using store = await openTestStore(undefined)
  const index = await store.folder(DOCS)
  const stored: number[] = []
  const sleep = async () => void stored.push((await allRecords(index, PEER)).length)
  const { receiver } = await receiverOf(index, 5n, { nowMs: () => 0, monotonicMs: () => 0, sleep })
  const files = Array.from({ length: 1_001 }, (_, i) => file(`f${i}`, { sequence: i + 1 }))
  await receiver.indexUpdate({ folder: DOCS, files, prevSequence: 0, lastSequence: 1_001 })
  assert.deepEqual(stored, [250, 500, 750, 1_000])
  assert.equal((await allRecords(index, PEER)).length, 1_001)
})

test('C-08: when our own store fails, nothing is announced, and nothing counts as received', async () => {
  await using store = await openTestStore(undefined)
  const index = await store.folder(DOCS)
  await index.records.updateLocal([file('a')])
  const failing = <Role extends object>(role: Role, method: keyof Role): Role =>
    new Proxy(role, {
      get: (target, key) =>
        key === method
          ? async () => Promise.reject(new Error('disk I/O error'))
          : (Reflect.get(target, key) as CallableFunction).bind(target),
    })
  const broken: FolderIndex = {
    ...index,
    records: failing(index.records, 'updateRemote'),
    exchange: failing(index.exchange, 'localSince'),
  }
  const { receiver, events } = await receiverOf(broken, 5n)
  await assert.rejects(receiver.indexUpdate(message('x', 1)), /disk I\/O error/)
  const sent: IndexData[] = []
  const connection = {
    index: async (data: IndexData) => void sent.push(data),
    indexUpdate: async (data: IndexData) => void sent.push(data),
  }
  const sender = new IndexSender(
    { clock: new SimClock(), device: PEER, index: broken, connection, log: quietLogger('model') },
    { folder: DOCS, indexId: await index.exchange.indexId(), start: 0 },
  )
  await assert.rejects(sender.run(new AbortController().signal), /disk I\/O error/)
  const wrongInSync = sent.length + events.length + (await index.exchange.sequence(PEER))
  assert.equal(wrongInSync, 0)
  console.log(JSON.stringify({ id: 'C-08', tried: 2, wrongInSync }))
})
