/** A block of a file that another device asks for. */
export interface BlockOrder {
  /** The folder's root, absolute, as configured. */
  readonly root: string
  /** A canonical name within the folder. */
  readonly name: string
  readonly offsetBytes: number
  /** No more is read, less where the file ends before. */
  readonly sizeBytes: number
  /** SHA-256 of the bytes that are wanted. */
  readonly hash: Uint8Array
}

export type BlockAnswer =
  /** Bytes with the hash that was asked for. `giveBack` says that nobody looks at them any more; it may be left out. */
  | { readonly kind: 'read'; readonly data: Uint8Array; giveBack(): void }
  /** There is such a file, and its bytes are others. */
  | { readonly kind: 'different'; readonly sizeBytes: number; readonly modifiedS: number; readonly modifiedNs: number }
  /** The name leads to no regular file inside the folder. */
  | { readonly kind: 'absent' }

/**
 * Reads regular files inside a folder for others, never through a symlink, and gives out only bytes with the hash that
 * was asked for. world/real does it in threads, many small ones in one go; world/sim by way of its disk.
 */
export interface BlockReader {
  /** Rejects with the system's `code` when the file is there and cannot be read. */
  read(order: BlockOrder): Promise<BlockAnswer>
}

/** What the system says of a name that leads to no regular file: nothing to worry about, and nothing to read. */
export const NOT_THERE: ReadonlySet<string | undefined> = new Set([
  'ENOENT', 'ENOTDIR', 'ELOOP', 'EISDIR', 'ENXIO', 'ENAMETOOLONG', 'EINVAL', 'EILSEQ', 'EMLINK',
])
