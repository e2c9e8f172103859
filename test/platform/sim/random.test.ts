import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SimRandom } from '../../../src/platform/sim/random.ts'

test('a seed determines a sequence', () => {
  assert.deepEqual(new SimRandom(5).bytes(50), new SimRandom(5).bytes(50))
  assert.notDeepEqual(new SimRandom(5).bytes(50), new SimRandom(6).bytes(50))
})

test('a stream depends on seed and name, not on earlier draws', () => {
  const random = new SimRandom(5)
  const before = random.stream('a').bytes(20)
  random.bytes(100)
  assert.deepEqual(random.stream('a').bytes(20), before)
  assert.notDeepEqual(random.stream('b').bytes(20), before)
  assert.notDeepEqual(new SimRandom(6).stream('a').bytes(20), before)
})

test('chance is true with the given probability', () => {
  const random = new SimRandom(1)
  let count = 0
  for (let i = 0; i < 10_000; i++) if (random.chance(0.3)) count++
  assert.ok(count > 2_800 && count < 3_200, String(count))
  assert.equal(random.chance(0), false)
  assert.equal(random.chance(1), true)
})
