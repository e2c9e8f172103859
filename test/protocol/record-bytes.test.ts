import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FileInfo } from '../../src/core/records/file-info.ts'
import { decodeRecord, encodeRecord } from '../../src/protocol/record-bytes.ts'
import { deletion, file } from '../db/records.ts'
import { referenceType } from './reference-schema.ts'

/** The names of the fields that are sent: another implementation takes those that are not for 0 or empty. */
function sentFields(record: FileInfo): readonly string[] {
  const reference = referenceType('FileInfo')
  return Object.keys(reference.toObject(reference.decode(encodeRecord(record)))).sort()
}

const ALWAYS = ['modified_by', 'modified_ns', 'modified_s', 'name', 'permissions', 'version']
const NO_BLOCKS = { blockHashes: undefined, blocksHash: undefined }
const HASH = new Uint8Array(32).fill(1)

const RECORDS: readonly (readonly [what: string, record: FileInfo, more: readonly string[]])[] = [
  ['a file', file('a'), ['block_size', 'blocks', 'blocks_hash', 'size']],
  ['a file without blocks yet', file('a', NO_BLOCKS), ['block_size', 'invalid', 'size']],
  ['a file with a sequence', file('a', { sequence: 9 }), ['block_size', 'blocks', 'blocks_hash', 'sequence', 'size']],
  ['a directory', file('a', { type: 'directory', ...NO_BLOCKS }), ['type']],
  ['a symlink', file('a', { type: 'symlink', symlinkTarget: 'x', ...NO_BLOCKS }), ['symlink_target', 'type']],
  [
    'a deleted symlink',
    file('a', { type: 'symlink', symlinkTarget: 'x', deleted: true, ...NO_BLOCKS }),
    ['deleted', 'type'],
  ],
  ['a deleted directory', file('a', { type: 'directory', deleted: true, ...NO_BLOCKS }), ['deleted', 'type']],
  [
    'a file that keeps the hash of its predecessor',
    file('a', { previousBlocksHash: HASH }),
    ['block_size', 'blocks', 'blocks_hash', 'previous_blocks_hash', 'size'],
  ],
]

for (const [what, record, more] of RECORDS) {
  test(`${what} is sent with these fields only: ${more.join(', ')}`, () =>
    assert.deepEqual(sentFields(record), [...ALWAYS, ...more].sort()))
}

test('a deleted file is sent without size and blocks', () => {
  const sent = sentFields(deletion('a'))
  for (const field of ['size', 'blocks', 'blocks_hash']) assert.ok(!sent.includes(field), field)
})

test('a record is read as it was written, and bytes that are none are not', () => {
  const record = file('a', { sequence: 9, previousBlocksHash: HASH })
  const again = decodeRecord(encodeRecord(record))
  assert.deepEqual([again?.name, again?.sizeBytes, again?.sequence], ['a', 1_000, 9])
  assert.deepEqual([...(again?.previousBlocksHash ?? [])], [...HASH])
  const encoded = encodeRecord(record)
  for (const bytes of [encoded.subarray(0, -1), Buffer.from('ff', 'hex'), encodeRecord({ ...record, name: '../a' })])
    assert.equal(decodeRecord(bytes), undefined)
})
