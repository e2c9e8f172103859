import { test } from 'node:test'
import assert from 'node:assert/strict'
import type { Block } from '../../../src/core/records/block-diff.ts'
import { byAvailability, type BlockOrder, type BlockRequests } from '../../../src/model/content/block-order.ts'

const COUNT = 1_000

function blocks(from: number, to: number): readonly Block[] {
  return Array.from({ length: to - from }, (_, i) => {
    return { number: from + i, offsetBytes: 0, sizeBytes: 1, hash: new Uint8Array(0) }
  })
}

/** Without a clock: nothing is in flight, and a wait ends at once. */
function requestsWith(isCommon: (block: Block) => boolean): BlockRequests {
  return { isCommon: async (block) => isCommon(block), inFlight: () => 0, nowMs: () => 0, pause: async () => {} }
}

async function numbersOf(order: BlockOrder, isCommon: (block: Block) => boolean): Promise<readonly number[]> {
  const requested: number[] = []
  for await (const { number } of byAvailability(order, requestsWith(isCommon))) requested.push(number)
  return requested
}

test('our own share first, and what other devices have; every block once, also when none has any', async () => {
  const order = { first: blocks(0, 200), others: blocks(200, COUNT) }
  const all = Array.from({ length: COUNT }, (_, i) => i)
  const shared = await numbersOf(order, () => true)
  assert.ok(shared.indexOf(199) > shared.indexOf(800), 'what others have is fetched beside our own share')
  assert.deepEqual(
    [...shared].sort((a, b) => a - b),
    all,
  )
  const alone = await numbersOf(order, () => false)
  assert.deepEqual(alone.slice(0, 200), all.slice(0, 200))
  assert.deepEqual(
    [...alone].sort((a, b) => a - b),
    all,
  )
  const even = await numbersOf(order, ({ number }) => number % 2 === 0)
  assert.ok(even.slice(0, 600).every((number) => number < 200 || number % 2 === 0))
  assert.deepEqual(
    [...even].sort((a, b) => a - b),
    all,
  )
})

test('blocks that a device gets meanwhile are requested from it before others that no device has', async () => {
  const order = { first: [], others: blocks(0, COUNT) }
  let asked = 0
  let scarce = 0
  const requests = requestsWith(({ number: wanted }) => ++asked > 300 && wanted < 900)
  for await (const { number } of byAvailability(order, requests)) {
    if (asked <= 300 || number >= 900) scarce++
  }
  assert.ok(scarce < 150, `${scarce} blocks of the only source`)
})

test('blocks that other devices are fetching are waited for, half as long as we would take', async () => {
  const order = { first: blocks(0, 100), others: blocks(100, 200) }
  let nowMs = 0
  let inFlight = 0
  const waits: number[] = []
  const requests: BlockRequests = {
    isCommon: async ({ number }) => number < 101 || (number < 150 && nowMs > 1_400),
    inFlight: () => inFlight,
    nowMs: () => nowMs,
    pause: async (ms) => {
      waits.push(nowMs)
      nowMs += ms
      if (nowMs >= 1_200) inFlight = 0
    },
  }
  const times = new Map<number, number>()
  for await (const { number } of byAvailability(order, requests)) {
    times.set(number, nowMs)
    if (number >= 100) continue
    nowMs += 10
    inFlight = 50 // our own share arrives until 1.2 s
  }
  assert.equal(times.size, 200)
  for (let number = 101; number < 150; number++) assert.equal(times.get(number), 1_500)
  // From 1.2 s on, when nothing is under way: half of the 990 ms that 99 blocks take.
  assert.ok(times.get(150)! >= 1_600 && times.get(150)! <= 1_800, `${times.get(150)} ms`)
  assert.equal(waits[0], 1_000)
})
