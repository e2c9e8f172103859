import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Accounts } from '../../../src/core/attributes/accounts.ts'
import {
  confirmedRecord,
  deletionOf,
  ignoredOf,
  isChanged,
  recordOf,
  type AttributeRules,
  type CompareOptions,
  type DiskItem,
} from '../../../src/core/records/change.ts'
import {
  FLAG_IGNORED,
  FLAG_MUST_RESCAN,
  FLAG_RECEIVE_ONLY,
  FLAG_UNSUPPORTED,
  type FileInfo,
} from '../../../src/core/records/file-info.ts'
import type { ShortId } from '../../../src/core/ids.ts'
import { unixOwnerOf } from '../../../src/core/attributes/platform-data.ts'
import { compareVersions } from '../../../src/core/records/version-vector.ts'

const own = 7n as ShortId
const other = 9n as ShortId
const item: DiskItem = {
  name: 'x',
  type: 'file',
  sizeBytes: 5,
  modifiedS: 100,
  modifiedNs: 500,
  mode: 0o100644 & 0o7777,
  symlinkTarget: '',
}
const content = { blockSizeBytes: 131_072, blockHashes: new Uint8Array(32), blocksHash: new Uint8Array(32) }
const options = { ownShortId: own, nowS: 1_000, ignorePerms: false, localFlags: 0 }
const record = recordOf(item, undefined, content, options)

const differing = (differ: boolean): AttributeRules => ({
  differ: () => differ,
  platformWith: (platform) => platform ?? new Uint8Array(0),
})

const CASES: readonly [
  name: string,
  record: Partial<FileInfo>,
  item: Partial<DiskItem>,
  compare: Partial<CompareOptions>,
  changed: boolean,
][] = [
  ['nothing differs', {}, {}, {}, false],
  ['size', {}, { sizeBytes: 6 }, {}, true],
  ['one nanosecond', {}, { modifiedNs: 501 }, {}, true],
  ['one second in a window of two', {}, { modifiedS: 101 }, { modTimeWindowMs: 2_000 }, false],
  ['two seconds in a window of two', {}, { modifiedS: 102 }, { modTimeWindowMs: 2_000 }, true],
  [
    'just under two seconds in a window of two',
    {},
    { modifiedS: 102, modifiedNs: 499 },
    { modTimeWindowMs: 2_000 },
    false,
  ],
  ['a year in a window of two seconds', {}, { modifiedS: 31_536_100 }, { modTimeWindowMs: 2_000 }, true],
  ['the beginning of time in a window of two seconds', {}, { modifiedS: 0 }, { modTimeWindowMs: 2_000 }, true],
  ['attributes that were not read', {}, {}, { attributes: differing(true) }, false],
  ['other attributes', {}, { attributes: [] }, { attributes: differing(true) }, true],
  ['the same attributes', {}, { attributes: [] }, { attributes: differing(false) }, false],
  ['attributes in a folder that does not compare them', {}, { attributes: [] }, {}, false],
  [
    'a time that the disk could not store',
    { modifiedS: 101, diskTime: { modifiedS: 100, modifiedNs: 500 } },
    {},
    {},
    false,
  ],
  [
    'another time than the disk had stored',
    { modifiedS: 101, diskTime: { modifiedS: 100, modifiedNs: 500 } },
    { modifiedS: 102 },
    {},
    true,
  ],
  [
    'the time that the disk could not store, set by the user',
    { modifiedS: 101, diskTime: { modifiedS: 100, modifiedNs: 500 } },
    { modifiedS: 101 },
    {},
    true,
  ],
  ['permissions', {}, { mode: 0o600 }, {}, true],
  ['ignored permissions', {}, { mode: 0o600 }, { ignorePerms: true }, false],
  ['permissions the record does not have', { noPermissions: true }, { mode: 0o600 }, {}, false],
  ['the sticky bit', {}, { mode: 0o1644 }, {}, false],
  ['type', {}, { type: 'directory' }, {}, true],
  ['was deleted', { deleted: true }, {}, {}, true],
  ['was ignored', { localFlags: FLAG_IGNORED }, {}, {}, true],
  ['must be rescanned', { localFlags: FLAG_MUST_RESCAN }, {}, {}, true],
  [
    'receive-only mark of a receive-only folder',
    { localFlags: FLAG_RECEIVE_ONLY },
    {},
    { ownFlags: FLAG_RECEIVE_ONLY },
    false,
  ],
  ['receive-only mark of a folder that was receive-only', { localFlags: FLAG_RECEIVE_ONLY }, {}, {}, true],
  ['time of a directory', { type: 'directory' }, { type: 'directory', modifiedS: 999, sizeBytes: 4_096 }, {}, false],
  ['target of a symlink', { type: 'symlink', symlinkTarget: 'a' }, { type: 'symlink', symlinkTarget: 'b' }, {}, true],
  [
    'time and mode of a symlink',
    { type: 'symlink', symlinkTarget: 'a' },
    { type: 'symlink', symlinkTarget: 'a', modifiedS: 1, mode: 0o777 },
    {},
    false,
  ],
]
for (const [name, recordPart, itemPart, compare, changed] of CASES) {
  test(`isChanged: ${name}: ${changed}`, () => {
    assert.equal(
      isChanged(
        { ...record, ...recordPart },
        { ...item, ...itemPart },
        { ignorePerms: false, modTimeWindowMs: 0, ownFlags: 0, ...compare },
      ),
      changed,
    )
  })
}

