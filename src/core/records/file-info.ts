import type { ShortId } from '../ids.ts'
import type { VersionVector } from './version-vector.ts'

export type FileType = 'file' | 'directory' | 'symlink'

/** Bits of `localFlags`. The first four mean "invalid" to other devices. */
export const FLAG_UNSUPPORTED = 1
export const FLAG_IGNORED = 2
export const FLAG_MUST_RESCAN = 4
export const FLAG_RECEIVE_ONLY = 8
/** Set on records of other devices which they themselves called invalid. */
export const FLAG_REMOTE_INVALID = 64

const FLAGS_INVALID = FLAG_UNSUPPORTED | FLAG_IGNORED | FLAG_MUST_RESCAN | FLAG_RECEIVE_ONLY | FLAG_REMOTE_INVALID

/** What REST and the byte totals count for a directory or a symlink. */
export const ITEM_SIZE_BYTES = 128

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
  /** Bytes of content; 0 for everything that is not a live file. */
  readonly sizeBytes: number
  readonly modifiedS: number
  readonly modifiedNs: number
  /** The low nine permission bits. Meaningless when `noPermissions` is set. */
  readonly permissions: number
  readonly noPermissions: boolean
  readonly version: VersionVector
  readonly modifiedBy: ShortId
  /** Place in the index of the device that owns the record; the store assigns it for our own. */
  readonly sequence: number
  readonly localFlags: number
  readonly blockSizeBytes: number
  /** SHA-256 over the concatenated block hashes; undefined for what has no blocks. */
  readonly blocksHash: Uint8Array | undefined
  /** Empty for what is no symlink. */
  readonly symlinkTarget: string
  /** Hash over the blocks of the version this one was made from, where its author told. */
  readonly previousBlocksHash?: Uint8Array | undefined
  /** Owners and extended attributes of all systems, in the bytes in which they came: what we cannot use others can. */
  readonly platform?: Uint8Array | undefined
  /** The record as the one who encrypted it knows it, for us to keep. */
  readonly encrypted?: Uint8Array | undefined
  /**
   * What our disk made of the time above when it was told to keep it, where that is another one: some keep two seconds
   * apart, some a microsecond. Others never hear of it.
   */
  readonly diskTime?: FileTime | undefined
}

/** A record with its block hashes, 32 bytes each, in file order. An empty file has one, the hash of nothing. */
export interface FileInfo extends FileHead {
  readonly blockHashes: Uint8Array | undefined
}

export function isInvalid(head: Pick<FileHead, 'localFlags'>): boolean {
  return (head.localFlags & FLAGS_INVALID) !== 0
}

/** The time that the file of a record has on our disk as long as nobody touches it. */
export function diskTimeOf(head: FileHead): FileTime {
  return head.diskTime ?? head
}

/** A record that is ours now, of a file that our disk shows with this time. */
export function withDiskTime<T extends FileHead>(record: T, { modifiedS, modifiedNs }: FileTime): T {
  const plain = withoutDiskTime(record)
  const isKept = record.modifiedS === modifiedS && record.modifiedNs === modifiedNs
  return isKept || record.deleted || record.type !== 'file' ? plain : { ...plain, diskTime: { modifiedS, modifiedNs } }
}

/** For records that say nothing of a file on our disk. */
export function withoutDiskTime<T extends FileHead>(record: T): T {
  return record.diskTime === undefined ? record : { ...record, diskTime: undefined }
}
