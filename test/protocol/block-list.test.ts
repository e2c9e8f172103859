import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encode } from '../../src/core/wire/schema.ts'
import type { BlockList } from '../../src/protocol/block-list.ts'
import { FILE_INFO } from '../../src/protocol/messages.ts'
import { FLAG_REMOTE_INVALID } from '../../src/core/records/file-info.ts'
import { block, GOOD, KIB_128, read } from './raw-file.ts'
import { referenceType } from './reference-schema.ts'

function listOf(count: number, sizeBytes: number, hashSizeBytes: number): BlockList {
  const hashes = new Uint8Array(count * hashSizeBytes).map((_, at) => Math.floor(at / hashSizeBytes) + 1)
  return { count, hashes, hashSizeBytes, blockSizeBytes: KIB_128, sizeBytes, fault: undefined }
}

/** The blocks of a record as another implementation reads them. */
function sent(list: BlockList): readonly object[] {
  const reference = referenceType('FileInfo')
  const raw = reference.toObject(reference.decode(encode(FILE_INFO, { blocks: list })), { longs: Number })
  return (raw['blocks'] as readonly { readonly hash: Uint8Array }[]).map((one) => ({ ...one, hash: one.hash.join() }))
}

const hash = (value: number, sizeBytes = 32) => new Uint8Array(sizeBytes).fill(value).join()

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

test('the hashes of a record are those of its blocks, one after the other', () => {
  const blocks = [1, 2, 3].map((value, i) => block(i < 2 ? KIB_128 : 7, i * KIB_128, new Uint8Array(32).fill(value)))
  const record = read({ ...GOOD, size: 2 * KIB_128 + 7, blocks })
  assert.equal(record?.localFlags, 0)
  assert.equal(record.blockHashes?.join(), [hash(1), hash(2), hash(3)].join())
})

test('a list of hashes and tokens is of no use', () => {
  const [short, long] = [new Uint8Array(32), new Uint8Array(48)]
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
