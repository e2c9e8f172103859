import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { BLOCK_SIZE_BYTES_MAX, blockCount, blocksHashOf, blockSizeFor } from '../../../src/core/records/blocks.ts'

const MIB = 1024 * 1024
const BORDERS: readonly [belowMib: number, sizeKib: number][] = [
  [250, 128],
  [500, 256],
  [1_000, 512],
  [2_000, 1_024],
  [4_000, 2_048],
  [8_000, 4_096],
  [16_000, 8_192],
]
for (const [belowMib, sizeKib] of BORDERS) {
  test(`block size: below ${belowMib} MiB it is ${sizeKib} KiB`, () => {
    assert.equal(blockSizeFor(belowMib * MIB - 1), sizeKib * 1024)
    assert.equal(blockSizeFor(belowMib * MIB), sizeKib * 2048)
  })
}

test('block size: never more than the largest, and an adjacent one is kept', () => {
  assert.equal(blockSizeFor(2 ** 50), BLOCK_SIZE_BYTES_MAX)
  assert.equal(blockSizeFor(300 * MIB, 128 * 1024), 128 * 1024)
  assert.equal(blockSizeFor(200 * MIB, 256 * 1024), 256 * 1024)
  assert.equal(blockSizeFor(200 * MIB, 512 * 1024), 128 * 1024)
  assert.equal(blockSizeFor(1, 64 * 1024), 128 * 1024)
  assert.equal(blockSizeFor(1, 0), 128 * 1024)
})

test('blocks: an empty file has one', () => {
  assert.equal(blockCount(0, 128 * 1024), 1)
  assert.equal(blockCount(128 * 1024, 128 * 1024), 1)
  assert.equal(blockCount(128 * 1024 + 1, 128 * 1024), 2)
})

interface VectorFile {
  blocks: { hash: string }[]
  blocks_hash_2x_formula: string
}
const vectors = JSON.parse(readFileSync(new URL('../../vectors/blocks.json', import.meta.url), 'utf8')) as {
  files: Record<string, VectorFile>
}
for (const [name, file] of Object.entries(vectors.files)) {
  test(`blocks hash: ${name}`, () => {
    const hashes = Buffer.concat(file.blocks.map((block) => Buffer.from(block.hash, 'hex')))
    assert.equal(Buffer.from(blocksHashOf(hashes)).toString('hex'), file.blocks_hash_2x_formula)
  })
}
