import type { DiskItem } from '../../core/records/change.ts'
import { systemCode } from '../../core/errors.ts'
import type { FileHead } from '../../core/records/file-info.ts'
import type { KeptFile } from '../../versioner/types.ts'
import { pathOf, type PullContext } from './context.ts'
import { saveAsConflict } from './conflict.ts'
import { keepDisplaced, replaceByExchange } from './displaced.ts'
import { clearForReplacement } from './remove.ts'
import { modified } from './target.ts'

/** The item to be replaced. */
export interface Target {
  readonly name: string
  /** The current item on disk, as checked before. */
  readonly item: DiskItem | undefined
  /** The record of the new item. */
  readonly next: FileHead
  /** Our file is kept as a conflict copy. */
  readonly saveOurs: boolean
}

/** Freeing a larger file takes the system long: a third of a second for 1 GiB. */
const HELD_SIZE_BYTES_MIN = 8 * 1_024 * 1_024

/** Renames the file or symlink at `from` to its name in the folder. The item is replaced atomically. */
export async function putInPlace(context: PullContext, from: string, target: Target): Promise<void> {
  const { disk } = context.platform
  const to = pathOf(context, target.name)
  const { isFree, kept } = await prepareTarget(context, target)
  const { item } = target
  const put = async (): Promise<string | undefined> => {
    if (!isFree && item !== undefined) return await replace(context, from, to, item)
    await disk.renameNew(from, to)
    return undefined
  }
  let displaced: string | undefined
  try {
    displaced = await context.parents.inside(target.name, put)
    await kept?.done()
  } catch (error) {
    await kept?.undo()
    // A free name is never overwritten: a file created since the check is kept.
    if (!isFree || systemCode(error) !== 'EEXIST') throw error
    context.scanLater(target.name)
    throw modified('checking existing file', error)
  }
  if (displaced !== undefined) await keepDisplaced(context, target.name, displaced, from)
}

/**
 * A large replaced file is held open meanwhile, so that it is freed after the lock is released. Resolves with the path
 * of the replaced item where it must be kept.
 */
async function replace(context: PullContext, from: string, to: string, old: DiskItem): Promise<string | undefined> {
  const { disk, system } = context.platform
  const isLarge = old.type === 'file' && old.sizeBytes >= HELD_SIZE_BYTES_MIN
  // Windows cannot replace open files. A failed open is harmless.
  const held = isLarge && system.platform !== 'win32' ? await disk.open(to, 'read').catch(() => undefined) : undefined
  try {
    return await replaceByExchange(context, from, to, old)
  } finally {
    held?.close().catch(() => {}) // nothing was written to it
  }
}

interface PreparedTarget {
  /** The name is unused. */
  readonly isFree: boolean
  /** The archived version of the current item, valid once it is replaced. */
  readonly kept?: KeptFile
}

const FREE: PreparedTarget = { isFree: true }

async function prepareTarget(context: PullContext, { name, item, next, saveOurs }: Target): Promise<PreparedTarget> {
  if (item === undefined) return FREE
  if (item.type === 'directory') {
    await clearForReplacement(context, name, next)
    return FREE
  }
  if (saveOurs) return { isFree: await saveAsConflict(context, name, next) }
  const kept = item.type === 'file' ? await context.archive?.keep(name) : undefined
  return kept === undefined ? { isFree: false } : { isFree: kept.gone, kept }
}
