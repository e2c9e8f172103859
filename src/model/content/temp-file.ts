import type { FolderConfig } from '../../core/config/config.ts'
import { messageOf, systemCode } from '../../core/errors.ts'
import { isMostlySame } from '../../core/records/block-copies.ts'
import { blocksInPlace, ZeroBlocks, type Block } from '../../core/records/block-diff.ts'
import type { FileInfo } from '../../core/records/file-info.ts'
import type { Logger } from '../../events/types.ts'
import type { DiskFile, DiskStat } from '../../platform/disk.ts'
import type { Hasher } from '../../platform/hasher.ts'
import type { FileContent } from '../tree/content.ts'
import type { FolderTree } from '../tree/folder-tree.ts'

const WRITE_BEHIND_BYTES = 16 * 1_024 * 1_024
const NO_BLOCKS: ReadonlySet<number> = new Set()
/** Smaller files are copied block by block, which is cheaper than hashing a whole copy. */
const COPY_SIZE_BYTES_MIN = 8 * 1_024 * 1_024
/**
 * Up to this size a copy by the system is cheaper than one by blocks. Copying larger files by blocks bypasses the page
 * cache, hashes in one pass and can be aborted.
 */
const COPY_SIZE_BYTES_MAX = 256 * 1_024 * 1_024

/** Starts write-back of a large file while it grows, so that the final sync is short. */
class WriteBehind {
  readonly #file: Pick<DiskFile, 'sync'>
  #newBytes = 0
  #busy = false
  /** Resolves when no sync is running. */
  settled: Promise<void> = Promise.resolve()

  constructor(file: Pick<DiskFile, 'sync'>) {
    this.#file = file
  }

