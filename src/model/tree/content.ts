import type { DiskFile, DiskStat } from '../../platform/disk.ts'

/** The complete content of a file in memory. `data` ends with the trailer, if there is one. */
export interface MemoryContent {
  readonly kind: 'memory'
  readonly data: Uint8Array
  /** The SHA-256 of `data`, which is verified when it is put, in the thread that writes it; undefined: it has been. */
  readonly hash: Uint8Array | undefined
  readonly trailerBytes: number | undefined
}

/** The complete content of a file, in its temporary file. */
export interface FileContent {
  readonly kind: 'file'
  readonly file: DiskFile
  /** Newly created: it has no extended attributes of an older version. */
  readonly isFresh: boolean
  /** The size of what follows the content on disk. */
  readonly trailerBytes: number | undefined
  /** Set once content and metadata are final. */
  sealed: DiskStat | undefined
  close(): Promise<void>
}

/** Complete content, to be put under the name of its file. Verified, except where it says otherwise. */
export type Content = MemoryContent | FileContent
