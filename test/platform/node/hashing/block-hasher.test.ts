import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { BlockHasher } from '../../../../src/platform/node/hashing/block-hasher.ts'
import { HashBuffer, packTask, runTask, unpackReport } from '../../../../src/platform/node/threads/hash-task.ts'
import { Sha256Lanes } from '../../../../src/platform/node/hashing/sha256-lanes.ts'
import { scratchDirectory } from '../../../support/scratch.ts'

const BLOCK_BYTES = 128 * 1_024
/** The trial of four at a time is over after so many blocks. */
const BLOCKS = 4 + 512 + 8

interface Clock {
  readonly nowMs: () => number
  passMs(ms: number): void
}

function clock(): Clock {
  let nowMs = 0
  return { nowMs: () => nowMs, passMs: (ms) => void (nowMs += ms) }
}

/** Hashes with one at a time taking 1 ms for a block, and with lanes so many for four. */
function hasherWhere(lanesMs: number) {
  const time = clock()
  let readings = 0
  let together = 0
  const nowMs = () => {
    if (readings++ % 2 === 1) time.passMs(1)
    return time.nowMs()
  }
  const lanes = () => {
    const real = new Sha256Lanes()
    const put: Sha256Lanes['put'] = (messages, out, at) => {
      if (messages[0]!.length >= BLOCK_BYTES) together++
      time.passMs(lanesMs - 1)
      real.put(messages, out, at)
    }
    return { put }
  }
  return { hasher: new BlockHasher({ nowMs, lanes }), together: () => together }
}

function hashesOf(blocks: readonly Uint8Array[]): string {
  return blocks.map((block) => hash('sha256', block)).join('')
}

function putAll(hasher: BlockHasher, blocks: readonly Uint8Array[]): string {
  const out = Buffer.alloc(blocks.length * 32)
  hasher.put(blocks, out, 0)
  return out.toString('hex')
}

test('four at a time where that is measured to be faster, and the same hashes', () => {
  const { hasher, together } = hasherWhere(2)
  assert.equal(hasher.atOnce, 1)
  const blocks = Array.from({ length: BLOCKS }, () => randomBytes(BLOCK_BYTES))
  assert.equal(putAll(hasher, blocks), hashesOf(blocks))
  assert.deepEqual([hasher.atOnce, together()], [4, (BLOCKS - 4) / 4])
})

test('one at a time again where four take longer than one after the other', () => {
  const { hasher, together } = hasherWhere(3.9)
  const blocks = Array.from({ length: BLOCKS }, () => randomBytes(BLOCK_BYTES))
  assert.equal(putAll(hasher, blocks), hashesOf(blocks))
  assert.deepEqual([hasher.atOnce, together()], [1, 512 / 4])
})

test('a processor with instructions for SHA-256, or without WebAssembly, has no lanes', () => {
  let made = 0
  const lanes = () => {
    made++
    throw new Error('not here')
  }
  const blocks = Array.from({ length: 16 }, () => randomBytes(BLOCK_BYTES))
  const fast = new BlockHasher({ nowMs: () => 0, lanes })
  assert.deepEqual([putAll(fast, blocks), fast.atOnce, made], [hashesOf(blocks), 1, 0])
  let nowMs = 0
  const without = new BlockHasher({ nowMs: () => nowMs++, lanes })
  assert.deepEqual([putAll(without, blocks), without.atOnce, made], [hashesOf(blocks), 1, 1])
})

test('lanes that make other hashes are not used', () => {
  let nowMs = 0
  const lanes = () => ({
    put: (_: readonly Uint8Array[], out: Uint8Array, at: number) => void out.fill(1, at, at + 128),
  })
  const hasher = new BlockHasher({ nowMs: () => nowMs++, lanes })
  const blocks = Array.from({ length: 16 }, () => randomBytes(BLOCK_BYTES))
  assert.deepEqual([putAll(hasher, blocks), hasher.atOnce], [hashesOf(blocks), 1])
})

test('blocks of several sizes, as at the end of a file', () => {
  const { hasher } = hasherWhere(2)
  const sizes = [...Array.from({ length: 11 }, () => BLOCK_BYTES), 100_000, 5, 0, BLOCK_BYTES]
  const blocks = sizes.map((sizeBytes) => randomBytes(sizeBytes))
  assert.equal(putAll(hasher, blocks), hashesOf(blocks))
})

test('the blocks of a file are read and hashed four at a time', () => {
  using scratch = scratchDirectory()
  const path = join(scratch.path, 'file')
  const content = randomBytes(30 * 1_024 * 1_024 + 7)
  writeFileSync(path, content)
  utimesSync(path, 1, 1)
  for (const blockSizeBytes of [BLOCK_BYTES, 1_024 * 1_024, 2 * 1_024 * 1_024]) {
    const { hasher, together } = hasherWhere(2)
    putAll(
      hasher,
      [1, 2, 3, 4].map(() => randomBytes(BLOCK_BYTES)),
    )
    const part = { path, sizeBytes: content.length, modifiedS: 1, modifiedNs: 0, blockSizeBytes }
    const buffer = new HashBuffer()
    const [result] = unpackReport(runTask(packTask(1, [part]), buffer, hasher), [part])
    const count = Math.ceil(content.length / blockSizeBytes)
    const blocks = Array.from({ length: count }, (_, at) =>
      content.subarray(at * blockSizeBytes, (at + 1) * blockSizeBytes),
    )
    assert.equal(result?.kind, 'hashed')
    assert.equal(result?.kind === 'hashed' && Buffer.from(result.blockHashes).toString('hex'), hashesOf(blocks))
    const isTogether = blockSizeBytes <= 1_024 * 1_024
    assert.equal(together() > 0, isTogether, 'larger ones would take more memory than 4 MiB')
    assert.ok(buffer.for(1).length <= 4 * 1_024 * 1_024)
  }
})
