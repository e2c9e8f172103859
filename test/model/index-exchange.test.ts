import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { ShortId } from '../../src/core/ids.ts'
import {
  FLAG_IGNORED,
  FLAG_RECEIVE_ONLY,
  FLAG_REMOTE_INVALID,
  type FileInfo,
} from '../../src/core/records/file-info.ts'
import { COUNTER_MAX } from '../../src/core/records/version-vector.ts'
import type { FolderIndex } from '../../src/db/types.ts'
import { anomalyOf, IndexReceiver } from '../../src/model/peers/index-receiver.ts'
import { IndexSender } from '../../src/model/peers/index-sender.ts'
import type { IndexData } from '../../src/protocol/types.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { allRecords, blocks, DEVICES, file, openTestStore, textOf, version } from '../db/records.ts'
import { effort } from '../support/effort.ts'
import { quietLogger } from '../support/logger.ts'
import { DOCS, settle } from '../support/model.ts'

const PEER = DEVICES[0]!
type Sent = IndexData & { readonly whole: boolean }

/** One device's index and the messages it sends, on a simulated clock. */
class Sender implements AsyncDisposable {
  readonly clock = new SimClock()
  readonly sent: Sent[] = []
  readonly index: FolderIndex
  readonly sender: IndexSender
  readonly #stop = new AbortController()
  readonly #running: Promise<void>
  onSent: (data: Sent) => Promise<void> = async () => {}

  private constructor(index: FolderIndex, indexId: bigint, start: number) {
    const take = (whole: boolean) => async (data: IndexData) => {
      this.sent.push({ ...data, whole })
      await this.onSent({ ...data, whole })
    }
    this.index = index
    const connection = { index: take(true), indexUpdate: take(false) }
    this.sender = new IndexSender(
      { clock: this.clock, device: PEER, index, connection, log: quietLogger('model') },
      { folder: DOCS, indexId, start },
    )
    this.#running = this.sender.run(this.#stop.signal)
  }

  static async start(index: FolderIndex, start = 0): Promise<Sender> {
    const sending = new Sender(index, await index.indexId(), start)
    await sending.pass(0)
    return sending
  }

  async pass(ms: number): Promise<void> {
    await settle()
    await this.clock.advance(ms, settle)
    await settle()
  }

