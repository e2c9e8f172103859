import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MessageRate } from '../../../src/core/network/message-rate.ts'

test('R-10 a thousand messages at once are allowed, then a hundred a second', () => {
  const rate = new MessageRate(5_000)
  const allowed = (nowMs: number): number => {
    let count = 0
    while (rate.count(nowMs)) count++
    return count
  }
  assert.equal(allowed(5_000), 1_000)
  assert.equal(new MessageRate(0).count(0), true)
})

test('R-10 a hundred messages a second are allowed for ever, one more is not', () => {
  const steady = new MessageRate(0)
  for (let second = 1; second <= 1_000; second++)
    for (let i = 0; i < 100; i++) assert.equal(steady.count(second * 1_000), true)
  const faster = new MessageRate(0)
  let second = 0
  const isAllowed = () => Array.from({ length: 101 }, () => faster.count(second * 1_000)).every(Boolean)
  do second++
  while (isAllowed())
  assert.equal(second, 901, 'nine hundred are left of the first second')
})

test('R-10 a quiet day allows no more than a thousand, and a clock that stands still none', () => {
  const rate = new MessageRate(0)
  for (let i = 0; i < 1_000; i++) assert.equal(rate.count(86_400_000), true)
  assert.equal(rate.count(86_400_000), false)
  assert.equal(rate.count(0), false, 'nor one that goes back')
})
