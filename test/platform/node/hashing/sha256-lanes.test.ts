import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { CHUNK_BYTES, LANE_BYTES } from '../../../../src/platform/node/hashing/sha256-kernel.ts'
import { Sha256Lanes } from '../../../../src/platform/node/hashing/sha256-lanes.ts'

/** Around the borders of a chunk, of its ending, and of the room of a lane. */
const SIZES_BYTES = [0, CHUNK_BYTES, LANE_BYTES, 3 * LANE_BYTES].flatMap((size) =>
  [-9, -8, -1, 0, 1, 55, 56, 63].map((more) => Math.max(0, size + more)),
)

test('four messages have the hashes that OpenSSL makes, at every length', () => {
  const lanes = new Sha256Lanes()
  for (const sizeBytes of SIZES_BYTES) {
    const messages = [0, 1, 2, 3].map(() => randomBytes(sizeBytes))
    const out = Buffer.alloc(5 + 4 * 32 + 5)
    lanes.put(messages, out, 5)
    const expected = messages.map((message) => hash('sha256', message)).join('')
    assert.equal(out.toString('hex'), `${'00'.repeat(5)}${expected}${'00'.repeat(5)}`, `${sizeBytes} bytes`)
  }
})

test('messages in shared memory, one after the other in it', () => {
  const memory = new Uint8Array(new SharedArrayBuffer(400_000))
  memory.set(randomBytes(memory.length))
  const messages = [0, 1, 2, 3].map((number) => memory.subarray(number * 100_000, (number + 1) * 100_000))
  const out = Buffer.alloc(4 * 32)
  new Sha256Lanes().put(messages, out, 0)
  assert.equal(out.toString('hex'), messages.map((message) => hash('sha256', Buffer.from(message))).join(''))
})
