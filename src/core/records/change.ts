import type { Accounts } from '../attributes/accounts.ts'
import type { AttributeList } from '../attributes/attributes.ts'
import {
  diskSizeOf,
  diskTimeOf,
  FLAG_IGNORED,
  FLAG_MUST_RESCAN,
  FLAG_RECEIVE_ONLY,
  FLAG_UNSUPPORTED,
  isInvalid,
  withoutDiskState,
  type FileHead,
  type FileInfo,
  type FileTime,
  type FileType,
} from './file-info.ts'
import { diskStampOf } from './disk-stamp.ts'
import type { ShortId } from '../ids.ts'
import { isSameOwner, unixOwnerOf, withUnixOwner } from '../attributes/platform-data.ts'
import { dropForeignCounters, editedVersion, type CountTime, type VersionVector } from './version-vector.ts'

/** An item on the disk. */
export interface DiskItem {
  readonly name: string
  readonly type: FileType
  readonly sizeBytes: number
  readonly modifiedS: number
  readonly modifiedNs: number
  readonly mode: number
  readonly symlinkTarget: string
  /** As in `Stamped`; undefined when they were not read. */
  readonly changeStamp?: number | undefined
  readonly inode?: number | bigint | undefined
  /** Undefined when it was not read. */
  readonly owner?: { readonly userId: number; readonly groupId: number }
  /** Those that the folder's filter permits; undefined when they were not read. */
  readonly attributes?: AttributeList
}

export interface CompareOptions {
  /** Flags of the folder's own changes: a record that has them is not changed again by every scan. */
  readonly ownFlags: number
  readonly ignorePerms: boolean
  /** Times closer than this are equal; 0 requires the same nanosecond. */
  readonly modTimeWindowMs: number
  readonly ownership?: OwnershipOptions | undefined
  readonly attributes?: AttributeRules | undefined
}

/** For folders that compare owners. */
export interface OwnershipOptions {
  readonly accounts: Accounts
  readonly ownShortId: ShortId
  /** The owners in records of other devices are set on items. */
  readonly synced: boolean
}

/** For folders that compare extended attributes. */
export interface AttributeRules {
  /** Whether these attributes differ from those of the record. */
  differ(record: FileHead, attributes: AttributeList): boolean
  /** Platform data that contains them. */
  platformWith(platform: Uint8Array | undefined, attributes: AttributeList): Uint8Array
}

export interface RecordOptions extends CountTime {
  readonly ignorePerms: boolean
  /** The disk stores no permission bits: a new version has those of the old one, and a new item has none. */
  readonly keepPermissions?: boolean | undefined
  /** Set on every local change: FLAG_RECEIVE_ONLY, or 0. */
  readonly localFlags: number
  /** The version of an item that has no record, made once for all that are found in the same second. */
  readonly newVersion?: VersionVector | undefined
  readonly ownership?: OwnershipOptions | undefined
  readonly attributes?: AttributeRules | undefined
}

const PERMISSION_BITS = 0o777
const NS_PER_MS = 1_000_000
const NOTHING = {}

/** Records with these flags were never announced as valid, so their version must not be continued. */
const FLAGS_NOT_ANNOUNCED = FLAG_IGNORED | FLAG_UNSUPPORTED | FLAG_RECEIVE_ONLY

/** Whether an item on the disk differs from its record. Content is never compared here. */
export function isChanged(record: FileHead, item: DiskItem, options: CompareOptions): boolean {
  if (record.deleted || record.type !== item.type) return true
  if (isInvalid({ localFlags: record.localFlags & ~options.ownFlags })) return true
  if (options.ownership !== undefined && ownersDiffer(record, item, options.ownership)) return true
  if (item.attributes !== undefined && options.attributes?.differ(record, item.attributes) === true) return true
  if (item.type === 'symlink') return record.symlinkTarget !== item.symlinkTarget
  if (permissionsDiffer(record, item, options)) return true
  if (item.type === 'directory') return false
  return diskSizeOf(record) !== item.sizeBytes || !sameTime(diskTimeOf(record), item, options.modTimeWindowMs)
}

function permissionsDiffer(record: FileHead, item: DiskItem, options: CompareOptions): boolean {
  if (options.ignorePerms || record.noPermissions) return false
  return ((record.permissions ^ item.mode) & PERMISSION_BITS) !== 0
}

/**
 * The owner in a record of another device is valid there and may differ here: it counts only where owners are synced.
 * Else two devices would send updates of the owner forever.
 */
