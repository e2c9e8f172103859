import { messageOf, systemCode } from '../../core/errors.ts'
import { blocksInPlace, type Block, type ZeroBlocks } from '../../core/records/block-diff.ts'
import type { FileInfo } from '../../core/records/file-info.ts'
import { temporaryName } from '../../core/paths.ts'
import type { DiskFile, DiskStat } from '../../platform/disk.ts'
import { pathOf, type PullContext } from './context.ts'
import { hasPermissions } from './make.ts'
import { removeIfThere } from './remove.ts'
import { WriteBehind } from './write-behind.ts'

const NO_BLOCKS: ReadonlySet<number> = new Set()
/** An interrupted pull must be able to resume writing, whatever the final mode is. */
const OWNER_READ_WRITE = 0o600

/** The temporary file of a pull, beside its target. */
export class TempFile implements AsyncDisposable {
  readonly path: string
  readonly file: DiskFile
  /** Blocks already in place. */
  readonly present: ReadonlySet<number>
  /** The present blocks are from the old version of the file, not from an interrupted pull. */
  readonly copied: boolean
  /** Newly created: unwritten ranges read as zeros. */
  readonly fresh: boolean
  readonly #writeBehind: WriteBehind | undefined
  #closed = false
  /** Set once its content and metadata are final. */
  sealed: DiskStat | undefined

  constructor(
    path: string,
    file: DiskFile,
    options: Pick<TempFile, 'present' | 'copied' | 'fresh'> & { readonly fsync: boolean },
  ) {
    this.path = path
    this.file = file
    this.present = options.present
    this.copied = options.copied
    this.fresh = options.fresh
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
  const name = temporaryName(global.name, context.platform.system.platform)
  const path = pathOf(context, name)
  const { disk } = context.platform
  const mode = hasPermissions(context, global) ? (global.permissions & 0o777) | OWNER_READ_WRITE : 0o666
  const create = () => context.parents.inside(name, () => disk.open(path, 'create', mode))
  const isLong = global.sizeBytes > COPY_SIZE_BYTES_MAX
  const method = () => (isLong || isSparse(context, blocks, zeros) ? 'cloneNew' : 'copyNew')
  const copied = isMostlySame(local, global, blocks) && (await copyOld(context, global, method(), mode))
  try {
    if (!copied) return await freshFile(context, path, await create(), global)
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error
  }
  const left = await reuse(context, path, { global, blocks, copied }, signal)
  if (left !== undefined) return left
  await context.parents.inside(name, () => disk.removeFile(path))
  return await freshFile(context, path, await create(), global)
}

/** A new temporary file; what an interrupted pull left is removed. */
export async function openFreshTempFile(context: PullContext, global: FileInfo): Promise<TempFile> {
  const name = temporaryName(global.name, context.platform.system.platform)
  const path = pathOf(context, name)
  await removeIfThere(context, name)
  const file = await context.parents.inside(name, () => context.platform.disk.open(path, 'create', 0o666))
  return await freshFile(context, path, file, global)
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
async function copyOld(
  context: PullContext,
  { name }: FileInfo,
  how: 'copyNew' | 'cloneNew',
  mode: number,
): Promise<boolean> {
  const { disk, system } = context.platform
  const temporary = temporaryName(name, system.platform)
  try {
    const copy = () => disk[how](pathOf(context, name), pathOf(context, temporary), mode)
    await context.parents.inside(temporary, copy)
    return true
  } catch (error) {
    const { id } = context.folder
    context.log.debug(() => `folder ${id}: ${JSON.stringify(name)} cannot be copied: ${messageOf(error)}`)
    return false
  }
}

async function freshFile(context: PullContext, path: string, file: DiskFile, global: FileInfo): Promise<TempFile> {
  try {
    // A file of one block is written at once; a larger one is truncated to its size first, so that a full disk fails
    // early.
    const sparse = !context.folder.disableSparseFiles && global.sizeBytes > global.blockSizeBytes
    if (sparse) await file.truncate(global.sizeBytes)
    return new TempFile(path, file, {
      present: NO_BLOCKS,
      copied: false,
      fresh: true,
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
  path: string,
  { global, blocks, copied }: Leftover,
  signal: AbortSignal,
): Promise<TempFile | undefined> {
  const file = await openExisting(context, path)
  if (file === undefined) return undefined
  try {
    const stat = await file.stat()
    if (await isFinished(context, global, stat)) {
      await file.close()
      return undefined
    }
    // Write-back runs during hashing, so that the final sync, which reports errors again, is short.
    const writes = !context.folder.disableFsync && stat.sizeBytes >= COPY_SIZE_BYTES_MIN
    const written = writes ? file.sync().catch(() => {}) : undefined
    const present = await blocksPresent(context, path, stat, global, blocks, signal)
    await written
    if (present.size > 0) {
      if (stat.sizeBytes !== global.sizeBytes) await file.truncate(global.sizeBytes)
      return new TempFile(path, file, { present, copied, fresh: false, fsync: !context.folder.disableFsync })
    }
  } catch (error) {
    await file.close()
    throw error
  }
  await file.close()
  return undefined
}

/** A crash can leave a finished file under both names: writing to one would change the other. */
async function isFinished(context: PullContext, { name }: FileInfo, temp: DiskStat): Promise<boolean> {
  const target = await context.platform.disk.lstat(pathOf(context, name)).catch(() => undefined) // usually missing
  return target !== undefined && target.inode === temp.inode && target.deviceId === temp.deviceId
}

async function openExisting(context: PullContext, path: string): Promise<DiskFile | undefined> {
  try {
    return await context.platform.disk.open(path, 'write')
  } catch {
    return undefined // a symlink, a pipe or not writable: the caller removes it or reports the error
  }
}

async function blocksPresent(
  context: PullContext,
  path: string,
  stat: DiskStat,
  global: FileInfo,
  blocks: readonly Block[],
  signal: AbortSignal,
): Promise<ReadonlySet<number>> {
  if (stat.sizeBytes === 0) return NO_BLOCKS
  const { sizeBytes, modifiedS, modifiedNs } = stat
  const job = { path, sizeBytes, modifiedS, modifiedNs, blockSizeBytes: global.blockSizeBytes }
  const [result] = await context.platform.hasher.hash([job], () => {}, signal)
  return result?.kind === 'hashed' ? blocksInPlace(blocks, result.blockHashes) : NO_BLOCKS
}
