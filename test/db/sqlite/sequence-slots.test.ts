import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SequenceSlots } from '../../../src/db/sqlite/sequence-slots.ts'

test('all numbers of a key are found, below and above four bytes, while the table grows', () => {
  const slots = new SequenceSlots()
  const expected = new Map<number, number[]>()
  for (let i = 1; i <= 5_000; i++) {
    const key = ((i * 0x9e3779b1) % 4_001) | (i % 2 === 0 ? 0x8000_0000 : 0)
    const sequence = i < 3_000 ? i : 2 ** 32 - 3_500 + i
    slots.add(key, sequence)
    const all = expected.get(key >>> 0) ?? []
    expected.set(key >>> 0, [...all, sequence])
  }
  assert.equal(slots.count, 5_000)
  for (const [key, sequences] of expected)
    assert.deepEqual(
      [...slots.get(key)].sort((a, b) => a - b),
      sequences,
      String(key),
    )
  assert.deepEqual([...slots.get(4_500)], [])
})
