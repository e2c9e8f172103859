import { messageOf, systemCode } from '../../core/errors.ts'
import { blocksInPlace, type Block, type ZeroBlocks } from '../../core/records/block-diff.ts'
import type { FileInfo } from '../../core/records/file-info.ts'
import { temporaryName } from '../../core/paths.ts'
import type { DiskFile, DiskStat } from '../../platform/disk.ts'
import { pathOf, type PullContext } from './context.ts'
import { hasPermissions } from './make.ts'
import { WriteBehind } from './write-behind.ts'

const NO_BLOCKS: ReadonlySet<number> = new Set()
/** We must be able to go on writing after an interruption, whatever mode the file will have. */
const OWNER_READ_WRITE = 0o600

/** A file in the making, beside the place where it will be. */
export class TempFile implements AsyncDisposable {
  readonly path: string
  readonly file: DiskFile
  /** Blocks that stand in their place already. */
  readonly present: ReadonlySet<number>
  /** They come from the old version of the file, not from a pull that was interrupted. */
  readonly copied: boolean
  /** Nothing was ever written to it: what nobody writes reads as zeros. */
  readonly fresh: boolean
  readonly #writeBehind: WriteBehind | undefined
  #closed = false

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

  /** To be told of all that is written: the disk begins with it before the file is complete. */
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
 * Opens the temporary file of a record, going on with what an interrupted pull left, or with a copy of the old version
 * where most of that stays. Anything else by that name is ours to remove, and never followed.
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
  const way = () => (isLong || isSparse(context, blocks, zeros) ? 'cloneNew' : 'copyNew')
  const copied = isMostlySame(local, global, blocks) && (await copyOld(context, global, way(), mode))
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

/** Smaller files are copied block by block, which costs less than to look at all that a copy holds. */
const COPY_SIZE_BYTES_MIN = 8 * 1_024 * 1_024
/**
 * Up to here the system copies a file with less effort than we do block by block. Larger ones have blocks that go past
 * the system's memory, are hashed on their way and not afterwards, and stop when they are asked to.
 */
const COPY_SIZE_BYTES_MAX = 256 * 1_024 * 1_024

/** Whether at least half of the blocks stand where they stood. */
function isMostlySame(local: FileInfo | undefined, global: FileInfo, blocks: readonly Block[]): boolean {
  if (local === undefined || local.deleted || local.type !== 'file' || local.blockHashes === undefined) return false
  if (global.sizeBytes < COPY_SIZE_BYTES_MIN || local.blockSizeBytes !== global.blockSizeBytes) return false
  return blocksInPlace(blocks, local.blockHashes).size * 2 >= blocks.length
}

/** The system's copy has no holes: where there should be some, only a clone will do. */
function isSparse(context: PullContext, blocks: readonly Block[], zeros: ZeroBlocks): boolean {
  return !context.folder.disableSparseFiles && blocks.some((block) => zeros.has(block))
}

/** False where it cannot be done: then the blocks are copied one by one, or fetched. */
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
    // A file of one block is written at once; a larger one gets its size first, so that a full disk shows early.
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
  /** It was made a moment ago, of the old version. */
  readonly copied: boolean
}

/** Undefined when nothing in the file is of use, or it is no file. */
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
    // Meanwhile the disk writes what it has not yet: the last sync, where a failure shows again, has little to wait for.
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

/** A crash can leave a finished file with both its names: to write to the one would change the other under its reader. */
async function isFinished(context: PullContext, { name }: FileInfo, temp: DiskStat): Promise<boolean> {
  const target = await context.platform.disk.lstat(pathOf(context, name)).catch(() => undefined) // nothing there, usually
  return target !== undefined && target.inode === temp.inode && target.deviceId === temp.deviceId
}

async function openExisting(context: PullContext, path: string): Promise<DiskFile | undefined> {
  try {
    return await context.platform.disk.open(path, 'write')
  } catch {
    return undefined // a symlink, a pipe, a file we may not write: the caller removes it, or fails to and says why
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
