import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import { decode, encode } from '../../src/core/wire/schema.ts'
import { blockList, type BlockList } from '../../src/protocol/block-list.ts'
import { FILE_INFO } from '../../src/protocol/messages.ts'
import { FLAG_REMOTE_INVALID } from '../../src/core/records/file-info.ts'
import { block, GOOD, KIB_128, read, type RawFile } from './raw-file.ts'
import { referenceType } from './reference-schema.ts'

const reference = referenceType('FileInfo')

function listOf(count: number, sizeBytes: number, hashSizeBytes: number): BlockList {
  const hashes = new Uint8Array(count * hashSizeBytes).map((_, at) => Math.floor(at / hashSizeBytes) + 1)
  return { count, hashes, hashSizeBytes, blockSizeBytes: KIB_128, sizeBytes, fault: undefined }
}

/** The blocks of a record as another implementation reads them. */
function sent(list: BlockList): readonly object[] {
  const raw = reference.toObject(reference.decode(encode(FILE_INFO, { blocks: list })), { longs: Number })
  return (raw['blocks'] as readonly { readonly hash: Uint8Array }[]).map((one) => ({ ...one, hash: one.hash.join() }))
}

const bytesOf = (value: number, sizeBytes = 32) => new Uint8Array(sizeBytes).fill(value)
const hash = (value: number, sizeBytes = 32) => bytesOf(value, sizeBytes).join()

test('blocks are sent with their offsets and sizes, and without those that are 0', () => {
  const empty = Buffer.from(encode(FILE_INFO, { blocks: listOf(1, 0, 32) })).toString('hex')
  assert.equal(empty, `8201221a20${'01'.repeat(32)}`, 'the hash only')
  assert.deepEqual(sent(listOf(1, 5, 32)), [{ size: 5, hash: hash(1) }])
  assert.deepEqual(sent(listOf(3, 2 * KIB_128 + 1, 32)), [
    { size: KIB_128, hash: hash(1) },
    { offset: KIB_128, size: KIB_128, hash: hash(2) },
    { offset: 2 * KIB_128, size: 1, hash: hash(3) },
  ])
  assert.deepEqual(sent(listOf(2, KIB_128 + 1, 48)), [
    { size: KIB_128, hash: hash(1, 48) },
    { offset: KIB_128, size: 1, hash: hash(2, 48) },
  ])
})

/** The list of these blocks as another implementation sends them, and the length of the message. */
function received(blocks: readonly RawFile[]): { readonly list: BlockList; readonly messageBytes: number } {
  const bytes = reference.encode(reference.fromObject({ blocks })).finish()
  const list = decode(FILE_INFO, bytes, 0).blocks
  assert.ok(list !== undefined)
  return { list, messageBytes: bytes.length }
}

function readBlocks(...blocks: readonly RawFile[]) {
  const { count, hashes, hashSizeBytes, blockSizeBytes, sizeBytes, fault } = received(blocks).list
  return { count, hashes: hashes.join(), hashSizeBytes, blockSizeBytes, sizeBytes, fault }
}

describe('a list of blocks', () => {
  it('has the sizes of the blocks and their hashes, one after the other', () => {
    const [one, two, three] = [block(4, 0, bytesOf(1)), block(4, 4, bytesOf(2)), block(3, 8, bytesOf(3))]
    const plain = { hashSizeBytes: 32, fault: undefined }
    assert.deepEqual(readBlocks(block(0, 0, bytesOf(9))), {
      ...plain,
      count: 1,
      hashes: hash(9),
      blockSizeBytes: 0,
      sizeBytes: 0,
    })
    assert.deepEqual(
      readBlocks({ hash: bytesOf(9) }),
      readBlocks(block(0, 0, bytesOf(9))),
      'a size of 0 need not be given',
    )
    assert.deepEqual(readBlocks(one), { ...plain, count: 1, hashes: hash(1), blockSizeBytes: 4, sizeBytes: 4 })
    assert.deepEqual(readBlocks(one, two, three), {
      ...plain,
      count: 3,
      hashes: [hash(1), hash(2), hash(3)].join(),
      blockSizeBytes: 4,
      sizeBytes: 11,
    })
  })

  it('of an encrypted file has tokens', () => {
    const tokens = [block(4, 0, bytesOf(1, 48)), block(4, 4, bytesOf(2, 48)), block(1, 8, bytesOf(3, 48))]
    assert.deepEqual(readBlocks(...tokens), {
      count: 3,
      hashes: [hash(1, 48), hash(2, 48), hash(3, 48)].join(),
      hashSizeBytes: 48,
      blockSizeBytes: 4,
      sizeBytes: 9,
      fault: undefined,
    })
  })

  it('is read without the fields of a block that are not known', () => {
    const known = block(4, 0, bytesOf(1))
    assert.deepEqual(readBlocks({ ...known, weak_hash: 77 }), readBlocks(known))
  })

  it('is undefined without blocks', () => assert.equal(decode(FILE_INFO, new Uint8Array(0), 0).blocks, undefined))

  it('takes no more memory than a hash for every 37 bytes of its message', () => {
    for (const [hashSizeBytes, count] of [
      [32, 1_000],
      [48, 500],
    ] as const) {
      const blocks = Array.from({ length: count }, (_, i) => block(4, 4 * i, bytesOf(i % 250, hashSizeBytes)))
      const { list, messageBytes } = received(blocks)
      const leftBytes = messageBytes - 2 // without the tag of the first block
      assert.equal(list.hashes.length, count * hashSizeBytes)
      assert.equal(list.hashes.buffer.byteLength, Math.ceil(leftBytes / 37) * hashSizeBytes)
    }
  })
})

