import { messageOf, systemCode } from '../../core/errors.ts'
import { blocksInPlace, type Block, type ZeroBlocks } from '../../core/records/block-diff.ts'
import type { FileInfo } from '../../core/records/file-info.ts'
import type { DiskFile, DiskStat } from '../../platform/disk.ts'
import type { FileContent } from '../tree/content.ts'
import type { PullContext } from './context.ts'
import { WriteBehind } from './write-behind.ts'

const NO_BLOCKS: ReadonlySet<number> = new Set()

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

  constructor(file: DiskFile, options: Pick<TempFile, 'present' | 'copied' | 'isFresh'> & { readonly fsync: boolean }) {
    this.file = file
    this.present = options.present
    this.copied = options.copied
    this.isFresh = options.isFresh
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

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

interface TempFileOf {
  readonly global: FileInfo
  readonly local: FileInfo | undefined
  readonly zeros: ZeroBlocks
}

/**
 * Opens the temporary file of a record. It resumes an interrupted pull, or starts with a copy of the old version where
 * most of it is unchanged. Any other item of that name is removed and never followed.
 */
export async function openTempFile(
  context: PullContext,
  { global, local, zeros }: TempFileOf,
  blocks: readonly Block[],
  signal: AbortSignal,
): Promise<TempFile> {
  const { temporaries } = context.tree
  const isLong = global.sizeBytes > COPY_SIZE_BYTES_MAX
  const method = () => (isLong || isSparse(context, blocks, zeros) ? 'cloneNew' : 'copyNew')
  const copied = isMostlySame(local, global, blocks) && (await copyOld(context, global, method()))
  try {
    if (!copied) return await freshFile(context, await temporaries.create(global), global)
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error
  }
  const left = await reuse(context, { global, blocks, copied }, signal)
  if (left !== undefined) return left
  await temporaries.remove(global.name)
  return await freshFile(context, await temporaries.create(global), global)
}

/** A new temporary file; what an interrupted pull left is removed. */
export async function openFreshTempFile(context: PullContext, global: FileInfo): Promise<TempFile> {
  const { temporaries } = context.tree
  await temporaries.removeIfThere(global.name)
  return await freshFile(context, await temporaries.create(global), global)
}

/** Smaller files are copied block by block, which is cheaper than hashing a whole copy. */
const COPY_SIZE_BYTES_MIN = 8 * 1_024 * 1_024
/**
 * Up to this size a copy by the system is cheaper than one by blocks. Copying larger files by blocks bypasses the page
 * cache, hashes in one pass and can be aborted.
 */
const COPY_SIZE_BYTES_MAX = 256 * 1_024 * 1_024

/** Whether at least half of the blocks are unchanged in place. */
function isMostlySame(local: FileInfo | undefined, global: FileInfo, blocks: readonly Block[]): boolean {
  if (local === undefined || local.deleted || local.type !== 'file' || local.blockHashes === undefined) return false
  if (global.sizeBytes < COPY_SIZE_BYTES_MIN || local.blockSizeBytes !== global.blockSizeBytes) return false
  return blocksInPlace(blocks, local.blockHashes).size * 2 >= blocks.length
}

/** A copy by the system has no holes: sparse files must be cloned. */
function isSparse(context: PullContext, blocks: readonly Block[], zeros: ZeroBlocks): boolean {
  return !context.folder.disableSparseFiles && blocks.some((block) => zeros.has(block))
}

/** False where it fails: the blocks are then copied one by one, or fetched. */
async function copyOld(context: PullContext, global: FileInfo, how: 'copyNew' | 'cloneNew'): Promise<boolean> {
  try {
    await context.tree.temporaries.copyOld(global, how)
    return true
  } catch (error) {
    const { id } = context.folder
    context.log.debug(() => `folder ${id}: ${JSON.stringify(global.name)} cannot be copied: ${messageOf(error)}`)
    return false
  }
}

async function freshFile(context: PullContext, file: DiskFile, global: FileInfo): Promise<TempFile> {
  try {
    // A file of one block is written at once; a larger one is truncated to its size first, so that a full disk fails
    // early.
    const sparse = !context.folder.disableSparseFiles && global.sizeBytes > global.blockSizeBytes
    if (sparse) await file.truncate(global.sizeBytes)
    return new TempFile(file, {
      present: NO_BLOCKS,
      copied: false,
      isFresh: true,
      fsync: !context.folder.disableFsync,
    })
  } catch (error) {
    await file.close()
    throw error
  }
}

interface Leftover {
  readonly global: FileInfo
  readonly blocks: readonly Block[]
  /** It was just created from the old version. */
  readonly copied: boolean
}

/** Undefined when nothing in the file is usable, or it is not a regular file. */
async function reuse(
  context: PullContext,
  { global, blocks, copied }: Leftover,
  signal: AbortSignal,
): Promise<TempFile | undefined> {
  const { temporaries } = context.tree
  const file = await temporaries.open(global.name)
  if (file === undefined) return undefined
  try {
    const stat = await file.stat()
    if (await temporaries.isFinished(global.name, stat)) {
      await file.close()
      return undefined
    }
    // Write-back runs during hashing, so that the final sync, which reports errors again, is short.
    const writes = !context.folder.disableFsync && stat.sizeBytes >= COPY_SIZE_BYTES_MIN
    const written = writes ? file.sync().catch(() => {}) : undefined
    const present = await blocksPresent(context, stat, { global, blocks }, signal)
    await written
    if (present.size > 0) {
      if (stat.sizeBytes !== global.sizeBytes) await file.truncate(global.sizeBytes)
      return new TempFile(file, { present, copied, isFresh: false, fsync: !context.folder.disableFsync })
    }
  } catch (error) {
    await file.close()
    throw error
  }
  await file.close()
  return undefined
}

async function blocksPresent(
  context: PullContext,
  stat: DiskStat,
  { global, blocks }: Pick<Leftover, 'global' | 'blocks'>,
  signal: AbortSignal,
): Promise<ReadonlySet<number>> {
  if (stat.sizeBytes === 0) return NO_BLOCKS
  const { sizeBytes, modifiedS, modifiedNs } = stat
  const job = {
    path: context.tree.temporaries.path(global.name),
    sizeBytes,
    modifiedS,
    modifiedNs,
    blockSizeBytes: global.blockSizeBytes,
  }
  const [result] = await context.platform.hasher.hash([job], () => {}, signal)
  return result?.kind === 'hashed' ? blocksInPlace(blocks, result.blockHashes) : NO_BLOCKS
}
