import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BlockBuffers } from '../../../src/model/content/block-buffers.ts'

const KIB = 1_024

test('the memory of blocks: reused, also that of small files, and no larger than twice the block', () => {
  const allocated: number[] = []
  const buffers = new BlockBuffers(1_024 * KIB, (sizeBytes) => {
    allocated.push(sizeBytes)
    return new Uint8Array(sizeBytes)
  })
  for (const sizeBytes of [KIB, 4 * KIB, 4 * KIB + 1, 20 * KIB, 100 * KIB, 128 * KIB]) {
    const first = buffers.take(sizeBytes)!
    assert.ok(first.length >= sizeBytes && first.length <= Math.max(4 * KIB, 2 * sizeBytes), `${first.length} bytes`)
    buffers.release(first)
    assert.equal(buffers.take(sizeBytes), first)
    buffers.release(first)
  }
  assert.deepEqual(allocated, [32 * KIB, 128 * KIB], 'the memory for the disk is given out in pages of large slabs')
  assert.equal(buffers.take(KIB - 1), undefined)
})

test('the memory of blocks: what is above the limit is not kept', () => {
  const buffers = new BlockBuffers(4 * KIB, (sizeBytes) => new Uint8Array(sizeBytes))
  const [first, second] = [buffers.take(KIB)!, buffers.take(KIB)!]
  buffers.release(first)
  buffers.release(second)
  assert.equal(buffers.take(KIB), first)
  assert.notEqual(buffers.take(KIB), second)
})