test('recordOf: a change is newer than the previous record', () => {
  assert.equal(compareVersions(recordOf(item, record, content, options).version, record.version), 'newer')
})

test('recordOf: the sequence is left to the index', () => {
  assert.equal(record.sequence, 0)
})

test('recordOf: foreign counters are dropped when the record was not announced, and only then', () => {
  const old = {
    ...record,
    version: [
      { device: own, value: 3n },
      { device: other, value: 4n },
    ],
  }
  assert.equal(recordOf(item, old, content, options).version.length, 2)
  for (const localFlags of [FLAG_IGNORED, FLAG_UNSUPPORTED, FLAG_RECEIVE_ONLY]) {
    assert.deepEqual(
      recordOf(item, { ...old, localFlags }, content, options).version.map(({ device }) => device),
      [own],
    )
  }
  const still = { ...options, localFlags: FLAG_RECEIVE_ONLY }
  assert.equal(recordOf(item, { ...old, localFlags: FLAG_RECEIVE_ONLY }, content, still).version.length, 2)
})

test('recordOf: an untouched time is kept as recorded; deleted and ignored files have no disk time', () => {
  const old = { ...record, modifiedS: 101, modifiedNs: 7, diskTime: { modifiedS: 100, modifiedNs: 500 } }
  const moded = recordOf({ ...item, mode: 0o600 }, old, content, options)
  assert.deepEqual([moded.modifiedS, moded.modifiedNs, moded.diskTime], [101, 7, old.diskTime])
  const edited = recordOf({ ...item, modifiedS: 102 }, old, content, options)
  assert.deepEqual([edited.modifiedS, edited.modifiedNs, edited.diskTime], [102, 500, undefined])
  const directory = recordOf({ ...item, type: 'directory' }, old, undefined, options)
  assert.deepEqual([directory.modifiedS, directory.diskTime], [100, undefined])
  for (const none of [deletionOf(old, options), ignoredOf(old, options)]) assert.equal(none.diskTime, undefined)
})

test('confirmedRecord: an unchanged file to be rescanned keeps its version; any other is not confirmed', () => {
  const compare = { ignorePerms: false, modTimeWindowMs: 0, ownFlags: 0 }
  const doubted = { ...record, version: [{ device: other, value: 4n }], sequence: 8, localFlags: FLAG_MUST_RESCAN }
  assert.deepEqual(confirmedRecord(doubted, item, content, compare), { ...doubted, sequence: 0, localFlags: 0 })
  assert.equal(confirmedRecord(doubted, { ...item, mode: 0o600 }, content, compare), undefined)
  assert.equal(
    confirmedRecord(doubted, item, { ...content, blocksHash: new Uint8Array(32).fill(1) }, compare),
    undefined,
  )
  assert.equal(confirmedRecord({ ...doubted, blockSizeBytes: 262_144 }, item, content, compare), undefined)
  assert.equal(confirmedRecord({ ...doubted, deleted: true }, item, content, compare), undefined)
  assert.equal(
    confirmedRecord({ ...doubted, localFlags: FLAG_MUST_RESCAN | FLAG_IGNORED }, item, content, compare),
    undefined,
  )
  for (const old of [undefined, record]) assert.equal(confirmedRecord(old, item, content, compare), undefined)
})

