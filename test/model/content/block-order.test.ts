import { test } from 'node:test'
import assert from 'node:assert/strict'
import type { Block } from '../../../src/core/records/block-diff.ts'
import { byAvailability, type BlockOrder } from '../../../src/model/content/block-order.ts'

const COUNT = 1_000

function blocks(from: number, to: number): readonly Block[] {
  return Array.from({ length: to - from }, (_, i) => {
    return { number: from + i, offsetBytes: 0, sizeBytes: 1, hash: new Uint8Array(0) }
  })
}

async function numbersOf(order: BlockOrder, isCommon: (block: Block) => boolean): Promise<readonly number[]> {
  const requested: number[] = []
  for await (const { number } of byAvailability(order, async (block) => isCommon(block))) requested.push(number)
  return requested
}

test('our own share comes first, then what other devices have; every block once, also when none has any', async () => {
  const order = { first: blocks(0, 200), others: blocks(200, COUNT) }
  const all = Array.from({ length: COUNT }, (_, i) => i)
  assert.deepEqual(await numbersOf(order, () => true), all)
  const alone = await numbersOf(order, () => false)
  assert.deepEqual(alone.slice(0, 200), all.slice(0, 200))
  assert.deepEqual(
    [...alone].sort((a, b) => a - b),
    all,
  )
  const even = await numbersOf(order, ({ number }) => number % 2 === 0)
  assert.ok(even.slice(200, 320).every((number) => number % 2 === 0))
  assert.deepEqual(
    [...even].sort((a, b) => a - b),
    all,
  )
})

test('blocks that a device gets meanwhile are requested from it before others that no device has', async () => {
  const order = { first: [], others: blocks(0, COUNT) }
  let asked = 0
  let scarce = 0
  for await (const { number } of byAvailability(order, async ({ number: wanted }) => ++asked > 300 && wanted < 900)) {
    if (asked <= 300 || number >= 900) scarce++
  }
  assert.ok(scarce < 150, `${scarce} blocks of the only source`)
})
