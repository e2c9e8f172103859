import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { FileInfo } from '../../../src/core/records/file-info.ts'
import {
  blocksInPlace,
  blocksOf,
  hashKey,
  offsetsByHash,
  ZeroBlocks,
  type Block,
} from '../../../src/core/records/block-diff.ts'

const KIB = 1_024
const hashOf = (byte: number) => Buffer.alloc(32, byte)

/** A file whose blocks have these bytes as hashes. */
function file(sizeBytes: number, blockSizeBytes: number, hashes: readonly number[] | undefined): FileInfo {
  const blockHashes = hashes && Buffer.concat(hashes.map(hashOf))
  return { sizeBytes, blockSizeBytes, blockHashes } as unknown as FileInfo
}

test('blocksOf: offsets, sizes and hashes; the last block is as long as the rest', () => {
  assert.deepEqual(blocksOf(file(250, 100, [1, 2, 3])), [
    { number: 0, offsetBytes: 0, sizeBytes: 100, hash: hashOf(1) },
    { number: 1, offsetBytes: 100, sizeBytes: 100, hash: hashOf(2) },
    { number: 2, offsetBytes: 200, sizeBytes: 50, hash: hashOf(3) },
  ])
  assert.deepEqual(blocksOf(file(0, 100, [1])), [{ number: 0, offsetBytes: 0, sizeBytes: 0, hash: hashOf(1) }])
})

test('blocksOf: undefined for a list that does not match the size', () => {
  for (const wrong of [file(250, 100, [1, 2]), file(200, 100, [1, 2, 3]), file(250, 100, undefined)])
    assert.equal(blocksOf(wrong), undefined)
  for (const blockSizeBytes of [0, -100, Number.NaN]) assert.equal(blocksOf(file(0, blockSizeBytes, [1])), undefined)
})

test('blocksInPlace: those with the same hash at the same number', () => {
  const wanted = blocksOf(file(400, 100, [1, 2, 3, 4]))!
  assert.deepEqual(blocksInPlace(wanted, Buffer.concat([1, 9, 3].map(hashOf))), new Set([0, 2]))
  assert.deepEqual(blocksInPlace(wanted, Buffer.alloc(0)), new Set())
  assert.deepEqual(blocksInPlace(wanted, hashOf(1).subarray(0, 31)), new Set(), 'a part of a hash is none')
  const almost = hashOf(1)
  almost[31] = 2
  assert.deepEqual(blocksInPlace(wanted, almost), new Set(), 'every byte counts')
})

test('offsetsByHash: the first block of each hash; nothing for a file without blocks', () => {
  const offsets = offsetsByHash(file(400, 100, [1, 2, 1, 2]))
  assert.deepEqual(
    [...offsets].map(([key, { number }]) => [key, number]),
    [
      [hashKey(hashOf(1)), 0],
      [hashKey(hashOf(2)), 1],
    ],
  )
  assert.equal(offsetsByHash(file(400, 100, undefined)).size, 0)
})

test('hashKey: one character a byte, also of a part of a larger buffer', () => {
  const bytes = Buffer.from([0, 1, 127, 128, 255])
  assert.equal(hashKey(bytes), '\0\x01\x7f\x80\xff')
  assert.equal(hashKey(bytes.subarray(1, 3)), '\x01\x7f')
})

test('ZeroBlocks: blocks of zeros in the sizes that whole blocks have', () => {
  const zeros = new ZeroBlocks()
  const block = (sizeBytes: number, content: Uint8Array): Block => ({
    number: 0,
    offsetBytes: 0,
    sizeBytes,
    hash: createHash('sha256').update(content).digest(),
  })
  for (const sizeBytes of [128 * KIB, 256 * KIB, 128 * KIB]) {
    assert.ok(zeros.has(block(sizeBytes, new Uint8Array(sizeBytes))))
    assert.ok(!zeros.has(block(sizeBytes, new Uint8Array(sizeBytes).fill(1, -1))))
  }
  for (const sizeBytes of [0, 1, 64 * KIB, 128 * KIB + 1, 192 * KIB])
    assert.ok(!zeros.has(block(sizeBytes, new Uint8Array(sizeBytes))), `${sizeBytes} is no size of a whole block`)
})
