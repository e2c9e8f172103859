import { isMissing } from '../../core/errors.ts'
import type { FileHead } from '../../core/records/file-info.ts'
import { conflictOriginal, isConflictOf, joinPath, parentOf } from '../../core/paths.ts'
import { renameToConflictName } from '../../platform/files/conflict-name.ts'
import { diskReason } from '../../platform/files/disk-reason.ts'
import { pathOf, type PullContext } from './context.ts'
import { itemFailed } from '../../platform/files/item-failed.ts'

/**
 * Renames our file to a conflict copy before the winner replaces it, also if it is a conflict copy itself: it gets
 * another name of the same original. No-op where conflict copies are disabled. Resolves with whether the name is free.
 */
export async function saveAsConflict(context: PullContext, name: string, winner: FileHead): Promise<boolean> {
  const { maxConflicts } = context.folder
  if (maxConflicts === 0) return false
  const kept = await renameToConflict(context, name, winner)
  if (kept !== undefined && maxConflicts > 0) await pruneConflicts(context, conflictOriginal(name))
  return true
}

/**
 * Renames an item to an unused conflict name and schedules a scan of it. Resolves with the name, or with undefined
 * where the item was removed meanwhile. `timeMs` is the time in the name; default: now.
 */
export async function renameToConflict(
  context: PullContext,
  name: string,
  { modifiedBy }: Pick<FileHead, 'modifiedBy'>,
  timeMs = context.platform.clock.nowMs(),
): Promise<string | undefined> {
  const rename = (to: string) =>
    context.parents.inside(name, () => context.platform.disk.renameNew(pathOf(context, name), pathOf(context, to)))
  let kept: string | undefined
  try {
    kept = await renameToConflictName({ name, author: modifiedBy, timeMs }, rename)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw itemFailed(`moving for conflict: ${diskReason(error)}`, { cause: error })
  }
  if (kept === undefined) throw itemFailed('moving for conflict: all names are in use')
  context.scanLater(kept)
  context.onConflict?.()
  return kept
}

/** Keeps the newest copies, up to the configured limit. */
async function pruneConflicts(context: PullContext, name: string): Promise<void> {
  const directory = parentOf(name)
  const entries = await context.platform.disk.list(pathOf(context, directory))
  const names = entries
    .filter(({ valid }) => valid)
    .map((entry) => (directory === '' ? entry.name : `${directory}/${entry.name}`))
  const copies = names
    .filter((candidate) => isConflictOf(candidate, name))
    .sort()
    .reverse()
  for (const copy of copies.slice(context.folder.maxConflicts)) {
    await context.parents.inside(copy, () => context.platform.disk.removeFile(joinPath(context.root, copy)))
    context.scanLater(copy)
  }
}