  wrote(sizeBytes: number): void {
    this.#newBytes += sizeBytes
    if (this.#busy || this.#newBytes < WRITE_BEHIND_BYTES) return
    this.#newBytes = 0
    this.#busy = true
    // An error now occurs again when the file is finished and is reported then.
    this.settled = this.#file
      .sync()
      .catch(() => {})
      .finally(() => void (this.#busy = false))
  }
}

interface TempFileOptions extends Pick<TempFile, 'present' | 'copied' | 'isFresh'> {
  readonly fsync: boolean
  remove(file: TempFile): Promise<void>
}

/** The temporary file of a pull, beside its target. */
export class TempFile implements FileContent, AsyncDisposable {
  readonly kind = 'file'
  readonly file: DiskFile
  /** Blocks already in place. */
  readonly present: ReadonlySet<number>
  /** The present blocks are from the old version of the file, not from an interrupted pull. */
  readonly copied: boolean
  /** Newly created: unwritten ranges read as zeros. */
  readonly isFresh: boolean
  /** What follows the content. */
  trailerBytes: number | undefined
  readonly #writeBehind: WriteBehind | undefined
  #closed = false
  /** Set once its content and metadata are final. */
  sealed: DiskStat | undefined

  readonly #remove: (file: TempFile) => Promise<void>

  constructor(file: DiskFile, options: TempFileOptions) {
    this.file = file
    this.present = options.present
    this.copied = options.copied
    this.isFresh = options.isFresh
    this.#remove = options.remove
    this.#writeBehind = options.fsync ? new WriteBehind(file) : undefined
  }

  /** Must be called for all writes: starts write-back before the file is complete. */
  wrote(sizeBytes: number): void {
    this.#writeBehind?.wrote(sizeBytes)
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.#writeBehind?.settled
    await this.file.close()
  }

  /** Removes it; a failure is left to a scan. */
  async discard(): Promise<void> {
    await this.#remove(this).catch(() => {})
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

/** A file whose blocks are known. */
export interface BlockedFile {
  readonly global: FileInfo
  /** Our record of the file that it replaces. */
  readonly local: FileInfo | undefined
  readonly blocks: readonly Block[]
}

export interface TempFilesDeps {
  readonly tree: Pick<FolderTree, 'temporaries'>
  readonly hasher: Hasher
  readonly log: Logger
  readonly folder: Pick<FolderConfig, 'id' | 'disableFsync' | 'disableSparseFiles'>
}

/** Opens temporary files. */
export class TempFiles {
  readonly #deps: TempFilesDeps
  readonly #zeros = new ZeroBlocks()

  constructor(deps: TempFilesDeps) {
    this.#deps = deps
  }

  /** Whether a new temporary file has the block already, as a hole. */
  hasHole({ isFresh }: TempFile, block: Block, { sizeBytes, blockSizeBytes }: FileInfo): boolean {
    if (!isFresh || this.#deps.folder.disableSparseFiles || sizeBytes <= blockSizeBytes) return false
    return this.#zeros.has(block)
  }

  /**
   * Opens the temporary file of a record. It resumes an interrupted pull, or starts with a copy of the old version if
   * most of it is unchanged. Any other item of that name is removed and never followed.
   */
  async open(file: BlockedFile, signal: AbortSignal): Promise<TempFile> {
    const { temporaries } = this.#deps.tree
    const { blocks, global, local } = file
    const isCopied = global.sizeBytes >= COPY_SIZE_BYTES_MIN && isMostlySame(local, global, blocks)
    const copied = isCopied && (await this.#copyOld(file))
    try {
      if (!copied) return await this.#fresh(global)
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error
    }
    const left = await this.#reuse(file, copied, signal)
    if (left !== undefined) return left
    await temporaries.remove(global.name)
    return await this.#fresh(global)
  }

  /** A new temporary file; what an interrupted pull left is removed. */
  async openFresh(global: FileInfo): Promise<TempFile> {
    await this.#deps.tree.temporaries.removeIfThere(global.name)
    return await this.#fresh(global)
  }

  /** False where it fails: the blocks are then copied one by one, or fetched. */
  async #copyOld({ global, blocks }: BlockedFile): Promise<boolean> {
    const { folder, log, tree } = this.#deps
    // A copy by the system has no holes: sparse files must be cloned.
    const isSparse = !folder.disableSparseFiles && blocks.some((block) => this.#zeros.has(block))
    const how = isSparse || global.sizeBytes > COPY_SIZE_BYTES_MAX ? 'cloneNew' : 'copyNew'
    try {
      await tree.temporaries.copyOld(global, how)
      return true
    } catch (error) {
      log.debug(() => `folder ${folder.id}: ${JSON.stringify(global.name)} cannot be copied: ${messageOf(error)}`)
      return false
    }
  }

  async #fresh(global: FileInfo): Promise<TempFile> {
    const { folder, tree } = this.#deps
    const file = await tree.temporaries.create(global)
    try {
      // A file of one block is written at once; a larger one is truncated to its size first, so that a full disk fails
      // early.
      const sparse = !folder.disableSparseFiles && global.sizeBytes > global.blockSizeBytes
      if (sparse) await file.truncate(global.sizeBytes)
      return this.#made(global, file, { present: NO_BLOCKS, copied: false, isFresh: true })
    } catch (error) {
      await file.close()
      throw error
    }
  }

  #made({ name }: FileInfo, file: DiskFile, options: Pick<TempFile, 'present' | 'copied' | 'isFresh'>): TempFile {
    const { folder, tree } = this.#deps
    const remove = (temp: TempFile) => tree.temporaries.discard(name, temp)
    return new TempFile(file, { ...options, fsync: !folder.disableFsync, remove })
  }

  /** Undefined when nothing in the file is usable, or it is not a regular file. `copied`: it was just created. */
  async #reuse(wanted: BlockedFile, copied: boolean, signal: AbortSignal): Promise<TempFile | undefined> {
    const { folder, tree } = this.#deps
    const { global } = wanted
    const file = await tree.temporaries.open(global.name)
    if (file === undefined) return undefined
    try {
      const stat = await file.stat()
      if (await tree.temporaries.isFinished(global.name, stat)) {
        await file.close()
        return undefined
      }
      // Write-back runs during hashing, so that the final sync, which reports errors again, is short.
      const isLong = !folder.disableFsync && stat.sizeBytes >= COPY_SIZE_BYTES_MIN
      const written = isLong ? file.sync().catch(() => {}) : undefined
      const present = await this.#blocksPresent(wanted, stat, signal)
      await written
      if (present.size > 0) {
        if (stat.sizeBytes !== global.sizeBytes) await file.truncate(global.sizeBytes)
        return this.#made(global, file, { present, copied, isFresh: false })
      }
    } catch (error) {
      await file.close()
      throw error
    }
    await file.close()
    return undefined
  }

  async #blocksPresent(
    { global, blocks }: BlockedFile,
    { sizeBytes, modifiedS, modifiedNs }: DiskStat,
    signal: AbortSignal,
  ): Promise<ReadonlySet<number>> {
    if (sizeBytes === 0) return NO_BLOCKS
    const { hasher, tree } = this.#deps
    const path = tree.temporaries.path(global.name)
    const job = { path, sizeBytes, modifiedS, modifiedNs, blockSizeBytes: global.blockSizeBytes }
    const [result] = await hasher.hash([job], () => {}, signal)
    return result?.kind === 'hashed' ? blocksInPlace(blocks, result.blockHashes) : NO_BLOCKS
  }
}
