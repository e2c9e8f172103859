import { systemCode } from '../../core/errors.ts'
import { blocksInPlace, type Block } from '../../core/block-diff.ts'
import type { FileInfo } from '../../core/file-info.ts'
import { temporaryName } from '../../core/paths.ts'
import type { DiskFile, DiskStat } from '../../world/disk.ts'
import { pathOf, type PullContext } from './context.ts'
import { hasPermissions } from './make.ts'

const NO_BLOCKS: ReadonlySet<number> = new Set()
/** We must be able to go on writing after an interruption, whatever mode the file will have. */
const OWNER_READ_WRITE = 0o600

/** A file in the making, beside the place where it will be. */
export class TempFile implements AsyncDisposable {
  readonly path: string
  readonly file: DiskFile
  /** Blocks that an earlier pull, interrupted, left in their place. */
  readonly present: ReadonlySet<number>
  /** Nothing was ever written to it: what nobody writes reads as zeros. */
  readonly fresh: boolean
  #closed = false

  constructor(path: string, file: DiskFile, present: ReadonlySet<number>, fresh: boolean) {
    this.path = path
    this.file = file
    this.present = present
    this.fresh = fresh
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.file.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

/**
 * Opens the temporary file of a record, going on with what an interrupted pull left. Anything else by that name is ours
 * to remove, and never followed.
 */
export async function openTempFile(context: PullContext, global: FileInfo, blocks: readonly Block[], signal: AbortSignal): Promise<TempFile> {
  const name = temporaryName(global.name, context.world.system.platform)
  const path = pathOf(context, name)
  const { disk } = context.world
  const mode = hasPermissions(context, global) ? (global.permissions & 0o777) | OWNER_READ_WRITE : 0o666
  const create = () => context.parents.inside(name, () => disk.open(path, 'create', mode))
  try {
    return await freshFile(context, path, await create(), global)
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error
  }
  const left = await reuse(context, path, global, blocks, signal)
  if (left !== undefined) return left
  await context.parents.inside(name, () => disk.removeFile(path))
  return await freshFile(context, path, await create(), global)
}

async function freshFile(context: PullContext, path: string, file: DiskFile, global: FileInfo): Promise<TempFile> {
  try {
    // A file of one block is written at once; a larger one gets its size first, so that a full disk shows early.
    if (!context.folder.disableSparseFiles && global.sizeBytes > global.blockSizeBytes) await file.truncate(global.sizeBytes)
    return new TempFile(path, file, NO_BLOCKS, true)
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Undefined when nothing in the file is of use, or it is no file. */
async function reuse(
  context: PullContext, path: string, global: FileInfo, blocks: readonly Block[], signal: AbortSignal,
): Promise<TempFile | undefined> {
  const file = await openExisting(context, path)
  if (file === undefined) return undefined
  try {
    const stat = await file.stat()
    const present = await blocksPresent(context, path, stat, global, blocks, signal)
    if (present.size > 0) {
      if (stat.sizeBytes !== global.sizeBytes) await file.truncate(global.sizeBytes)
      return new TempFile(path, file, present, false)
    }
  } catch (error) {
    await file.close()
    throw error
  }
  await file.close()
  return undefined
}

async function openExisting(context: PullContext, path: string): Promise<DiskFile | undefined> {
  try {
    return await context.world.disk.open(path, 'write')
  } catch {
    return undefined // a symlink, a pipe, a file we may not write: the caller removes it, or fails to and says why
  }
}

async function blocksPresent(
  context: PullContext, path: string, stat: DiskStat, global: FileInfo, blocks: readonly Block[], signal: AbortSignal,
): Promise<ReadonlySet<number>> {
  if (stat.sizeBytes === 0) return NO_BLOCKS
  const { sizeBytes, modifiedS, modifiedNs } = stat
  const job = { path, sizeBytes, modifiedS, modifiedNs, blockSizeBytes: global.blockSizeBytes }
  const [result] = await context.world.hasher.hash([job], () => {}, signal)
  return result?.kind === 'hashed' ? blocksInPlace(blocks, result.blockHashes) : NO_BLOCKS
}