  names(): string[] {
    return this.sent.map(({ files, whole }) => `${whole ? '!' : ''}${files.map(({ name }) => name).join('')}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#running
    assert.equal(this.clock.sleepingCount, 0, 'a timer is left after the stop')
  }
}

test('an empty folder sends nothing; the first record is sent as an index, later ones as updates', async () => {
  await using store = await openTestStore(undefined)
  const index = await store.folder(DOCS)
  await using sending = await Sender.start(index)
  assert.deepEqual(sending.names(), [])
  await index.updateLocal([file('a')])
  sending.sender.changed()
  await sending.pass(0)
  assert.deepEqual(sending.names(), ['!a'])
  await index.updateLocal([file('b')])
  sending.sender.changed()
  await sending.pass(200)
  assert.deepEqual(sending.names(), ['!a'], 'many small changes share one message')
  await index.updateLocal([file('c')])
  sending.sender.changed()
  await sending.pass(100)
  assert.deepEqual(sending.names(), ['!a', 'bc'])
  assert.deepEqual(
    sending.sent.map(({ prevSequence, lastSequence }) => [prevSequence, lastSequence]),
    [
      [0, 1],
      [1, 3],
    ],
  )
})

test('a change without a notification is sent within a minute', async () => {
  await using store = await openTestStore(undefined)
  const index = await store.folder(DOCS)
  await using sending = await Sender.start(index)
  await index.updateLocal([file('a')])
  await sending.pass(59_000)
  assert.deepEqual(sending.names(), [])
  await sending.pass(2_000)
  assert.deepEqual(sending.names(), ['!a'])
})

test('a device that has part of the index receives only the rest', async () => {
  await using store = await openTestStore(undefined)
  const index = await store.folder(DOCS)
  await index.updateLocal([file('a'), file('b'), file('c')])
  await using sending = await Sender.start(index, 2)
  assert.deepEqual(sending.names(), ['c'])
  await using upToDate = await Sender.start(index, 3)
  assert.deepEqual(upToDate.names(), [])
})

test('batches end at a thousand files or five thousand blocks', async () => {
  await using store = await openTestStore(undefined)
  const index = await store.folder(DOCS)
  await index.updateLocal(Array.from({ length: 2_100 }, (_, i) => file(`f${i}`)))
  await index.updateLocal(Array.from({ length: 4 }, (_, i) => file(`g${i}`, { blockHashes: blocks(`g${i}`, 2_600) })))
  await using sending = await Sender.start(index)
  await sending.pass(300)
  assert.deepEqual(
    sending.sent.map(({ files }) => files.length),
    [1_000, 1_000, 102, 2],
  )
  assert.deepEqual(
    sending.sent.map(({ whole }) => whole),
    [true, false, false, false],
  )
})

test('a receive-only change is sent without a version; an ignored item keeps its own', async () => {
  await using store = await openTestStore(undefined)
  const index = await store.folder(DOCS)
  await index.updateLocal([
    file('mine', { localFlags: FLAG_RECEIVE_ONLY, version: version(5) }),
    file('ignored', { localFlags: FLAG_IGNORED, version: version(6) }),
  ])
  await using sending = await Sender.start(index)
  const [mine, ignored] = sending.sent[0]!.files
  assert.deepEqual([mine?.version, mine?.localFlags], [[], FLAG_RECEIVE_ONLY])
  assert.deepEqual([ignored?.version, ignored?.localFlags], [version(6), FLAG_IGNORED])
})

interface Receiving {
  readonly index: FolderIndex
  readonly receiver: IndexReceiver
  readonly events: string[]
}

async function receiverOf(index: FolderIndex, indexId: bigint): Promise<Receiving> {
  const events: string[] = []
  const receiver = await IndexReceiver.begin(
    {
      clock: new SimClock(),
      index,
      log: quietLogger('model'),
      events: { emit: (type, data) => void events.push(`${type} ${JSON.stringify(data)}`) },
    },
    { device: PEER, folder: DOCS, theirs: { indexId, sequence: 0 } },
  )
  return { index, receiver, events }
}

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
  assert.equal(await index.remoteIndexId(PEER), 6n)
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

test('C-08: when our own store fails, nothing is announced, and nothing counts as received', async () => {
  await using store = await openTestStore(undefined)
  const index = await store.folder(DOCS)
  await index.updateLocal([file('a')])
  const broken: FolderIndex = new Proxy(index, {
    get: (target, key) =>
      key === 'updateRemote' || key === 'localSince'
        ? async () => Promise.reject(new Error('disk I/O error'))
        : Reflect.get(target, key).bind(target),
  })
  const { receiver, events } = await receiverOf(broken, 5n)
  await assert.rejects(receiver.indexUpdate(message('x', 1)), /disk I\/O error/)
  const sent: IndexData[] = []
  const connection = {
    index: async (data: IndexData) => void sent.push(data),
    indexUpdate: async (data: IndexData) => void sent.push(data),
  }
  const sender = new IndexSender(
    { clock: new SimClock(), device: PEER, index: broken, connection, log: quietLogger('model') },
    { folder: DOCS, indexId: await index.indexId(), start: 0 },
  )
  await assert.rejects(sender.run(new AbortController().signal), /disk I\/O error/)
  const wrongInSync = sent.length + events.length + (await index.sequence(PEER))
  assert.equal(wrongInSync, 0)
  console.log(JSON.stringify({ id: 'C-08', tried: 2, wrongInSync }))
})

const change = fc.record({
  name: fc.constantFrom('a', 'b', 'c', 'd/e'),
  counter: fc.integer({ min: 1, max: 9 }),
  deleted: fc.boolean(),
})

test('for any changes and connection losses the other side ends with the same records', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.oneof(
          { weight: 3, arbitrary: change },
          { weight: 1, arbitrary: fc.constantFrom('reconnect' as const, 'lose' as const, 'wait' as const) },
        ),
        { maxLength: 30 },
      ),
      async (steps) => {
        await using here = await openTestStore(undefined)
        await using there = await openTestStore(undefined)
        const [ours, theirs] = [await here.folder(DOCS), await there.folder(DOCS)]
        let lost = false
        const connect = async (): Promise<Sender> => {
          const indexId = await ours.indexId()
          const { receiver } = await receiverOf(theirs, indexId)
          const sending = await Sender.start(ours, await theirs.sequence(PEER))
          sending.onSent = async ({ whole, ...data }) => {
            if (!lost) await (whole ? receiver.index(data) : receiver.indexUpdate(data))
          }
          for (const { whole, ...data } of sending.sent)
            await (whole ? receiver.index(data) : receiver.indexUpdate(data))
          return sending
        }
        let sending = await connect()
        const reconnect = async () => {
          await sending[Symbol.asyncDispose]()
          lost = false
          sending = await connect()
        }
        for (const step of steps) {
          if (step === 'lose') lost = true
          else if (step === 'reconnect') await reconnect()
          else if (step === 'wait') await sending.pass(300)
          else {
            const info: FileInfo = step.deleted
              ? file(step.name, { deleted: true, sizeBytes: 0, blockHashes: undefined, version: version(step.counter) })
              : file(step.name, { version: version(step.counter) })
            await ours.updateLocal([info])
            sending.sender.changed()
          }
        }
        await reconnect()
        await sending.pass(1_000)
        await sending[Symbol.asyncDispose]()
        const [sent, received] = [await allRecords(ours, 'local'), await allRecords(theirs, PEER)]
        assert.deepEqual(received.map(textOf), sent.map(textOf))
      },
    ),
    { numRuns: effort(40) },
  )
})
