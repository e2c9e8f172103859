import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isMassRewrite, looksEncrypted, SAMPLE_BYTES } from '../../../src/core/guard/rewritten.ts'
import { SimRandom } from '../../../src/platform/sim/random.ts'

const random = new SimRandom(33)
const encrypted = (bytes = SAMPLE_BYTES) => random.bytes(bytes)
const text = () => Buffer.from('the quick brown fox jumps over the lazy dog. '.repeat(100)).subarray(0, SAMPLE_BYTES)

test('random bytes look encrypted, text and short samples do not', () => {
  assert.equal(looksEncrypted([encrypted(), encrypted(), encrypted(SAMPLE_BYTES / 4)]), true)
  assert.equal(looksEncrypted([text(), text(), encrypted()]), false)
  assert.equal(looksEncrypted([encrypted(100), encrypted(10)]), false)
  assert.equal(looksEncrypted([]), false)
  assert.equal(looksEncrypted([encrypted(), encrypted(), encrypted(), encrypted(), text()]), true)
})

test('most files of a folder are half of them, from twenty on', () => {
  assert.equal(isMassRewrite(20, 40), true)
  assert.equal(isMassRewrite(20, 41), false)
  assert.equal(isMassRewrite(19, 19), false)
})
