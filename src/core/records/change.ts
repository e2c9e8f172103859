import type { Accounts } from '../attributes/accounts.ts'
import type { AttributeList } from '../attributes/attributes.ts'
import {
  diskTimeOf,
  FLAG_IGNORED,
  FLAG_MUST_RESCAN,
  FLAG_RECEIVE_ONLY,
  FLAG_UNSUPPORTED,
  isInvalid,
  withoutDiskTime,
  type FileHead,
  type FileInfo,
  type FileTime,
  type FileType,
} from './file-info.ts'
import type { ShortId } from '../ids.ts'
import { isSameOwner, unixOwnerOf, withUnixOwner } from '../attributes/platform-data.ts'
import { bumpVersion, dropForeignCounters, firstCount, type CountTime, type VersionVector } from './version-vector.ts'

/** An item as the disk shows it. */
export interface DiskItem {
  readonly name: string
  readonly type: FileType
  readonly sizeBytes: number
  readonly modifiedS: number
  readonly modifiedNs: number
  readonly mode: number
  readonly symlinkTarget: string
  /** Where somebody looked. */
  readonly owner?: { readonly userId: number; readonly groupId: number }
  /** Those that the folder permits, where somebody looked. */
  readonly attributes?: AttributeList
}

export interface CompareOptions {
  /** Flags that the folder sets on its own changes: they do not make an item differ from itself. */
  readonly ownFlags: number
  readonly ignorePerms: boolean
  /** Times closer than this are equal; 0 asks for the same nanosecond. */
  readonly modTimeWindowMs: number
  /** Windows keeps no more than these. */
  readonly permissionMask?: number
  readonly ownership?: OwnershipOptions | undefined
  readonly attributes?: AttributeRules | undefined
}

/** For folders in which owners count. */
export interface OwnershipOptions {
  readonly accounts: Accounts
  readonly ownShortId: ShortId
  /** Items are given to the owners that others name. */
  readonly synced: boolean
}

/** For folders in which extended attributes count. */
export interface AttributeRules {
  /** Whether these attributes make an item another one than the record tells of. */
  differ(record: FileHead, attributes: AttributeList): boolean
  /** Platform data that names them. */
  platformWith(platform: Uint8Array | undefined, attributes: AttributeList): Uint8Array
}

export interface RecordOptions extends CountTime {
  readonly ownShortId: ShortId
  readonly ignorePerms: boolean
  /** Set on every record that differs from what others have: FLAG_RECEIVE_ONLY, or 0. */
  readonly localFlags: number
  readonly ownership?: OwnershipOptions | undefined
  readonly attributes?: AttributeRules | undefined
}

const PERMISSION_BITS = 0o777
const NS_PER_MS = 1_000_000

/** A record of these kinds never told others what we have, so its history with us counts for nothing. */
const FLAGS_APART = FLAG_IGNORED | FLAG_UNSUPPORTED | FLAG_RECEIVE_ONLY

/** Whether the disk shows something else than the record says. Content is never compared here. */
export function isChanged(record: FileHead, item: DiskItem, options: CompareOptions): boolean {
  if (record.deleted || record.type !== item.type) return true
  if (isInvalid({ localFlags: record.localFlags & ~options.ownFlags })) return true
  if (options.ownership !== undefined && ownersDiffer(record, item, options.ownership)) return true
  if (item.attributes !== undefined && options.attributes?.differ(record, item.attributes) === true) return true
  if (item.type === 'symlink') return record.symlinkTarget !== item.symlinkTarget
  if (permissionsDiffer(record, item, options)) return true
  if (item.type === 'directory') return false
  return record.sizeBytes !== item.sizeBytes || !sameTime(diskTimeOf(record), item, options.modTimeWindowMs)
}

function permissionsDiffer(record: FileHead, item: DiskItem, options: CompareOptions): boolean {
  if (options.ignorePerms || record.noPermissions) return false
  return ((record.permissions ^ item.mode) & (options.permissionMask ?? PERMISSION_BITS)) !== 0
}

/**
 * A record that somebody else made names an owner that is the right one there, and need not be here: it counts only
 * where items are given to those owners. Else two devices would tell each other for ever whose the file is.
 */
function ownersDiffer(
  record: FileHead,
  { owner }: DiskItem,
  { accounts, ownShortId, synced }: OwnershipOptions,
): boolean {
  if (owner === undefined) return false
  const isOwn = record.modifiedBy === ownShortId
  const known = unixOwnerOf(record.platform)
  if (known === undefined) return isOwn
  return (isOwn || synced) && !isSameOwner(known, accounts.ownerOf(owner.userId, owner.groupId))
}

function sameTime(a: FileTime, b: FileTime, windowMs: number): boolean {
  if (a.modifiedS === b.modifiedS && a.modifiedNs === b.modifiedNs) return true
  if (windowMs <= 0) return false
  const apartS = Math.abs(a.modifiedS - b.modifiedS)
  if (apartS * 1_000 > windowMs + 1_000) return false
  const apartNs = Math.abs((a.modifiedS - b.modifiedS) * 1_000 * NS_PER_MS + (a.modifiedNs - b.modifiedNs))
  return apartNs < windowMs * NS_PER_MS
}

/** What a file's hashing gave. */
export interface Content {
  readonly blockSizeBytes: number
  readonly blockHashes: Uint8Array
  readonly blocksHash: Uint8Array
}

/**
 * The record of a file that was in doubt, and turned out to be what the record says: the mark goes and the version stays,
 * for nobody changed anything. A new version would be an edit that nobody made, and could win against one that somebody
 * did. Undefined where something did change.
 */
