import type { ShortId } from '../core/ids.ts'
import type { ScanScope } from '../core/paths.ts'
import type { Accounts } from '../core/attributes/accounts.ts'
import type { FileHead, FileInfo } from '../core/records/file-info.ts'
import type { KeptFile } from '../core/records/kept-file.ts'
import type { Counting } from '../core/records/version-vector.ts'
import type { IgnoreRules } from '../core/ignore/ignore.ts'
import type { Logger } from '../events/types.ts'
import type { Clock } from '../platform/clock.ts'
import type { Disk } from '../platform/disk.ts'
import type { Hasher } from '../platform/hasher.ts'
import type { Walker } from '../platform/walk.ts'
import type { ScanAttributes } from './attributes.ts'
import type { PageSource } from './index-cursor.ts'

/** An item that could not be scanned, with the error text of `GET /rest/folder/errors`. */
export interface ScanProblem {
  readonly path: string
  readonly error: string
}

export interface ScanResult {
  /** Records written to the index. */
  readonly changed: number
  readonly problems: readonly ScanProblem[]
  readonly itemsSeen: number
  readonly bytesHashed: number
}

/** Published after each batch is stored, for events and index exchange. */
export interface StoredBatch {
  readonly records: readonly FileHead[]
  readonly sequence: number
}

export interface ScanProgress {
  readonly currentBytes: number
  readonly totalBytes: number
  /** Whether the total is final: the walk has ended. */
  readonly counted: boolean
  /** Bytes per second, a moving average. */
  readonly rate: number
}

/** The part of a folder's index that a scan needs. */
export interface ScanIndex extends PageSource {
  head(owner: 'local', name: string): Promise<FileHead | undefined>
  heads(owner: 'local', names: readonly string[]): Promise<readonly (FileHead | undefined)[]>
  global(name: string): Promise<FileHead | undefined>
  updateLocal(batch: readonly FileInfo[], origin?: 'scan'): Promise<number>
  /** Sets the disk stamps of records, without a new sequence number. */
  setDiskStamps(stamps: ReadonlyMap<string, number>): Promise<void>
  localByBlocks(blocksHash: Uint8Array, limit: number): Promise<readonly FileHead[]>
}

/** The files that other devices have deleted and that stay here. */
export interface KeptList {
  readonly count: number
  find(name: string): KeptFile | undefined
  hasBelow(directory: string): boolean
  within(path: string): Iterable<string>
  /** Adds or replaces an entry. */
  set(kept: KeptFile): void
  forget(name: string): void
}

/** Decides at the end of a scan whether what is gone is recorded. */
export interface ScanGuard {
  /** An item that is gone, or a file that has become empty. */
  examine(record: FileHead, kind: 'deleted' | 'emptied'): void
  /** A file was recorded whose name and content are new. */
  noteNew(record: FileHead): void
  /** The names of what is not recorded now. */
  decide(): Promise<ReadonlySet<string>>
}

export interface ScanDeps {
  readonly walker: Walker
  readonly hasher: Hasher
  readonly disk: Pick<Disk, 'lstat' | 'list' | 'readSymlink' | 'removeFile' | 'renameNew'>
  readonly clock: Clock
  readonly index: ScanIndex
  readonly log: Logger
  /** Called before the scan and before each batch is stored; a rejection aborts the scan. */
  checkHealth(): Promise<void>
  /** Directories at which a file system was mounted and is not any more; called before deletions are recorded. */
  unmounted?(): Promise<readonly string[]>
  /** Called before these records replace ours. */
  beforeBatch?(records: readonly FileHead[]): Promise<void>
  onBatch(batch: StoredBatch): void
  onProgress(progress: ScanProgress): void
}

export interface ScanRequest extends Counting {
  /** Absolute path of the folder root. */
  readonly root: string
  readonly subs: ScanScope
  readonly ignore: IgnoreRules
  /** Directories that are walked and are no items themselves. */
  readonly isNoItem?: ((directory: string) => boolean) | undefined
  readonly ignorePerms: boolean
  /** As in `RecordOptions`. */
  readonly keepPermissions?: boolean
  readonly modTimeWindowMs: number
  readonly autoNormalize: boolean
  /** Flags every change as local, not to be announced. */
  readonly receiveOnly: boolean
  /** Temporary files older than this are removed. */
  readonly keepTemporariesMs: number
  /** Paths of temporary files that are in use. */
  readonly temporariesInUse?: readonly string[]
  /** 0 or less: no progress is reported. */
  readonly progressIntervalMs: number
  /** Files hashed in parallel; 0 or less uses the hasher's default. */
  readonly hashers: number
  /** Files that other devices have deleted and that stay here; undefined where there are none. */
  readonly kept?: KeptList | undefined
  /**
   * Paths of items that were made in the place of dropped ones, which the user did not see: they are concurrent with
   * those, not their successors, and so count under an ID that is new.
   */
  readonly madeHere?: { readonly paths: readonly string[]; readonly counterId: ShortId } | undefined
  /** Undefined where deletions are recorded as they are found. */
  readonly guard?: ScanGuard | undefined
  /** Undefined: ownership is not compared. */
  readonly ownership?: { readonly accounts: Accounts; readonly synced: boolean } | undefined
  /** Undefined where extended attributes are not synchronized. */
  readonly attributes?: ScanAttributes | undefined
  /** Names that differ in case are different items, whatever the disk does; default: as the disk does. */
  readonly caseSensitive?: boolean
  /** Result of a recent check of the folder; replaces the check before the first batch. */
  readonly checked?: { readonly caseInsensitive: boolean } | undefined
}
