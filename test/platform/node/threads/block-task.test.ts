import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { BlockHasher } from '../../../../src/platform/node/hashing/block-hasher.ts'
import { BlockWriting, type BlockOutcome, type CopyOutcome } from '../../../../src/platform/node/threads/block-task.ts'
import { scratchDirectory } from '../../../support/scratch.ts'

const BLOCK_BYTES = 64 * 1_024
const BLOCKS = 8

/** A hasher that counts how many blocks it is given at a time. */
function countingHasher() {
  const counts: number[] = []
  const hasher = new BlockHasher()
  const put: BlockHasher['put'] = (blocks, out, at) => {
    counts.push(blocks.length)
    hasher.put(blocks, out, at)
  }
  return { counts, hasher: { atOnce: 4, put } }
}

test('of blocks that are hashed together only the one with another hash is not written', async () => {
  using scratch = scratchDirectory()
  const path = join(scratch.path, 'file')
  const descriptor = openSync(path, 'w+')
  using _ = { [Symbol.dispose]: () => closeSync(descriptor) }
  const { counts, hasher } = countingHasher()
  const outcomes = new Map<number, (BlockOutcome | CopyOutcome)['kind']>()
  const { promise, resolve } = Promise.withResolvers<void>()
  const writing = new BlockWriting(({ number }, { kind }) => {
    outcomes.set(number, kind)
    if (outcomes.size === BLOCKS) resolve()
  }, hasher)
  const blocks = Array.from({ length: BLOCKS }, () => randomBytes(BLOCK_BYTES))

  for (const [number, data] of blocks.entries()) {
    const sha256 = hash('sha256', number === 5 ? randomBytes(1) : data, 'buffer')
    const positionBytes = number * BLOCK_BYTES
    writing.write({ number, descriptor, direct: undefined, data, hash: sha256, positionBytes })
  }
  await promise

  assert.deepEqual(counts, [4, 4])
  for (let number = 0; number < BLOCKS; number++)
    assert.equal(outcomes.get(number), number === 5 ? 'different' : 'written')
  const expected = Buffer.concat(blocks)
  expected.fill(0, 5 * BLOCK_BYTES, 6 * BLOCK_BYTES)
  assert.ok(readFileSync(path).equals(expected))
})
