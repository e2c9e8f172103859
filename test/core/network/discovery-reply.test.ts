import assert from 'node:assert/strict'
import { test } from 'node:test'
import { headerSeconds, parseLookupReply } from '../../../src/core/network/discovery-reply.ts'

const addressesOf = (addresses: unknown) => parseLookupReply(Buffer.from(JSON.stringify({ addresses })))

test('R-05 the addresses of a reply: without spaces around them, each once, sorted', () => {
  assert.deepEqual(addressesOf([' tcp://b:1', 'tcp://a:1', 'tcp://b:1 ', 7, null, '']), ['tcp://a:1', 'tcp://b:1'])
  assert.deepEqual(addressesOf([]), [])
})

test('R-05 the first 128 addresses of at most 2,048 characters are used', () => {
  const numbered = Array.from({ length: 129 }, (_, i) => `a${String(i).padStart(3, '0')}`)
  assert.deepEqual(addressesOf(numbered), numbered.slice(0, 128))
  assert.deepEqual(addressesOf(['x'.repeat(2_048), 'y'.repeat(2_049)]), ['x'.repeat(2_048)])
})

test('seconds of a header at their limits', () => {
  const read = ['1', '86399', '86400', '86401', '0', '1000000000'].map(headerSeconds)
  assert.deepEqual(read, [1, 86_399, 86_400, 86_400, undefined, undefined])
})
