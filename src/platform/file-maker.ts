import { hash } from 'node:crypto'
import { hashKey } from '../core/records/block-diff.ts'
import type { DiskFile } from './disk.ts'
import type { WalkItem } from './walk.ts'

/** A file to be created as a whole, from bytes in memory. Plain data, so that it can be posted to a thread. */
export interface FileOrder {
  /** Its path during creation, in the same directory. No item may have this name. */
  readonly temporaryPath: string
  readonly path: string
  /** The real path of the directory of both: when it resolves differently, nothing is created. */
  readonly realDirectory: string
  readonly data: Uint8Array
  /** The SHA-256 that `data` must have, verified before anything is created; undefined: it is verified already. */
  readonly hash: Uint8Array | undefined
  /** The permissions to open it with, reduced by the umask. */
  readonly openMode: number
  /** The final permissions; undefined: those of opening. */
  readonly mode: number | undefined
  readonly modifiedS: number
  readonly modifiedNs: number
  /** The expected state of the file that it replaces, checked before and after; undefined: no item exists. */
  readonly replaces: ReplacedFile | undefined
  /** The content must be durable before the rename. */
  readonly sync: boolean
}

export interface ReplacedFile {
  /** The unused path of the new file before, and of the replaced one after the exchange, in the same directory. */
  readonly asidePath: string
  readonly sizeBytes: number
  readonly modifiedS: number
  readonly modifiedNs: number
  readonly mode: number
}

/** The state of a created file under its name, as a walk reads it. */
export interface MadeFile extends Pick<WalkItem, 'modifiedS' | 'modifiedNs' | 'inode' | 'changeStamp'> {
  /** The replaced item was changed in the instant of the replacement: it is at the path aside now. */
  readonly hasDisplaced?: true
}

export type FileOutcome =
  | ({ readonly kind: 'made' } & MadeFile)
  /** The content does not have the hash; nothing was created. */
  | { readonly kind: 'different' }
  /** Nothing was replaced and nothing remains. `code` is the system's; `EIO` when the thread crashed. */
  | { readonly kind: 'failed'; readonly code: string | undefined; readonly message: string }

/** A block of a file under construction. */
export interface CheckedBlock {
  readonly data: Uint8Array
  readonly positionBytes: number
  /** The SHA-256 that the data must have. */
  readonly hash: Uint8Array
}

/** A block of another file that may match one of a file under construction. */
export interface CopiedBlock {
  readonly fromBytes: number
  readonly positionBytes: number
  readonly sizeBytes: number
  readonly hash: Uint8Array
}

/** Creates files and writes blocks. platform/node does it in a thread, in batches; platform/sim inline. */
export interface FileMaker {
  /**
   * Creates a small file atomically: temporary file, content, mode and time, sync, rename. Readers find the previous
   * state or the complete new file. Never rejects.
   *
   * `EEXIST`: the temporary name exists, or the item to replace differs from the expected state. `ELOOP`: the directory
   * resolves differently.
   */
  make(order: FileOrder): Promise<FileOutcome>
  /** The same for many, of each its outcome; resolves when all are made. */
  makeAll(orders: readonly FileOrder[]): Promise<readonly FileOutcome[]>
  /** Memory for a block that can be written without a copy. The caller may reuse it. */
  memory(sizeBytes: number): Uint8Array
  /**
   * Writes a block if its content has the given hash; false, with nothing written, if not. The file must stay open
   * until then. Rejects as `DiskFile.write` does. Shared memory is not copied.
   */
  write(file: DiskFile, block: CheckedBlock): Promise<boolean>
  /** Whether a block has its hash, for one that is not written. Its memory must not change until then. */
  verify(block: Pick<CheckedBlock, 'data' | 'hash'>): Promise<boolean>
  /**
   * Copies the blocks whose content has the given hash, and returns for each whether it was copied; false for
   * unreadable ones. Both files must stay open until then. Rejects as `DiskFile.write` does. At most some megabytes per
   * call.
   */
  copy(from: DiskFile, to: DiskFile, blocks: readonly CopiedBlock[]): Promise<readonly boolean[]>
}

export function hasHash({ data, hash: expected }: Pick<CheckedBlock, 'data' | 'hash'>): boolean {
  // As a string: creating a buffer takes three times as long, for every small file.
  return hash('sha256', data, 'binary') === hashKey(expected)
}
