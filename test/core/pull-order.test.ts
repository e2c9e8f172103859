import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { PullOrder } from '../../src/core/config.ts'
import { shuffled, sortBlocks, sortForPull } from '../../src/core/pull-order.ts'

const files = [
  { name: 'b', sizeBytes: 3, modifiedS: 5, modifiedNs: 0 },
  { name: 'a', sizeBytes: 9, modifiedS: 5, modifiedNs: 1 },
  { name: 'c', sizeBytes: 1, modifiedS: 1, modifiedNs: 9 },
]
const first = () => 0

const cases: readonly [PullOrder, string][] = [
  ['alphabetic', 'abc'], ['smallestFirst', 'cba'], ['largestFirst', 'abc'], ['oldestFirst', 'cba'], ['newestFirst', 'abc'],
]
for (const [order, expected] of cases) {
  test(`files ${order}`, () => assert.equal(sortForPull(files, order, first).map(({ name }) => name).join(''), expected))
}

test('a random order holds every file once, and every order comes up', () => {
  fc.assert(fc.property(fc.uniqueArray(fc.nat()), fc.infiniteStream(fc.nat()), (items, numbers) => {
    const mixed = shuffled(items, (below) => (numbers.next().value ?? 0) % below)
    assert.deepEqual([...mixed].sort(), [...items].sort())
  }))
  const seen = new Set<string>()
  for (let i = 0; i < 6; i++) seen.add(shuffled([1, 2, 3], (below) => (below === 3 ? i % 3 : i % 2)).join())
  assert.equal(seen.size, 6)
})

test('blocks: all of them once, in order, mixed, or our own share first', () => {
  const blocks = [0, 1, 2, 3, 4, 5, 6, 7]
  assert.deepEqual(sortBlocks(blocks, 'inOrder', { own: 0, count: 2 }, first), blocks)
  assert.deepEqual(sortBlocks(blocks, 'standard', { own: 1, count: 2 }, first), [4, 5, 6, 7, 0, 1, 2, 3])
  fc.assert(fc.property(fc.nat(50), fc.constantFrom('standard', 'random', 'inOrder'), fc.nat(5), fc.integer({ min: 1, max: 6 }), (length, order, own, count) => {
    const numbers = Array.from({ length }, (_, i) => i)
    const sorted = sortBlocks(numbers, order, { own, count }, (below) => below - 1)
    assert.deepEqual([...sorted].sort((a, b) => a - b), numbers)
  }))
})
