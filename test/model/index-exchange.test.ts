import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { FLAG_IGNORED, FLAG_RECEIVE_ONLY, type FileInfo } from '../../src/core/records/file-info.ts'
import type { FolderIndex } from '../../src/db/types.ts'
import { IndexSender } from '../../src/model/peers/index-sender.ts'
import type { IndexData } from '../../src/protocol/types.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { allRecords, blocks, file, openTestStore, textOf, version } from '../db/records.ts'
import { effort } from '../support/effort.ts'
import { quietLogger } from '../support/logger.ts'
import { DOCS, settle } from '../support/model.ts'
import { PEER, receiverOf } from './index-peer.ts'

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
    const sending = new Sender(index, await index.exchange.indexId(), start)
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
  await index.records.updateLocal([file('a')])
  sending.sender.changed()
  await sending.pass(0)
  assert.deepEqual(sending.names(), ['!a'])
  await index.records.updateLocal([file('b')])
  sending.sender.changed()
  await sending.pass(200)
  assert.deepEqual(sending.names(), ['!a'], 'many small changes share one message')
  await index.records.updateLocal([file('c')])
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
  await index.records.updateLocal([file('a')])
  await sending.pass(59_000)
  assert.deepEqual(sending.names(), [])
  await sending.pass(2_000)
  assert.deepEqual(sending.names(), ['!a'])
})

test('a device that has part of the index receives only the rest', async () => {
  await using store = await openTestStore(undefined)
  const index = await store.folder(DOCS)
  await index.records.updateLocal([file('a'), file('b'), file('c')])
  await using sending = await Sender.start(index, 2)
  assert.deepEqual(sending.names(), ['c'])
  await using upToDate = await Sender.start(index, 3)
  assert.deepEqual(upToDate.names(), [])
})

test('batches end at a thousand files or five thousand blocks', async () => {
  await using store = await openTestStore(undefined)
  const index = await store.folder(DOCS)
  await index.records.updateLocal(Array.from({ length: 2_100 }, (_, i) => file(`f${i}`)))
  await index.records.updateLocal(
    Array.from({ length: 4 }, (_, i) => file(`g${i}`, { blockHashes: blocks(`g${i}`, 2_600) })),
  )
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
  await index.records.updateLocal([
    file('mine', { localFlags: FLAG_RECEIVE_ONLY, version: version(5) }),
    file('ignored', { localFlags: FLAG_IGNORED, version: version(6) }),
  ])
  await using sending = await Sender.start(index)
  const [mine, ignored] = sending.sent[0]!.files
  assert.deepEqual([mine?.version, mine?.localFlags], [[], FLAG_RECEIVE_ONLY])
  assert.deepEqual([ignored?.version, ignored?.localFlags], [version(6), FLAG_IGNORED])
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
          const indexId = await ours.exchange.indexId()
          const { receiver } = await receiverOf(theirs, indexId)
          const sending = await Sender.start(ours, await theirs.exchange.sequence(PEER))
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
            await ours.records.updateLocal([info])
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
