import { hash } from 'node:crypto'
import { hashKey } from '../core/records/block-diff.ts'
import type { DiskFile } from './disk.ts'

/** A file that is made as a whole, from bytes in memory. Plain data, so that it can cross to a thread or stay here. */
export interface FileOrder {
  /** Where it is made, beside its place. Nothing may have this name. */
  readonly temporaryPath: string
  readonly path: string
  /** The directory of both, by its real path: when it leads anywhere else, nothing is made. */
  readonly realDirectory: string
  readonly data: Uint8Array
  /** The permissions to open it with; the system may take some away, as it does for every new file. */
  readonly openMode: number
  /** The permissions it must have; undefined: those it was opened with will do. */
  readonly mode: number | undefined
  readonly modifiedS: number
  readonly modifiedNs: number
  /** The file that it takes the place of, which must look like this to the last moment; undefined: nothing is there. */
  readonly replaces: ReplacedFile | undefined
  /** The content is to survive a loss of power before anybody sees it. */
  readonly sync: boolean
}

export interface ReplacedFile {
  readonly sizeBytes: number
  readonly modifiedS: number
  readonly modifiedNs: number
  readonly mode: number
}

export type FileOutcome =
  /** With the time that the disk has for it: it may keep coarser ones than it was told. */
  | { readonly kind: 'made'; readonly modifiedS: number; readonly modifiedNs: number }
  /** Nothing was replaced, and nothing of it is left. `code` is the system's; `EIO` when a thread died with the order. */
  | { readonly kind: 'failed'; readonly code: string | undefined; readonly message: string }

/** A part of a file that is being made. */
export interface CheckedBlock {
  readonly data: Uint8Array
  readonly positionBytes: number
  /** The SHA-256 that the data must have. */
  readonly hash: Uint8Array
}

/** A part of another file that may be what a file in the making needs. */
export interface CopiedBlock {
  readonly fromBytes: number
  readonly positionBytes: number
  readonly sizeBytes: number
  readonly hash: Uint8Array
}

/** Puts content on disk that was not there, or not there as a file. platform/node does it in a thread, many at a time; platform/sim inline. */
export interface FileMaker {
  /**
   * Makes a small file in one step: temporary file, content, mode and time, sync, and a name. Whoever looks finds what
   * was there before or the new file, whole. Never rejects.
   *
   * `EEXIST`: the temporary name is taken, or what has the file's name is not what should be there. `ELOOP`: the
   * directory is not where it should be.
   */
  make(order: FileOrder): Promise<FileOutcome>
  /** Memory for a block, from where it gets to the disk with the least effort. Its holder may use it again and again. */
  memory(sizeBytes: number): Uint8Array
  /**
   * Writes a block where its content is what it should be; false, with nothing written, where it is not. The file must
   * stay open until then. Rejects as `DiskFile.write` does. Memory that threads can share is not copied.
   */
  write(file: DiskFile, block: CheckedBlock): Promise<boolean>
  /**
   * Copies those blocks whose content is what it should be, and tells for each whether it was. What cannot be read is
   * not. Both files must stay open until then. Rejects as `DiskFile.write` does. Not more than some megabytes at a time.
   */
  copy(from: DiskFile, to: DiskFile, blocks: readonly CopiedBlock[]): Promise<readonly boolean[]>
}

export function hasHash({ data, hash: wanted }: Pick<CheckedBlock, 'data' | 'hash'>): boolean {
  // By way of a string: to make a buffer takes three times as long, and there is one for every small file.
  return hash('sha256', data, 'binary') === hashKey(wanted)
}
