import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isWholePages, PageMemory } from '../../../../src/platform/node/disk/page-memory.ts'

const KIB = 1_024

test('pieces of memory do not overlap, begin at a page, and may be of any size', () => {
  const memory = new PageMemory()
  const sizes = [1, 256 * KIB, 5_000, 16 * KIB * KIB, 40 * KIB * KIB, 3]
  const pieces = sizes.map((sizeBytes) => memory.take(sizeBytes))
  pieces.forEach((piece, at) => piece.fill(at + 1))
  pieces.forEach((piece, at) => {
    assert.equal(piece.length, sizes[at])
    assert.equal(piece.byteOffset % 4_096, 0)
    assert.ok(piece.buffer instanceof SharedArrayBuffer)
    assert.deepEqual([piece[0], piece.at(-1)], [at + 1, at + 1])
  })
})

test('only whole pages at a place that begins one may pass by the memory of the system', () => {
  const memory = new PageMemory().take(1_024 * KIB)
  assert.ok(isWholePages(memory, 0))
  assert.ok(isWholePages(memory.subarray(4_096), 2 ** 40))
  assert.ok(!isWholePages(memory.subarray(1), 0))
  assert.ok(!isWholePages(memory.subarray(0, -1), 0))
  assert.ok(!isWholePages(memory, 512))
  assert.ok(!isWholePages(memory.subarray(0, 128 * KIB), 0), 'small ones are gathered by the system')
})