function ownersDiffer(
  record: FileHead,
  { owner }: DiskItem,
  { accounts, ownShortId, synced }: OwnershipOptions,
): boolean {
  if (owner === undefined) return false
  const isOwn = record.modifiedBy === ownShortId
  const recorded = unixOwnerOf(record.platform)
  if (recorded === undefined) return isOwn
  return (isOwn || synced) && !isSameOwner(recorded, accounts.ownerOf(owner.userId, owner.groupId))
}

function sameTime(a: FileTime, b: FileTime, windowMs: number): boolean {
  if (a.modifiedS === b.modifiedS && a.modifiedNs === b.modifiedNs) return true
  if (windowMs <= 0) return false
  const apartNs = Math.abs((a.modifiedS - b.modifiedS) * 1_000 * NS_PER_MS + (a.modifiedNs - b.modifiedNs))
  return apartNs < windowMs * NS_PER_MS
}

/** The result of hashing a file. */
export interface Content {
  readonly blockSizeBytes: number
  readonly blockHashes: Uint8Array
  readonly blocksHash: Uint8Array
}

/** Whether a file with an unchanged record was hashed only because of its stamp, and has the recorded content. */
export function isConfirmed(
  old: FileHead | undefined,
  item: DiskItem,
  content: Content,
  options: CompareOptions,
): boolean {
  return old !== undefined && !isChanged(old, item, options) && hasContent(old, content)
}

function hasContent({ blockSizeBytes, blocksHash }: FileHead, content: Content): boolean {
  if (blockSizeBytes !== content.blockSizeBytes || blocksHash === undefined) return false
  return Buffer.compare(blocksHash, content.blocksHash) === 0
}

/**
 * The record of a file that had to be rescanned and is unchanged: the flag is cleared and the version kept. A new
 * version would be an edit that did not happen, and could win against a real one. Undefined when the file did change.
 */
export function confirmedRecord(
  old: FileHead | undefined,
  item: DiskItem,
  content: Content,
  options: CompareOptions,
): FileInfo | undefined {
  if (old === undefined || (old.localFlags & FLAG_MUST_RESCAN) === 0) return undefined
  const trusted = { ...old, localFlags: old.localFlags & ~FLAG_MUST_RESCAN }
  if (isChanged(trusted, item, options) || !hasContent(old, content)) return undefined
  const diskStamp = diskStampOf(item)
  return {
    ...trusted,
    sequence: 0,
    blockHashes: content.blockHashes,
    ...(diskStamp !== undefined && { diskStamp }),
  }
}

/** The new record of an item on disk, based on the old one if there is one. `content` is for files only. */
export function recordOf(
  item: DiskItem,
  old: FileHead | undefined,
  content: Content | undefined,
  options: RecordOptions,
): FileInfo {
  const diskStamp = item.type === 'file' ? diskStampOf(item) : undefined
  const { modifiedS, modifiedNs, diskTime } = timesOf(item, old)
  const { permissions, noPermissions } = permissionsOf(item, old, options)
  const { previousBlocksHash, platform: oldPlatform } = historyOf(old, options)
  const { platform = oldPlatform } = platformOnDisk(item, old, options)
  // Copied field by field: this is made for every file of a first scan, and spreads cost as much as all the rest.
  const record: FileInfo = {
    name: item.name,
    type: item.type,
    deleted: false,
    sizeBytes: item.type === 'file' ? item.sizeBytes : 0,
    modifiedS,
    modifiedNs,
    permissions,
    noPermissions,
    version: old === undefined ? newVersion(options) : editedVersion(versionToBuildOn(old, options), options),
    modifiedBy: options.ownShortId,
    sequence: 0,
    localFlags: options.localFlags,
    blockSizeBytes: content?.blockSizeBytes ?? 0,
    blocksHash: content?.blocksHash,
    symlinkTarget: item.symlinkTarget,
    blockHashes: content?.blockHashes,
    diskStamp,
  }
  if (diskTime === undefined && previousBlocksHash === undefined && platform === undefined) return record
  return {
    ...record,
    ...(diskTime !== undefined && { diskTime }),
    ...(previousBlocksHash !== undefined && { previousBlocksHash }),
    ...(platform !== undefined && { platform }),
  }
}

function newVersion(options: RecordOptions): VersionVector {
  return options.newVersion ?? editedVersion([], options)
}

function permissionsOf(
  { type, mode }: DiskItem,
  old: FileHead | undefined,
  { ignorePerms, keepPermissions }: RecordOptions,
): Pick<FileHead, 'permissions' | 'noPermissions'> {
  if (type === 'symlink') return { permissions: 0, noPermissions: true }
  if (keepPermissions !== true) return { permissions: mode & PERMISSION_BITS, noPermissions: ignorePerms }
  const isKnown = old !== undefined && !old.deleted && old.type === type
  if (isKnown) return { permissions: old.permissions, noPermissions: old.noPermissions }
  return { permissions: type === 'directory' ? 0o777 : 0o666, noPermissions: true }
}

