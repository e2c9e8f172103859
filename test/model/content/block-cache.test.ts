import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { BlockCache, ENTRY_BYTES, type WantedBlock } from '../../../src/model/content/block-cache.ts'
import { NEVER } from '../../support/model.ts'

const SIZE = 10
const HELD = SIZE + ENTRY_BYTES

/** Blocks by letter; `requested` lists those that were obtained. */
class Blocks {
  readonly cache: BlockCache
  readonly requested: string[] = []

  constructor(blocksMax: number) {
    this.cache = new BlockCache(blocksMax * HELD)
  }

  want(letter: string): WantedBlock {
    return this.cache.want(createHash('sha256').update(letter).digest(), async () => {
      this.requested.push(letter)
      return Buffer.alloc(SIZE, letter)
    })
  }

  async read(letter: string): Promise<string> {
    using wanted = this.want(letter)
    return Buffer.from(await wanted.data(NEVER)).toString()
  }
}

test('blocks are kept within the bound, those not used for the longest time are evicted', async () => {
  const blocks = new Blocks(2)
  for (const letter of 'abac') assert.equal(await blocks.read(letter), letter.repeat(SIZE))
  assert.equal(blocks.cache.heldBytes, 2 * HELD)
  await blocks.read('a')
  assert.equal(blocks.requested.join(''), 'abc')
  await blocks.read('b')
  assert.equal(blocks.requested.join(''), 'abcb')
  assert.equal(blocks.cache.heldBytes, 2 * HELD)
})

test('blocks that somebody reads are evicted last, and requested again', async () => {
  const blocks = new Blocks(2)
  using slow = blocks.want('a')
  await slow.data(NEVER)
  for (const letter of 'bcd') await blocks.read(letter)
  await slow.data(NEVER)
  assert.equal(blocks.requested.join(''), 'abcd', 'it stayed')
  const others = ['e', 'f'].map((letter) => blocks.want(letter))
  for (const other of others) await other.data(NEVER)
  assert.equal(blocks.cache.heldBytes, 2 * HELD)
  assert.equal(Buffer.from(await slow.data(NEVER)).toString(), 'a'.repeat(SIZE))
  assert.equal(blocks.requested.join(''), 'abcdefa')
  for (const other of others) other[Symbol.dispose]()
})

test('a request that fails for one file is repeated for another one that has the same block', async () => {
  const cache = new BlockCache(10_000)
  const hash = createHash('sha256').update('x').digest()
  const { promise, reject } = Promise.withResolvers<Uint8Array>()
  using first = cache.want(hash, () => promise)
  using second = cache.want(hash, async () => Buffer.from('x'))
  const [one, other] = [first.data(NEVER), second.data(NEVER)]
  reject(new Error('no device has it'))
  await assert.rejects(one, /no device has it/)
  assert.equal(Buffer.from(await other).toString(), 'x')
})

test('a request ends when the last one who wants it leaves, and a later one begins anew', async () => {
  const cache = new BlockCache(10_000)
  const hash = createHash('sha256').update('x').digest()
  const ended: unknown[] = []
  const never = (signal: AbortSignal) =>
    new Promise<Uint8Array>((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        ended.push(signal.reason)
        reject(signal.reason as Error)
      })
    })
  const [first, second] = [cache.want(hash, never), cache.want(hash, never)]
  first[Symbol.dispose]()
  assert.equal(ended.length, 0)
  second[Symbol.dispose]()
  assert.equal(ended.length, 1)
  using later = cache.want(hash, async () => Buffer.from('x'))
  assert.equal(Buffer.from(await later.data(NEVER)).toString(), 'x')
  assert.equal(cache.heldBytes, 1 + ENTRY_BYTES)
})