test('recordOf: a symlink has no permissions, no time, no blocks', () => {
  const link = recordOf({ ...item, type: 'symlink', symlinkTarget: 't' }, undefined, undefined, options)
  assert.deepEqual(
    [link.permissions, link.noPermissions, link.modifiedS, link.modifiedNs, link.blockHashes, link.sizeBytes],
    [0, true, 0, 0, undefined, 0],
  )
})

test('a lost counter is not reused, and does not affect the time', () => {
  const made = recordOf(item, undefined, content, { ...options, minCounter: 2_000 })
  const gone = deletionOf(record, { ...options, minCounter: 2_000 })
  for (const { version } of [made, gone]) assert.deepEqual(version, [{ device: own, value: 2_000n }])
  assert.equal(gone.modifiedS, options.nowS)
  assert.deepEqual(recordOf(item, undefined, content, { ...options, minCounter: 500 }).version, record.version)
})

test('deletionOf: current seconds, unchanged nanoseconds and permissions', () => {
  const gone = deletionOf(record, options)
  assert.deepEqual(
    [gone.deleted, gone.modifiedS, gone.modifiedNs, gone.permissions, gone.sizeBytes, gone.blocksHash],
    [true, 1_000, 500, 0o644, 0, undefined],
  )
  assert.equal(compareVersions(gone.version, record.version), 'newer')
  assert.deepEqual(deletionOf({ ...record, localFlags: FLAG_IGNORED }, options).version, [])
})

test('ignoredOf: the version is kept, the content is dropped', () => {
  const ignored = ignoredOf(record, options)
  assert.deepEqual(ignored.version, record.version)
  assert.deepEqual(
    [ignored.localFlags, ignored.sizeBytes, ignored.blockHashes, ignored.deleted],
    [FLAG_IGNORED, 0, undefined, false],
  )
})

test('a new version has the previous blocks hash, and keeps the platform data of other systems', () => {
  const old = {
    ...record,
    blocksHash: new Uint8Array([7]),
    platform: new Uint8Array([18, 0]),
    encrypted: new Uint8Array([1]),
  }
  for (const made of [recordOf(item, old, content, options), deletionOf(old, options)]) {
    assert.deepEqual(
      [made.previousBlocksHash, made.platform, made.encrypted],
      [old.blocksHash, old.platform, undefined],
    )
  }
  const apart = { ...old, localFlags: FLAG_RECEIVE_ONLY }
  for (const made of [recordOf(item, apart, content, options), deletionOf(apart, options)])
    assert.equal(made.previousBlocksHash, undefined)
  assert.equal('previousBlocksHash' in recordOf(item, undefined, content, options), false)
})

test('owners are compared if enabled: ours always, those of other devices where owners are synced', () => {
  const accounts = new Accounts('ann:x:1000:50::/:\nbob:x:1001:50::/:\n', 'staff:x:50:\n')
  const mine = { ...item, owner: { userId: 1000, groupId: 50 } }
  const ownership = { accounts, ownShortId: own, synced: false }
  const compare = { ownFlags: 0, ignorePerms: false, modTimeWindowMs: 0 }
  const made = recordOf(mine, record, content, { ...options, ownership })
  assert.deepEqual(unixOwnerOf(made.platform), accounts.ownerOf(1000, 50))
  const given = { ...mine, owner: { userId: 1001, groupId: 50 } }
  assert.equal(isChanged(made, mine, { ...compare, ownership }), false)
  assert.equal(isChanged(made, given, { ...compare, ownership }), true)
  assert.equal(isChanged(made, given, compare), false, 'not enabled')
  assert.equal(isChanged({ ...made, platform: undefined }, mine, { ...compare, ownership }), true, 'not announced yet')
  const theirs = { ...made, modifiedBy: other }
  assert.equal(isChanged(theirs, given, { ...compare, ownership }), false)
  assert.equal(isChanged(theirs, given, { ...compare, ownership: { ...ownership, synced: true } }), true)
  assert.equal(
    isChanged({ ...theirs, platform: undefined }, given, { ...compare, ownership: { ...ownership, synced: true } }),
    false,
  )
  assert.equal(recordOf(mine, record, content, options).platform, undefined)
})
