import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FileInfo } from '../../../src/core/records/file-info.ts'
import { IndexReceiver } from '../../../src/model/peers/index-receiver.ts'
import { nodeClock } from '../../../src/platform/node/clock.ts'
import { DEVICES, file, FOLDER, openTestStore } from '../../db/records.ts'
import { quietLogger } from '../../support/logger.ts'

const [DEVICE] = DEVICES

/** Stores an index of 1,000 records on a disk that takes so long for each. */
async function receivedBatches(recordMs: number): Promise<{ readonly sizes: number[]; readonly yields: number }> {
  await using store = await openTestStore(undefined)
  const real = await store.folder(FOLDER)
  const sizes: number[] = []
  let nowMs = 0
  let yields = 0
  const clock = {
    ...nodeClock,
    monotonicMs: () => nowMs,
    sleep: async () => void yields++,
  }
  const updateRemote = async (_device: unknown, batch: readonly FileInfo[]) => {
    sizes.push(batch.length)
    nowMs += batch.length * recordMs
  }
  const records = { dropDevice: async () => {}, updateRemote }
  const index = { exchange: real.exchange, records } as unknown as typeof real
  const deps = { clock, index, events: { emit: () => {} }, log: quietLogger('model') }
  const theirs = { indexId: 1n, sequence: 1_000 }
  const receiver = await IndexReceiver.begin(deps, { device: DEVICE!, folder: FOLDER, theirs })
  const files = Array.from({ length: 1_000 }, (_none, place) => file(`file ${place}`, { sequence: place + 1 }))
  await receiver.index({ folder: FOLDER, files, lastSequence: 1_000, prevSequence: 0 })
  assert.equal(
    sizes.reduce((sum, size) => sum + size, 0),
    files.length,
  )
  return { sizes, yields }
}

test('index receiver: a batch takes a few milliseconds, on a slow machine, too', async () => {
  const fast = await receivedBatches(0.01)
  assert.deepEqual(fast.sizes, [250, 250, 250, 250])
  assert.equal(fast.yields, 4) // after the last one, too: the next message may be there
  const slow = await receivedBatches(0.05)
  assert.deepEqual(slow.sizes.slice(0, 3), [250, 100, 100])
  const slowest = await receivedBatches(1)
  assert.equal(slowest.sizes[1], 50) // smaller ones would cost more in all
})

test('index receiver: the indexes of many devices at once do not fill one turn of the event loop', async () => {
  await using store = await openTestStore(undefined)
  const real = await store.folder(FOLDER)
  let nowMs = 0
  let turnMs = 0
  let longestMs = 0
  const clock = {
    ...nodeClock,
    monotonicMs: () => nowMs,
    sleep: async () => {
      await new Promise((done) => setImmediate(done))
      turnMs = 0
    },
  }
  const updateRemote = async (_device: unknown, batch: readonly FileInfo[]) => {
    nowMs += batch.length / 50
    turnMs += batch.length / 50
    longestMs = Math.max(longestMs, turnMs)
  }
  const records = { dropDevice: async () => {}, updateRemote }
  const index = { exchange: real.exchange, records } as unknown as typeof real
  const deps = { clock, index, events: { emit: () => {} }, log: quietLogger('model') }
  const files = Array.from({ length: 500 }, (_none, place) => file(`file ${place}`, { sequence: place + 1 }))
  const receive = async (device: (typeof DEVICES)[number]) => {
    const theirs = { indexId: 1n, sequence: 500 }
    const receiver = await IndexReceiver.begin(deps, { device, folder: FOLDER, theirs })
    await receiver.index({ folder: FOLDER, files, lastSequence: 500, prevSequence: 0 })
  }
  await Promise.all(Array.from({ length: 20 }, () => receive(DEVICE!)))
  assert.ok(longestMs <= 10, `${longestMs} ms in one turn`)
})
