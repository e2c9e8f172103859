import type { FileType } from '../core/records/file-info.ts'

/** What a walk is told. Plain data: it may cross to a thread. */
export interface WalkRequest {
  /** Absolute path of the folder root. */
  readonly root: string
  /** Paths relative to the root, cleaned, sorted, none inside another; [''] is the whole folder. */
  readonly subs: readonly string[]
  /** The ignore file, lines with includes already resolved; undefined when there is none. */
  readonly ignoreLines: readonly string[] | undefined
  /** Our own temporary files last touched before this time are removed on the way; undefined leaves them all. */
  readonly removeTemporariesBeforeS?: number | undefined
  /** The disk takes `A` for `a`: a sub counts only in the spelling the disk shows. */
  readonly caseInsensitive?: boolean
  /** Items come with the numbers of their owners. */
  readonly ownership?: boolean
}

/** An item met on the way. */
export interface WalkItem {
  readonly name: string
  readonly type: FileType
  readonly sizeBytes: number
  readonly modifiedS: number
  readonly modifiedNs: number
  readonly mode: number
  readonly symlinkTarget: string
  /** As in `DiskStat`; undefined where the disk has no such thing. */
  readonly changeStamp: number | undefined
  readonly owner?: { readonly userId: number; readonly groupId: number }
}

/** A path that could not be looked at: everything at and below it is unknown, not gone. */
export interface WalkProblem {
  readonly path: string
  readonly message: string
}

export interface WalkBatch {
  /** In byte order of the whole path, over all batches of a walk. */
  readonly items: readonly WalkItem[]
  readonly problems: readonly WalkProblem[]
  /** Paths whose last component is not in NFC. Neither they nor what lies below them is among the items. */
  readonly unnormalized: readonly string[]
}

/**
 * Walks a folder tree. With subs other than [''] the existing directories above them are among the items as well.
 * Rejects only when the root itself cannot be read.
 * Symlinks are never followed; what is ignored is not reported.
 */
export interface Walker {
  walk(request: WalkRequest, signal: AbortSignal): AsyncIterable<WalkBatch>
}
