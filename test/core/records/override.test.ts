import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ShortId } from '../../../src/core/ids.ts'
import {
  FLAG_IGNORED,
  FLAG_RECEIVE_ONLY,
  FLAG_REMOTE_INVALID,
  type FileInfo,
} from '../../../src/core/records/file-info.ts'
import { overridingRecord, planReversal, revertedRecord } from '../../../src/core/records/override.ts'
import type { VersionVector } from '../../../src/core/records/version-vector.ts'

const OWN = 5n as ShortId
const OTHER = 9n as ShortId
const options = { ownShortId: OWN, nowS: 1_000 }

function vector(own: bigint, other: bigint): VersionVector {
  return [
    { device: OWN, value: own },
    { device: OTHER, value: other },
  ].filter(({ value }) => value > 0n)
}

function record(version: VersionVector, changes: Partial<FileInfo> = {}): FileInfo {
  return {
    name: 'x',
    type: 'file',
    deleted: false,
    sizeBytes: 3,
    modifiedS: 50,
    modifiedNs: 7,
    permissions: 0o644,
    noPermissions: false,
    version,
    modifiedBy: OTHER,
    sequence: 4,
    localFlags: 0,
    blockSizeBytes: 131_072,
    blocksHash: Buffer.alloc(32, 1),
    blockHashes: Buffer.alloc(32, 2),
    symlinkTarget: '',
    ...changes,
  }
}

const NO_BLOCKS = { sizeBytes: 0, blockSizeBytes: 0, blocksHash: undefined, blockHashes: undefined }

test('override: our content under a version that succeeds both', () => {
  const local = record(vector(3n, 0n), { diskTime: { modifiedS: 50, modifiedNs: 0 } })
  const global = record(vector(2n, 8n), { blocksHash: Buffer.alloc(32, 3), sizeBytes: 99 })
  assert.deepEqual(overridingRecord(local, global, options), {
    ...local,
    version: vector(1_000n, 8n),
    modifiedBy: OWN,
    sequence: 0,
  })
})

test('override: the counter starts at one that was not lost, whatever the clock', () => {
  const overriding = overridingRecord(record(vector(3n, 0n)), record(vector(0n, 8n)), { ...options, minCounter: 2_000 })
  assert.deepEqual(overriding?.version, vector(2_000n, 8n))
})

test('override: an item that only others have is deleted', () => {
  const global = record(vector(0n, 8n), { diskTime: { modifiedS: 50, modifiedNs: 0 }, localFlags: FLAG_REMOTE_INVALID })
  assert.deepEqual(overridingRecord(undefined, global, options), {
    ...record(vector(1_000n, 8n)),
    ...NO_BLOCKS,
    diskTime: undefined,
    diskStamp: undefined,
    deleted: true,
    modifiedS: 1_000,
    modifiedBy: OWN,
    sequence: 0,
  })
  assert.equal(overridingRecord(undefined, { ...global, deleted: true }, options), undefined)
})

test('override: our deletion overrides an edit; a record that does not describe the disk overrides nothing', () => {
  const deletion = record(vector(3n, 0n), { ...NO_BLOCKS, deleted: true })
  const edit = record(vector(0n, 8n))
  assert.equal(overridingRecord(deletion, edit, options)?.deleted, true)
  for (const localFlags of [FLAG_IGNORED, FLAG_RECEIVE_ONLY])
    assert.equal(overridingRecord({ ...deletion, localFlags }, edit, options), undefined)
})

const changed = (changes: Partial<FileInfo> = {}) =>
  record(vector(3n, 0n), { localFlags: FLAG_RECEIVE_ONLY, ...changes })

test('revert: an item that no other device has is removed; its deletion has no version any more', () => {
  for (const global of [undefined, changed(), record(vector(0n, 8n), { localFlags: FLAG_REMOTE_INVALID })]) {
    assert.deepEqual(planReversal(changed(), global, { ignorePerms: false }), { kind: 'remove' })
    const deleted = changed({ deleted: true })
    assert.deepEqual(planReversal(deleted, global, { ignorePerms: false }), {
      kind: 'record',
      record: { ...deleted, localFlags: 0, sequence: 0, version: [] },
    })
  }
})

test('revert: a change that restored the global state adopts its record, with the time that our disk has', () => {
  const local = changed({ diskTime: { modifiedS: 48, modifiedNs: 0 } })
  const global = record(vector(0n, 8n), { sequence: 77 })
  assert.deepEqual(planReversal(local, global, { ignorePerms: false }), {
    kind: 'record',
    record: { ...global, diskTime: { modifiedS: 48, modifiedNs: 0 }, sequence: 0, localFlags: 0 },
  })
})

test('revert: any other change gets an empty version, so that the next pull restores the item', () => {
  const global = record(vector(0n, 8n), { sequence: 77 })
  const restored = (local: FileInfo) => ({
    kind: 'record',
    record: { ...local, localFlags: 0, sequence: 0, version: [] },
  })
  const edited = changed({ blocksHash: Buffer.alloc(32, 3) })
  assert.deepEqual(planReversal(edited, global, { ignorePerms: false }), restored(edited))
  const opened = changed({ permissions: 0o600 })
  assert.deepEqual(planReversal(opened, global, { ignorePerms: false }), restored(opened))
  assert.equal(planReversal(opened, global, { ignorePerms: true }).kind, 'record')
  assert.notDeepEqual(planReversal(opened, global, { ignorePerms: true }), restored(opened))
  const same = changed()
  assert.deepEqual(planReversal(same, global, { ignorePerms: false, mustPull: true }), restored(same))
})

test('revert: other flags of the record stay', () => {
  const local = changed({ localFlags: FLAG_RECEIVE_ONLY | FLAG_IGNORED, deleted: true })
  const reversal = planReversal(local, undefined, { ignorePerms: false })
  assert.ok(reversal.kind === 'record')
  assert.equal(reversal.record.localFlags, FLAG_IGNORED)
})

test('revert: the record of a removed item is a deletion without a version', () => {
  const local = changed({ diskTime: { modifiedS: 48, modifiedNs: 0 } })
  assert.deepEqual(revertedRecord(local, 1_000), {
    ...local,
    ...NO_BLOCKS,
    diskTime: undefined,
    diskStamp: undefined,
    deleted: true,
    modifiedS: 1_000,
    version: [],
    sequence: 0,
    localFlags: 0,
  })
})
