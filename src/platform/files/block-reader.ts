import type { Seal } from '../../core/encryption/xchacha.ts'

/** Metadata by which a change of a file is detected. */
export interface FileStamp {
  readonly sizeBytes: number
  readonly modifiedS: number
  readonly modifiedNs: number
}

/** A block of a file that another device requests. */
export interface BlockOrder {
  /** The folder's root, absolute, as configured. */
  readonly root: string
  /** A canonical name within the folder. */
  readonly name: string
  readonly offsetBytes: number
  /** Read at most; less at the end of the file. */
  readonly sizeBytes: number
  /** SHA-256 of the requested bytes. */
  readonly hash: Uint8Array
  /** If the metadata of the file matches, the hash is assumed and not computed. */
  readonly recorded?: FileStamp | undefined
  /** The bytes are sealed where they are read. */
  readonly seal?: Seal | undefined
}

export type BlockResult =
  /**
   * Bytes with the requested hash, or of a file whose metadata is as recorded, sealed if that was ordered.
   * `releaseBuffer` releases the memory; the call is optional. The `headroomBytes` before them in memory may be used by
   * the holder.
   */
  | { readonly kind: 'read'; readonly data: Uint8Array; readonly headroomBytes: number; releaseBuffer(): void }
  /** The file exists with other bytes. */
  | ({ readonly kind: 'different' } & FileStamp)
  /** The name is no regular file inside the folder. */
  | { readonly kind: 'absent' }

/**
 * Reads regular files inside a folder for other devices, never through a symlink, and returns only bytes with the
 * requested hash, or a whole block of a file whose metadata is as recorded. platform/node does it in threads, small
 * blocks in batches; platform/sim through its disk.
 */
export interface BlockReader {
  /** Rejects with the system's `code` when the file exists and cannot be read. */
  read(order: BlockOrder): Promise<BlockResult>
}

/** Codes of the system for a name that is no regular file: not an error. */
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

export function hasSameStamp(file: FileStamp, recorded: FileStamp): boolean {
  return (
    file.sizeBytes === recorded.sizeBytes &&
    file.modifiedS === recorded.modifiedS &&
    file.modifiedNs === recorded.modifiedNs
  )
}
