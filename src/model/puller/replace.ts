import type { DiskItem } from '../../core/records/change.ts'
import { systemCode } from '../../core/errors.ts'
import type { FileHead } from '../../core/records/file-info.ts'
import type { KeptFile } from '../../versioner/types.ts'
import { itemFailed, pathOf, type PullContext } from './context.ts'
import { clearDirectory } from './remove.ts'
import { MODIFIED, saveAsConflict } from './target.ts'

/** What is to be replaced. */
export interface Target {
  readonly name: string
  /** What has the name, as a look a moment ago showed it. */
  readonly item: DiskItem | undefined
  /** The record that replaces ours without knowing it: ours is kept beside it. */
  readonly winner: FileHead | undefined
}

/** To free the memory and the room of a larger file takes the system a while: of 1 GiB a third of a second. */
const HELD_SIZE_BYTES_MIN = 8 * 1_024 * 1_024

/** Gives the file or symlink at `from` its name in the folder. Whoever looks finds the old item or the new one. */
export async function putInPlace(context: PullContext, from: string, target: Target): Promise<void> {
  const { disk } = context.platform
  const to = pathOf(context, target.name)
  const { isFree, kept } = await makeRoom(context, target)
  const put = () => (isFree ? disk.renameNew(from, to) : replace(context, from, to, target.item))
  try {
    await context.parents.inside(target.name, put)
    await kept?.done()
  } catch (error) {
    await kept?.undo()
    // Where nothing is, nothing is replaced: not even what somebody made there since we looked.
    if (!isFree || systemCode(error) !== 'EEXIST') throw error
    context.scanLater(target.name)
    throw itemFailed(`checking existing file: ${MODIFIED}`, error)
  }
}

/** A large file that nobody needs any more is kept open until it is replaced, so that it goes when nobody waits for it. */
async function replace(context: PullContext, from: string, to: string, old: DiskItem | undefined): Promise<void> {
  const { disk, system } = context.platform
  const isLarge = old?.type === 'file' && old.sizeBytes >= HELD_SIZE_BYTES_MIN
  // On Windows what is open cannot be replaced; and whether we may read it does not matter.
  const held = isLarge && system.platform !== 'win32' ? await disk.open(to, 'read').catch(() => undefined) : undefined
  try {
    await disk.rename(from, to)
  } finally {
    held?.close().catch(() => {}) // nothing was written to it
  }
}

interface Room {
  /** Nothing has the name any longer. */
  readonly isFree: boolean
  /** What has it is an old version, too, from the moment it is replaced. */
  readonly kept?: KeptFile
}

const FREE: Room = { isFree: true }

async function makeRoom(context: PullContext, { name, item, winner }: Target): Promise<Room> {
  if (item === undefined) return FREE
  if (item.type === 'directory') {
    await clearDirectory(context, name)
    return FREE
  }
  if (winner !== undefined) return { isFree: await saveAsConflict(context, name, winner) }
  const kept = item.type === 'file' ? await context.archive?.keep(name) : undefined
  return kept === undefined ? { isFree: false } : { isFree: kept.gone, kept }
}
