/** What shows from outside that somebody changed a file. */
export interface FileLook {
  readonly sizeBytes: number
  readonly modifiedS: number
  readonly modifiedNs: number
}

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
  /** Where the file looks like this it is taken to have that hash there, and its bytes are not hashed. */
  readonly recorded?: FileLook | undefined
}

export type BlockAnswer =
  /**
   * Bytes with the hash that was asked for, or of a file that looks as recorded. `giveBack` says that nobody looks at them
   * any more; it may be left out. The `headroomBytes` before them in memory belong to whoever has them.
   */
  | { readonly kind: 'read'; readonly data: Uint8Array; readonly headroomBytes: number; giveBack(): void }
  /** There is such a file, and its bytes are others. */
  | ({ readonly kind: 'different' } & FileLook)
  /** The name leads to no regular file inside the folder. */
  | { readonly kind: 'absent' }

/**
 * Reads regular files inside a folder for others, never through a symlink, and gives out only bytes with the hash that
 * was asked for, or all of a block of a file that looks as recorded. platform/node does it in threads, many small ones in one go; platform/sim by way of its disk.
 */
export interface BlockReader {
  /** Rejects with the system's `code` when the file is there and cannot be read. */
  read(order: BlockOrder): Promise<BlockAnswer>
}

/** What the system says of a name that leads to no regular file: nothing to worry about, and nothing to read. */
export const NOT_THERE: ReadonlySet<string | undefined> = new Set([
  'ENOENT',
  'ENOTDIR',
  'ELOOP',
  'EISDIR',
  'ENXIO',
  'ENAMETOOLONG',
  'EINVAL',
  'EILSEQ',
  'EMLINK',
])

export function looksLike(file: FileLook, recorded: FileLook): boolean {
  return (
    file.sizeBytes === recorded.sizeBytes &&
    file.modifiedS === recorded.modifiedS &&
    file.modifiedNs === recorded.modifiedNs
  )
}