const NOT_CONTIGUOUS = 'blocks that are not contiguous'
const NO_SIZE = 'block without a size'
const DIFFERENT = 'blocks of different sizes'
const NO_HASH = 'block hash of the wrong length'
const [FIRST, SECOND] = [block(4), block(4, 4)]

const FAULTS: readonly (readonly [what: string, blocks: readonly RawFile[], fault: string | undefined])[] = [
  ['no fault', [FIRST, SECOND, block(4, 8)], undefined],
  ['an offset of the first block', [block(4, 1)], NOT_CONTIGUOUS],
  ['a gap', [FIRST, block(4, 5)], NOT_CONTIGUOUS],
  ['an overlap', [FIRST, block(4, 3)], NOT_CONTIGUOUS],
  ['a negative size', [block(-1)], NO_SIZE],
  ['a negative second size', [FIRST, block(-1, 4)], NO_SIZE],
  ['an empty second block', [FIRST, block(0, 4)], NO_SIZE],
  ['a second block that is longer', [FIRST, block(5, 4)], DIFFERENT],
  ['a shorter last block', [FIRST, block(3, 4)], undefined],
  ['a shorter block in the middle', [FIRST, block(3, 4), block(3, 7)], DIFFERENT],
  ['a block after an empty first one', [block(0), block(4)], DIFFERENT],
  ['no hash', [{ size: 4 }], NO_HASH],
  ['an empty hash', [block(4, 0, bytesOf(1, 0))], NO_HASH],
  ['a hash that is too short', [block(4, 0, bytesOf(1, 31))], NO_HASH],
  ['a hash that is too long', [block(4, 0, bytesOf(1, 33))], NO_HASH],
  ['no second hash', [FIRST, { size: 4, offset: 4 }], NO_HASH],
  ['a token after a hash', [FIRST, block(4, 4, bytesOf(1, 48))], NO_HASH],
  ['a hash after a token', [block(4, 0, bytesOf(1, 48)), SECOND], NO_HASH],
  ['several faults, of which the first counts', [block(4, 1), { size: 4 }], NOT_CONTIGUOUS],
]

for (const [what, blocks, fault] of FAULTS) {
  test(`a list of blocks with ${what}: ${fault ?? 'usable'}`, () => {
    const { list } = received(blocks)
    assert.equal(list.fault, fault)
    assert.equal(list.count, blocks.length, 'blocks after a fault are counted')
    assert.equal(list.hashes.length, fault === undefined ? 32 * blocks.length : 0)
  })
}

test('the field is written under its number, and not at all without blocks', () => {
  const schema = { ...FILE_INFO, slots: [{ name: 'blocks', field: blockList(3) as never }] }
  const written = (blocks: BlockList | undefined) => Buffer.from(encode(schema, { blocks })).toString('hex')
  assert.equal(written(listOf(1, 0, 32)), `1a221a20${'01'.repeat(32)}`)
  assert.equal(written(undefined), '')
})

test('a list of hashes and tokens is of no use in a record', () => {
  const [short, long] = [bytesOf(0), bytesOf(0, 48)]
  for (const hashes of [
    [short, long],
    [long, short],
    [long, long],
  ]) {
    const blocks = hashes.map((value, i) => block(i === 0 ? KIB_128 : 7, i * KIB_128, value))
    const record = read({ ...GOOD, size: KIB_128 + 7, blocks })
    assert.deepEqual([record?.localFlags, record?.blockHashes], [FLAG_REMOTE_INVALID, undefined])
  }
})