export function confirmedRecord(
  old: FileHead | undefined,
  item: DiskItem,
  content: Content,
  options: CompareOptions,
): FileInfo | undefined {
  if (old === undefined || (old.localFlags & FLAG_MUST_RESCAN) === 0) return undefined
  const trusted = { ...old, localFlags: old.localFlags & ~FLAG_MUST_RESCAN }
  if (isChanged(trusted, item, options) || old.blockSizeBytes !== content.blockSizeBytes) return undefined
  if (old.blocksHash === undefined || Buffer.compare(old.blocksHash, content.blocksHash) !== 0) return undefined
  return { ...trusted, sequence: 0, blockHashes: content.blockHashes }
}

/** The new record of an item on disk, on top of the old one if there was any. `content` is for files alone. */
export function recordOf(
  item: DiskItem,
  old: FileHead | undefined,
  content: Content | undefined,
  options: RecordOptions,
): FileInfo {
  const isSymlink = item.type === 'symlink'
  const base = old === undefined ? [] : versionToBuildOn(old, options)
  return {
    name: item.name,
    type: item.type,
    deleted: false,
    sizeBytes: item.type === 'file' ? item.sizeBytes : 0,
    ...timesOf(item, old),
    permissions: isSymlink ? 0 : item.mode & PERMISSION_BITS,
    noPermissions: isSymlink || options.ignorePerms,
    version: bumpVersion(base, options.ownShortId, firstCount(options)),
    modifiedBy: options.ownShortId,
    sequence: 0,
    localFlags: options.localFlags,
    blockSizeBytes: content?.blockSizeBytes ?? 0,
    blocksHash: content?.blocksHash,
    symlinkTarget: item.symlinkTarget,
    blockHashes: content?.blockHashes,
    ...historyOf(old, options),
    ...platformOnDisk(item, old, options),
  }
}

type Times = Pick<FileHead, 'modifiedS' | 'modifiedNs' | 'diskTime'>

/** A file whose time nobody touched has the time it had, also where the disk could not keep it. */
function timesOf({ type, modifiedS, modifiedNs }: DiskItem, old: FileHead | undefined): Times {
  if (type === 'symlink') return { modifiedS: 0, modifiedNs: 0 }
  const { diskTime } = old ?? {}
  const isUntouched = diskTime?.modifiedS === modifiedS && diskTime.modifiedNs === modifiedNs
  if (!isUntouched || type !== 'file' || old === undefined) return { modifiedS, modifiedNs }
  return { modifiedS: old.modifiedS, modifiedNs: old.modifiedNs, diskTime }
}

/** What the disk says of owners and attributes, on top of what is known of other systems. */
function platformOnDisk(
  item: DiskItem,
  old: FileHead | undefined,
  { ownership, attributes: rules }: RecordOptions,
): Pick<FileHead, 'platform'> {
  const { attributes } = item
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

/** What a new version owes to the one before: whose content it was made from, and what other systems know of it. */
function historyOf(
  old: FileHead | undefined,
  options: RecordOptions,
): Pick<FileHead, 'previousBlocksHash' | 'platform'> {
  if (old === undefined) return {}
  // From a record that stood apart nobody else can have gone on.
  const previousBlocksHash = stoodApart(old, options) ? undefined : old.blocksHash
  return {
    ...(previousBlocksHash === undefined ? {} : { previousBlocksHash }),
    ...(old.platform === undefined ? {} : { platform: old.platform }),
  }
}

function stoodApart(old: FileHead, options: RecordOptions): boolean {
  return (old.localFlags & FLAGS_APART & ~options.localFlags) !== 0
}

/**
 * What others counted is dropped when the record stood apart until now: the result is concurrent with theirs, so that
 * a conflict copy arises instead of a silent overwrite.
 */
function versionToBuildOn(old: FileHead, options: RecordOptions): VersionVector {
  return stoodApart(old, options) ? dropForeignCounters(old.version, options.ownShortId) : old.version
}

/** The record of an item that is gone from the disk. */
export function deletionOf(old: FileHead, options: RecordOptions): FileInfo {
  // An item that stood apart was never ours to delete: with an empty version it is fetched again instead.
  const apart = (old.localFlags & FLAGS_APART) !== 0
  const { previousBlocksHash: _previous, encrypted: _encrypted, diskTime: _time, ...kept } = old
  return {
    ...kept,
    deleted: true,
    sizeBytes: 0,
    modifiedS: options.nowS,
    version: apart ? [] : bumpVersion(old.version, options.ownShortId, firstCount(options)),
    modifiedBy: options.ownShortId,
    sequence: 0,
    localFlags: options.localFlags,
    ...NO_CONTENT,
    ...(apart ? {} : historyOf(old, options)),
  }
}

/** A deletion kept to ourselves until now, as one that others may hear of. */
export function announcedOf(old: FileHead): FileInfo {
  return { ...old, sequence: 0, localFlags: old.localFlags & ~FLAG_RECEIVE_ONLY, ...NO_CONTENT }
}

/** The record of an item that the patterns exclude from now on: others see that we do not have it. */
export function ignoredOf(old: FileHead, options: Pick<RecordOptions, 'ownShortId'>): FileInfo {
  return {
    ...withoutDiskTime(old),
    sizeBytes: 0,
    modifiedBy: options.ownShortId,
    sequence: 0,
    localFlags: (old.localFlags & ~FLAG_MUST_RESCAN) | FLAG_IGNORED,
    ...NO_CONTENT,
  }
}

const NO_CONTENT = { blockSizeBytes: 0, blocksHash: undefined, blockHashes: undefined } as const
