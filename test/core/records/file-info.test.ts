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
  withDiskState,
  withoutDiskState,
  type FileHead,
} from '../../../src/core/records/file-info.ts'

const head = (changes: Partial<FileHead> = {}) =>
  ({ name: 'x', type: 'file', deleted: false, modifiedS: 100, modifiedNs: 7, ...changes }) as FileHead
const onDisk = { modifiedS: 100, modifiedNs: 0 }

test('flags are those of indexes and REST', () => {
  const flags = [FLAG_UNSUPPORTED, FLAG_IGNORED, FLAG_MUST_RESCAN, FLAG_RECEIVE_ONLY, FLAG_REMOTE_INVALID]
  assert.deepEqual(flags, [1, 2, 4, 8, 64])
})

test('isInvalid: with any flag that means so, and no other', () => {
  const flags = [FLAG_UNSUPPORTED, FLAG_IGNORED, FLAG_MUST_RESCAN, FLAG_RECEIVE_ONLY, FLAG_REMOTE_INVALID]
  for (const localFlags of flags) assert.ok(isInvalid({ localFlags }), String(localFlags))
  for (const localFlags of [0, 16, 32, 128]) assert.ok(!isInvalid({ localFlags }), String(localFlags))
})

test('withDiskState: kept beside the time of the record where they differ', () => {
  assert.deepEqual(withDiskState(head(), onDisk), { ...head(), diskTime: onDisk })
  assert.deepEqual(withDiskState(head(), { modifiedS: 99, modifiedNs: 7 }).diskTime, { modifiedS: 99, modifiedNs: 7 })
  assert.deepEqual(diskTimeOf(withDiskState(head(), onDisk)), onDisk)
})

test('withDiskState: the stamp of the file is kept beside any time, if it is known', () => {
  assert.deepEqual(withDiskState(head(), { ...onDisk, diskStamp: 5 }), { ...head(), diskTime: onDisk, diskStamp: 5 })
  const same = withDiskState(head(), { modifiedS: 100, modifiedNs: 7, diskStamp: 5 })
  assert.deepEqual(same, { ...head(), diskStamp: 5 })
  assert.equal(withDiskState(same, onDisk).diskStamp, undefined, 'an earlier stamp is not kept')
  assert.deepEqual(withDiskState(head({ deleted: true }), { ...onDisk, diskStamp: 5 }), head({ deleted: true }))
})

test('withDiskState: none for the same time, for deletions, and for items that are no files', () => {
  for (const record of [
    head({ modifiedNs: 0 }),
    head({ deleted: true }),
    head({ type: 'directory' }),
    head({ type: 'symlink' }),
  ]) {
    assert.equal(withDiskState(record, onDisk).diskTime, undefined)
    assert.equal(withDiskState({ ...record, diskTime: { modifiedS: 1, modifiedNs: 1 } }, onDisk).diskTime, undefined)
  }
})

test('withoutDiskState: the time of the record is that of the disk', () => {
  const plain = withoutDiskState(head({ diskTime: onDisk }))
  assert.equal(plain.diskTime, undefined)
  const { modifiedS, modifiedNs } = diskTimeOf(plain)
  assert.deepEqual([modifiedS, modifiedNs], [100, 7])
  assert.equal(withoutDiskState(head({ diskStamp: 5 })).diskStamp, undefined)
  const without = head()
  assert.equal(withoutDiskState(without), without)
})
