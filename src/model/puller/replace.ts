import type { DiskItem } from '../../core/change.ts'
import { systemCode } from '../../core/errors.ts'
import type { FileHead } from '../../core/file-info.ts'
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
  const isFree = await makeRoom(context, target)
  const put = () => (isFree ? disk.renameNew(from, to) : disk.rename(from, to))
  try {
    await context.parents.inside(target.name, put)
  } catch (error) {
    // Where nothing is, nothing is replaced: not even what somebody made there since we looked.
    if (!isFree || systemCode(error) !== 'EEXIST') throw error
    context.scanLater(target.name)
    throw itemFailed(`checking existing file: ${MODIFIED}`, error)
  }
}

/** True when nothing has the name any longer. */
async function makeRoom(context: PullContext, { name, item, winner }: Target): Promise<boolean> {
  if (item === undefined) return true
  if (item.type === 'directory') {
    await clearDirectory(context, name)
    return true
  }
  if (winner !== undefined) return await saveAsConflict(context, name, winner)
  if (item.type === 'file') await context.archive?.(name)
  return false
}
