import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { FileInfo } from '../../../src/core/records/file-info.ts'
import { KnownBlocks } from '../../../src/model/state/known-blocks.ts'
import type { BlockRequest } from '../../../src/protocol/types.ts'
import { file } from '../../db/records.ts'
import { LAPTOP, SERVER } from '../../support/config.ts'
import { DOCS } from '../../support/model.ts'

const BLOCK = 131_072

/** Files whose block hashes are those of their numbers, with a count of the index reads. */
class Files {
  readonly known = new KnownBlocks()
  readonly #records = new Map<string, FileInfo>()
  lookups = 0

  put(name: string, blocks: number, seed = 0): void {
    const blockHashes = Buffer.concat(Array.from({ length: blocks }, (_, number) => hashOf(number + seed)))
    const blocksHash = createHash('sha256').update(blockHashes).digest()
    this.#records.set(name, file(name, { sizeBytes: blocks * BLOCK, blockSizeBytes: BLOCK, blockHashes, blocksHash }))
  }

  async isFirst(
    name: string,
    number: number,
    { device = SERVER, ...more }: Partial<BlockRequest> & { device?: typeof SERVER } = {},
  ): Promise<boolean> {
    const get = async (): Promise<FileInfo | undefined> => {
      this.lookups++
      return this.#records.get(name)
    }
    const request = {
      folder: DOCS,
      name,
      offsetBytes: number * BLOCK,
      sizeBytes: BLOCK,
      hash: hashOf(number),
      fromTemporary: false,
      blockNumber: number,
      ...more,
    }
    return await this.known.isFirst(
      device,
      { id: DOCS, index: { records: { get } } },
      this.#records.get(name)!,
      request,
    )
  }
}

function hashOf(number: number): Buffer {
  return createHash('sha256').update(String(number)).digest()
}

test('the first request is tracked per device and block', async () => {
  const files = new Files()
  files.put('a', 20)
  for (let number = 0; number < 20; number++) assert.equal(await files.isFirst('a', number), true, String(number))
  for (let number = 0; number < 20; number++) assert.equal(await files.isFirst('a', number), false, String(number))
  assert.equal(await files.isFirst('a', 7, { device: LAPTOP }), true)
  assert.equal(await files.isFirst('a', 7, { device: LAPTOP }), false)
  assert.equal(files.lookups, 1)
})

test('a request that does not match the index is never a first one', async () => {
  const files = new Files()
  files.put('a', 3)
  assert.equal(await files.isFirst('a', 0, { hash: hashOf(1) }), false)
  assert.equal(await files.isFirst('a', 0, { hash: new Uint8Array(0) }), false)
  assert.equal(await files.isFirst('a', 3), false, 'behind the end')
  assert.equal(await files.isFirst('a', 3, { hash: new Uint8Array(0) }), false)
  assert.equal(await files.isFirst('a', 0, { offsetBytes: 1 }), false)
  assert.equal(await files.isFirst('a', 0, { sizeBytes: 2 * BLOCK }), false)
  assert.equal(await files.isFirst('a', 0, { sizeBytes: 1_000 }), false, 'too small to be tracked')
  assert.equal(await files.isFirst('a', 0), true)
})

test('other content has other blocks', async () => {
  const files = new Files()
  files.put('a', 3)
  assert.equal(await files.isFirst('a', 1), true)
  files.put('a', 3, 100)
  assert.equal(await files.isFirst('a', 1), false, 'blocks of the old content')
  assert.equal(await files.isFirst('a', 1, { hash: hashOf(101) }), true)
  assert.equal(await files.isFirst('a', 1, { hash: hashOf(101) }), false)
})

test('of two concurrent requests for one block one is the first', async () => {
  const files = new Files()
  files.put('a', 3)
  assert.deepEqual(await Promise.all([files.isFirst('a', 1), files.isFirst('a', 1), files.isFirst('a', 2)]), [
    true,
    false,
    true,
  ])
})

test('the cache keeps the most recently requested files within its limits', async () => {
  const files = new Files()
  for (let i = 0; i < 70; i++) files.put(`f${i}`, 2)
  files.put('large', 30_000)
  files.put('larger', 50_000)
  files.put('too large', 70_000)
  for (let i = 0; i < 70; i++) assert.equal(await files.isFirst(`f${i}`, 0), true)
  assert.equal(await files.isFirst('f69', 0), false)
  assert.equal(await files.isFirst('f0', 0), true, 'evicted')
  assert.equal(await files.isFirst('large', 0), true)
  assert.equal(await files.isFirst('f69', 0), false)
  assert.equal(await files.isFirst('larger', 29_999), true)
  assert.equal(await files.isFirst('large', 0), true, 'evicted by size')
  assert.equal(await files.isFirst('too large', 0), false, 'always hashed')
})
