import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  diskTimeOf,
  FLAG_IGNORED,
  FLAG_MUST_RESCAN,
  FLAG_RECEIVE_ONLY,
  FLAG_REMOTE_INVALID,
  FLAG_UNSUPPORTED,
  isInvalid,
  ITEM_SIZE_BYTES,
  withDiskTime,
  withoutDiskTime,
  type FileHead,
} from '../../../src/core/records/file-info.ts'

const head = (changes: Partial<FileHead> = {}) =>
  ({ name: 'x', type: 'file', deleted: false, modifiedS: 100, modifiedNs: 7, ...changes }) as FileHead
const onDisk = { modifiedS: 100, modifiedNs: 0 }

test('flags and sizes are those of indexes and REST', () => {
  const flags = [FLAG_UNSUPPORTED, FLAG_IGNORED, FLAG_MUST_RESCAN, FLAG_RECEIVE_ONLY, FLAG_REMOTE_INVALID]
  assert.deepEqual(flags, [1, 2, 4, 8, 64])
  assert.equal(ITEM_SIZE_BYTES, 128)
})

test('isInvalid: with any flag that means so, and no other', () => {
  const flags = [FLAG_UNSUPPORTED, FLAG_IGNORED, FLAG_MUST_RESCAN, FLAG_RECEIVE_ONLY, FLAG_REMOTE_INVALID]
  for (const localFlags of flags) assert.ok(isInvalid({ localFlags }), String(localFlags))
  for (const localFlags of [0, 16, 32, 128]) assert.ok(!isInvalid({ localFlags }), String(localFlags))
})

test('withDiskTime: kept beside the time of the record where they differ', () => {
  assert.deepEqual(withDiskTime(head(), onDisk), { ...head(), diskTime: onDisk })
  assert.deepEqual(withDiskTime(head(), { modifiedS: 99, modifiedNs: 7 }).diskTime, { modifiedS: 99, modifiedNs: 7 })
  assert.deepEqual(diskTimeOf(withDiskTime(head(), onDisk)), onDisk)
})

test('withDiskTime: none for the same time, for deletions, and for items that are no files', () => {
  for (const record of [
    head({ modifiedNs: 0 }),
    head({ deleted: true }),
    head({ type: 'directory' }),
    head({ type: 'symlink' }),
  ]) {
    assert.equal(withDiskTime(record, onDisk).diskTime, undefined)
    assert.equal(withDiskTime({ ...record, diskTime: { modifiedS: 1, modifiedNs: 1 } }, onDisk).diskTime, undefined)
  }
})

test('withoutDiskTime: the time of the record is that of the disk', () => {
  const plain = withoutDiskTime(head({ diskTime: onDisk }))
  assert.equal(plain.diskTime, undefined)
  const { modifiedS, modifiedNs } = diskTimeOf(plain)
  assert.deepEqual([modifiedS, modifiedNs], [100, 7])
  const without = head()
  assert.equal(withoutDiskTime(without), without)
})
