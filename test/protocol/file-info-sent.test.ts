import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { ShortId } from '../../src/core/ids.ts'
import { blocksHashOf } from '../../src/core/records/blocks.ts'
import {
  FLAG_IGNORED,
  FLAG_MUST_RESCAN,
  FLAG_RECEIVE_ONLY,
  FLAG_REMOTE_INVALID,
  FLAG_UNSUPPORTED,
  type FileInfo,
} from '../../src/core/records/file-info.ts'
import { COUNTER_MAX } from '../../src/core/records/version-vector.ts'
import { writeIndex } from '../../src/protocol/index-data.ts'
import { readIndex } from './read-index.ts'
import { effort } from '../support/effort.ts'
import { referenceType } from './reference-schema.ts'
import { GOOD, KIB_128, read } from './raw-file.ts'

const hashes = (count: number) => fc.uint8Array({ minLength: 32 * count, maxLength: 32 * count })
const name = fc
  .array(
    fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
      .map((part) => part.replace(/[/\0]/g, '_').normalize('NFC')),
    { minLength: 1, maxLength: 3 },
  )
  .map((parts) => parts.join('/'))
  .filter(
    (value) =>
      !value.split('/').some((part) => part === '' || part === '.' || part === '..') &&
      value.isWellFormed() &&
      value.normalize('NFC') === value,
  )

const record: fc.Arbitrary<FileInfo> = fc
  .record({
    name,
    type: fc.constantFrom('file' as const, 'directory' as const, 'symlink' as const),
    deleted: fc.boolean(),
    count: fc.integer({ min: 1, max: 5 }),
    lastBytes: fc.integer({ min: 1, max: KIB_128 }),
    modifiedS: fc.maxSafeInteger(),
    modifiedNs: fc.integer({ min: 0, max: 999_999_999 }),
    permissions: fc.integer({ min: 0, max: 0o777 }),
    noPermissions: fc.boolean(),
    version: fc.uniqueArray(fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }), { maxLength: 4 }),
    value: fc.bigInt({ min: 1n, max: (1n << 64n) - 1n }),
    counter: fc.bigInt({ min: 1n, max: COUNTER_MAX }),
    sequence: fc.nat(),
    target: fc.string({ minLength: 1, maxLength: 10 }).filter((text) => !text.includes('\0')),
  })
  .chain((parts) =>
    hashes(parts.count).map((blockHashes): FileInfo => {
      const live = parts.type === 'file' && !parts.deleted
      const version = parts.version
        .toSorted((a, b) => (a < b ? -1 : 1))
        .map((device) => ({ device: device as ShortId, value: parts.counter }))
      return {
        name: parts.name,
        type: parts.type,
        deleted: parts.deleted,
        modifiedS: parts.modifiedS,
        modifiedNs: parts.modifiedNs,
        permissions: parts.permissions,
        noPermissions: parts.noPermissions,
        version,
        modifiedBy: parts.value as ShortId,
        sequence: parts.sequence,
        localFlags: 0,
        sizeBytes: live ? (parts.count - 1) * KIB_128 + parts.lastBytes : 0,
        blockSizeBytes: live ? KIB_128 : 0,
        blockHashes: live ? blockHashes : undefined,
        blocksHash: live ? new Uint8Array(blocksHashOf(blockHashes)) : undefined,
        symlinkTarget: parts.type === 'symlink' && !parts.deleted ? parts.target : '',
      }
    }),
  )

/** Bytes as plain arrays, so that a Buffer equals a Uint8Array of the same bytes. */
function comparable(file: FileInfo): object {
  return {
    ...file,
    blockHashes: file.blockHashes && [...file.blockHashes],
    blocksHash: file.blocksHash && [...file.blocksHash],
  }
}

test('encoded local records are decoded equally by us and by protobufjs', () => {
  const reference = referenceType('Index')
  fc.assert(
    fc.property(fc.array(record, { maxLength: 5 }), (files) => {
      const body = writeIndex({ folder: 'f', files, lastSequence: 7, prevSequence: 3 })
      const [data, ...more] = readIndex(body, 'index update')
      assert.equal(more.length, 0)
      assert.deepEqual(data?.files.map(comparable), files.map(comparable))
      assert.deepEqual([data?.folder, data?.lastSequence, data?.prevSequence], ['f', 7, 3])
      const theirs = reference.toObject(reference.decode(body), { longs: String, defaults: true, arrays: true })
      assert.deepEqual(
        theirs['files'].map((file: { name: string }) => file.name),
        files.map((file) => file.name),
      )
      for (const [i, file] of files.entries()) {
        const sizes: number[] = theirs['files'][i].blocks.map((each: { size: number }) => each.size)
        assert.equal(
          sizes.reduce((a, b) => a + b, 0),
          file.sizeBytes,
        )
        assert.equal(Number(theirs['files'][i].size), file.sizeBytes)
        assert.deepEqual(
          theirs['files'][i].version?.counters.map((counter: { id: string }) => counter.id) ?? [],
          file.version.map(({ device }) => device.toString()),
        )
      }
    }),
    { numRuns: effort(300) },
  )
})

test('an empty file has one empty block', () => {
  const empty = { ...read(GOOD)!, sizeBytes: 0 }
  const again = [
    ...readIndex(writeIndex({ folder: 'v', files: [empty], lastSequence: 1, prevSequence: 0 }), 'index'),
  ][0]?.files[0]
  assert.deepEqual(comparable(again!), comparable(empty))
})

test('local flags are not sent: peers receive "invalid"', () => {
  const sent = (localFlags: number) => {
    const file = { ...read(GOOD)!, localFlags }
    return [...readIndex(writeIndex({ folder: 'v', files: [file], lastSequence: 1, prevSequence: 0 }), 'index')][0]!
      .files[0]!
  }
  for (const flag of [FLAG_UNSUPPORTED, FLAG_IGNORED, FLAG_MUST_RESCAN, FLAG_REMOTE_INVALID]) {
    assert.equal(sent(flag).localFlags, FLAG_REMOTE_INVALID)
    assert.deepEqual(sent(flag).version, [{ device: 5n, value: 3n }])
  }
  assert.equal(sent(FLAG_RECEIVE_ONLY).localFlags, FLAG_REMOTE_INVALID)
  assert.deepEqual(sent(FLAG_RECEIVE_ONLY).version, [], 'a change in a receive-only folder has no version for peers')
  const unhashed = { ...read(GOOD)!, blockHashes: undefined, blocksHash: undefined }
  const [data] = readIndex(writeIndex({ folder: 'v', files: [unhashed], lastSequence: 1, prevSequence: 0 }), 'index')
  assert.equal(data?.files[0]?.localFlags, FLAG_REMOTE_INVALID)
})
