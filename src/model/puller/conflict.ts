import { shortIdText } from '../../core/device-id.ts'
import { isMissing, systemCode } from '../../core/errors.ts'
import type { FileHead } from '../../core/records/file-info.ts'
import { conflictName, conflictOriginal, isConflictOf, joinPath, parentOf } from '../../core/paths.ts'
import { compactTime } from '../../core/formats/local-time.ts'
import { diskReason } from '../../platform/files/disk-reason.ts'
import { pathOf, type PullContext } from './context.ts'
import { itemFailed } from '../../platform/files/item-failed.ts'

/** Conflict copies of one file in the same second use the following seconds. */
const NAMES_TRIED_MAX = 60

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
  const original = conflictOriginal(name)
  for (let tried = 0; tried < NAMES_TRIED_MAX; tried++) {
    const kept = conflictName(original, compactTime(timeMs + tried * 1_000), shortIdText(modifiedBy))
    const rename = () => context.platform.disk.renameNew(pathOf(context, name), pathOf(context, kept))
    try {
      await context.parents.inside(name, rename)
      context.scanLater(kept)
      context.onConflict?.()
      return kept
    } catch (error) {
      if (isMissing(error)) return undefined
      if (systemCode(error) !== 'EEXIST') throw itemFailed(`moving for conflict: ${diskReason(error)}`, error)
    }
  }
  throw itemFailed('moving for conflict: all names are in use')
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
