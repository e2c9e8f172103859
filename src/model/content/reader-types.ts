import type { FolderId } from '../../core/ids.ts'

/** Contents of files that are read without being kept on this device. */
export interface ContentView {
  /**
   * The newest version of a file, ready to be read. Rejects with `folder-missing`, `folder-paused`,
   * `folder-not-running`, `file-missing`, `refused` (not a regular file), `content-encrypted` (only encrypted data is
   * here), or `content-unavailable` (no device can give it; the message names those that had it last).
   */
  open(folder: FolderId, file: string, signal: AbortSignal): Promise<OpenedContent>
}

/** One version of a file. Opening holds nothing: it needs no close. */
export interface OpenedContent {
  /** The path in the folder. */
  readonly name: string
  readonly sizeBytes: number
  readonly modifiedMs: number
  /** A strong entity tag with its quotes, from the block list. */
  readonly etag: string
  /**
   * Verified bytes from `fromBytes` up to and without `toBytes`. Rejects with `content-unavailable`, never ends early
   * and never yields a wrong byte, if no device can continue.
   */
  read(fromBytes: number, toBytes: number, signal: AbortSignal): AsyncIterable<Uint8Array>
}
