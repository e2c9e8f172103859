import type { ShortId } from '../ids.ts'
import type { VersionVector } from './version-vector.ts'

export type FileType = 'file' | 'directory' | 'symlink'

/** Bits of `localFlags`. The first four mean "invalid" to other devices. */
export const FLAG_UNSUPPORTED = 1
export const FLAG_IGNORED = 2
export const FLAG_MUST_RESCAN = 4
export const FLAG_RECEIVE_ONLY = 8
/** Set on records that another device announced as invalid, or that cannot be used here. */
export const FLAG_REMOTE_INVALID = 64

const FLAGS_INVALID = FLAG_UNSUPPORTED | FLAG_IGNORED | FLAG_MUST_RESCAN | FLAG_RECEIVE_ONLY | FLAG_REMOTE_INVALID

/** A modification time, to the nanosecond. */
export interface FileTime {
  readonly modifiedS: number
  readonly modifiedNs: number
}

/** One record of one device's index, without its block list. Times are exact: seconds and nanoseconds apart. */
export interface FileHead {
  /** Relative to the folder root, slash-separated, NFC. */
  readonly name: string
  readonly type: FileType
  readonly deleted: boolean
  /** Bytes of content; 0 for everything but live files. */
  readonly sizeBytes: number
  readonly modifiedS: number
  readonly modifiedNs: number
  /** The low nine permission bits. Meaningless when `noPermissions` is set. */
  readonly permissions: number
  readonly noPermissions: boolean
  readonly version: VersionVector
  readonly modifiedBy: ShortId
  /** Sequence number in the index of the device that owns the record; the store assigns it for our own. */
  readonly sequence: number
  readonly localFlags: number
  readonly blockSizeBytes: number
  /** SHA-256 over the concatenated block hashes; undefined for items without blocks. */
  readonly blocksHash: Uint8Array | undefined
  /** Empty for all other types. */
  readonly symlinkTarget: string
  /** Hash over the blocks of the previous version, if its author announced it. */
  readonly previousBlocksHash?: Uint8Array | undefined
  /** Owners and extended attributes of all systems, as received: other devices can use what we cannot. */
  readonly platform?: Uint8Array | undefined
  /** The original record, encrypted by its author, which we only store. */
  readonly encrypted?: Uint8Array | undefined
  /**
   * The time that our disk stored for the time above, when it differs: some disks have a resolution of two seconds,
   * some of a microsecond. It is never announced.
   */
  readonly diskTime?: FileTime | undefined
  /**
   * Inode and change time of our file when it was recorded, as one number (`disk-stamp.ts`); undefined when unknown.
   * It is never announced.
   */
  readonly diskStamp?: number | undefined
  /** What follows the content of our file in an encrypted folder. It is never announced, and not part of the size. */
  readonly trailerBytes?: number | undefined
  /** The author of the record above which this version of ours was set (`contested-deletion.ts`). Never announced. */
  readonly contestedBy?: ShortId | undefined
}

/**
 * A record with its block hashes, 32 bytes each, in file order. An empty file has one, that of the empty string. A
 * record of an encrypted folder, which has `encrypted`, has a token of 48 bytes per block instead.
 */
export interface FileInfo extends FileHead {
  readonly blockHashes: Uint8Array | undefined
}

export function isInvalid(head: Pick<FileHead, 'localFlags'>): boolean {
  return (head.localFlags & FLAGS_INVALID) !== 0
}

/** The time that the unchanged file of a record has on our disk. */
export function diskTimeOf(head: FileHead): FileTime {
  return head.diskTime ?? head
}

/** The size that the unchanged file of a record has on our disk. */
export function diskSizeOf({ sizeBytes, trailerBytes }: Pick<FileHead, 'sizeBytes' | 'trailerBytes'>): number {
  return sizeBytes + (trailerBytes ?? 0)
}

/** The state of a file on our disk that its record keeps. */
export interface DiskState extends FileTime {
  readonly diskStamp?: number | undefined
  readonly trailerBytes?: number | undefined
}

/** A record of ours, for a file that has this state on our disk. */
export function withDiskState<T extends FileHead>(record: T, state: DiskState): T {
  const { modifiedS, modifiedNs, diskStamp, trailerBytes } = state
  const plain = withoutDiskState(record)
  if (record.deleted || record.type !== 'file') return plain
  const isKept = record.modifiedS === modifiedS && record.modifiedNs === modifiedNs
  return {
    ...plain,
    ...(!isKept && { diskTime: { modifiedS, modifiedNs } }),
    // What a changed stamp calls for, a new hash of the content, says nothing in an encrypted folder.
    ...(diskStamp !== undefined && record.encrypted === undefined && { diskStamp }),
    ...(trailerBytes !== undefined && { trailerBytes }),
  }
}

/** For records without a file on our disk. */
export function withoutDiskState<T extends FileHead>(record: T): T {
  const hasDiskState =
    record.diskTime !== undefined || record.diskStamp !== undefined || record.trailerBytes !== undefined
  // First, because the copy below costs more than the rest of a record that is pulled.
  if (!hasDiskState && record.contestedBy === undefined) return record
  const { diskTime: _diskTime, diskStamp: _diskStamp, trailerBytes: _trailer, contestedBy: _by, ...plain } = record
  return { ...(plain as T), diskTime: undefined, diskStamp: undefined }
}
