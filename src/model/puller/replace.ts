import type { DiskItem } from '../../core/change.ts'
import { systemCode } from '../../core/errors.ts'
import type { FileHead } from '../../core/file-info.ts'
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

/** Gives the file or symlink at `from` its name in the folder. Whoever looks finds the old item or the new one. */
export async function putInPlace(context: PullContext, from: string, target: Target): Promise<void> {
  const { disk } = context.world
  const to = pathOf(context, target.name)
  const { isFree, kept } = await makeRoom(context, target)
  const put = () => (isFree ? disk.renameNew(from, to) : disk.rename(from, to))
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
