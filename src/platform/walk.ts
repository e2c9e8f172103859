import type { FileType } from '../core/records/file-info.ts'

/** Parameters of a walk. Plain data: it may be posted to a thread. */
export interface WalkRequest {
  /** Absolute path of the folder root. */
  readonly root: string
  /** Paths relative to the root, cleaned, sorted, none inside another; [''] is the whole folder. */
  readonly subs: readonly string[]
  /** The ignore file, lines with includes already resolved; undefined when there is none. */
  readonly ignoreLines: readonly string[] | undefined
  /** Temporary files of ours modified before this time are removed; undefined keeps them all. */
  readonly removeTemporariesBeforeS?: number | undefined
  /** Paths of temporary files that are kept whatever their time, such as those in use. */
  readonly keptTemporaries?: readonly string[]
  /** The disk treats `A` as `a`: a sub counts only in the spelling that the disk lists. */
  readonly caseInsensitive?: boolean
  /** Items include the IDs of their owners. */
  readonly ownership?: boolean
}

/** An item found by a walk. */
export interface WalkItem {
  readonly name: string
  readonly type: FileType
  readonly sizeBytes: number
  readonly modifiedS: number
  readonly modifiedNs: number
  readonly mode: number
  readonly symlinkTarget: string
  /** As in `DiskStat`; undefined where the disk has none. */
  readonly changeStamp: number | undefined
  /**
   * As a double: numbers above 2^53 are rounded, so that only a difference is certain. Not stable on all file systems
   * (FAT).
   */
  readonly inode: number
  readonly owner?: { readonly userId: number; readonly groupId: number }
}

/** A path that could not be read: everything at and below it is unknown, not deleted. */
export interface WalkProblem {
  readonly path: string
  readonly message: string
}

export interface WalkBatch {
  /** In byte order of the whole path, over all batches of a walk. */
  readonly items: readonly WalkItem[]
  readonly problems: readonly WalkProblem[]
  /** Paths whose last component is not in NFC. They and everything below them are left out of the items. */
  readonly unnormalized: readonly string[]
  /** Paths of files and symlinks that a crash left where they were moved aside. They are not among the items. */
  readonly asides: readonly string[]
}

/**
 * Walks a folder tree. With subs other than [''] the existing directories above them are among the items as well.
 * Rejects only when the root itself cannot be read.
 * Symlinks are never followed; ignored items are not reported.
 */
export interface Walker {
  walk(request: WalkRequest, signal: AbortSignal): AsyncIterable<WalkBatch>
  /**
   * A file and the directories above it, outermost first, without waiting. Undefined where a walk would find anything
   * else: nothing, another kind of item, a problem, or something that is ignored.
   */
  findFile(name: string, request: Pick<WalkRequest, 'root' | 'ignoreLines'>): readonly WalkItem[] | undefined
}