type Times = Pick<FileHead, 'modifiedS' | 'modifiedNs' | 'diskTime'>

/** A file with an untouched time keeps its recorded time, also where the disk could not store it exactly. */
function timesOf({ type, modifiedS, modifiedNs }: DiskItem, old: FileHead | undefined): Times {
  if (type === 'symlink') return { modifiedS: 0, modifiedNs: 0 }
  const { diskTime } = old ?? {}
  const isUntouched = diskTime?.modifiedS === modifiedS && diskTime.modifiedNs === modifiedNs
  if (!isUntouched || type !== 'file' || old === undefined) return { modifiedS, modifiedNs }
  return { modifiedS: old.modifiedS, modifiedNs: old.modifiedNs, diskTime }
}

/** Owner and attributes from the disk, merged into the platform data of other systems. */
function platformOnDisk(
  item: DiskItem,
  old: FileHead | undefined,
  { ownership, attributes: rules }: RecordOptions,
): Pick<FileHead, 'platform'> {
  const { attributes } = item
  if (ownership === undefined && attributes === undefined) return NOTHING
  const platform = platformWithOwner(item, old, ownership)
  if (attributes === undefined || rules === undefined) return platform
  return { platform: rules.platformWith(platform.platform ?? old?.platform, attributes) }
}

function platformWithOwner(
  { owner }: DiskItem,
  old: FileHead | undefined,
  ownership: OwnershipOptions | undefined,
): Pick<FileHead, 'platform'> {
  if (owner === undefined || ownership === undefined) return {}
  return { platform: withUnixOwner(old?.platform, ownership.accounts.ownerOf(owner.userId, owner.groupId)) }
}

/** The fields that a new version takes from the one before: the previous blocks hash and the platform data. */
function historyOf(
  old: FileHead | undefined,
  options: RecordOptions,
): Pick<FileHead, 'previousBlocksHash' | 'platform'> {
  if (old === undefined) return NOTHING
  // No other device can have continued from a record that was not announced.
  const previousBlocksHash = wasNotAnnounced(old, options) ? undefined : old.blocksHash
  return {
    ...(previousBlocksHash === undefined ? {} : { previousBlocksHash }),
    ...(old.platform === undefined ? {} : { platform: old.platform }),
  }
}

function wasNotAnnounced(old: FileHead, options: RecordOptions): boolean {
  return (old.localFlags & FLAGS_NOT_ANNOUNCED & ~options.localFlags) !== 0
}

/**
 * Counters of other devices are dropped when the record was not announced: the result is concurrent with theirs, so
 * that a conflict copy is made instead of an unnoticed overwrite.
 */
function versionToBuildOn(old: FileHead, options: RecordOptions): VersionVector {
  return wasNotAnnounced(old, options) ? dropForeignCounters(old.version, options) : old.version
}

/** The record of an item that no longer exists on the disk. */
export function deletionOf(old: FileHead, options: RecordOptions): FileInfo {
  // Deleting an item that was not announced is not a deletion for others: with an empty version it is pulled again.
  const notAnnounced = (old.localFlags & FLAGS_NOT_ANNOUNCED) !== 0
  const { previousBlocksHash: _previous, encrypted: _encrypted, ...kept } = withoutDiskState(old)
  return {
    ...kept,
    deleted: true,
    sizeBytes: 0,
    modifiedS: options.nowS,
    version: notAnnounced ? [] : editedVersion(old.version, options),
    modifiedBy: options.ownShortId,
    sequence: 0,
    localFlags: options.localFlags,
    ...NO_CONTENT,
    ...(notAnnounced ? {} : historyOf(old, options)),
  }
}

/** A receive-only deletion as one that is announced. */
export function announcedOf(old: FileHead): FileInfo {
  return { ...old, sequence: 0, localFlags: old.localFlags & ~FLAG_RECEIVE_ONLY, ...NO_CONTENT }
}

/** The record of an item that is now ignored: it is announced as invalid. */
export function ignoredOf(old: FileHead, options: Pick<RecordOptions, 'ownShortId'>): FileInfo {
  return {
    ...withoutDiskState(old),
    sizeBytes: 0,
    modifiedBy: options.ownShortId,
    sequence: 0,
    localFlags: (old.localFlags & ~FLAG_MUST_RESCAN) | FLAG_IGNORED,
    ...NO_CONTENT,
  }
}

const NO_CONTENT = { blockSizeBytes: 0, blocksHash: undefined, blockHashes: undefined } as const
