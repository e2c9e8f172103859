import { isChanged, type DiskItem } from '../../core/records/change.ts'
import { shortIdText } from '../../core/device-id.ts'
import { isMissing, systemCode } from '../../core/errors.ts'
import type { FileHead } from '../../core/records/file-info.ts'
import { conflictName, conflictOriginal, isConflictName, isConflictOf, joinPath, parentOf } from '../../core/paths.ts'
import { areUnrelated } from '../../core/records/plan.ts'
import { compactTime } from '../../core/formats/local-time.ts'
import { diskReason } from '../../platform/files/disk-reason.ts'
import { pathOf, type PullContext } from './context.ts'
import { itemFailed } from './item-failed.ts'

export const MODIFIED = 'file modified but not rescanned; will try again later'

/** Conflict copies of one file in the same second use the following seconds. */
const CONFLICT_NAMES_TRIED_MAX = 60

/** The item on disk as a scan would see it; undefined where it is missing. */
export async function statItem(context: PullContext, name: string): Promise<DiskItem | 'other' | undefined> {
  const { disk } = context.platform
  const path = pathOf(context, name)
  try {
    const stat = await disk.lstat(path)
    if (stat.type === 'other') return 'other'
    const symlinkTarget = stat.type === 'symlink' ? await disk.readSymlink(path) : ''
    const { type, sizeBytes, modifiedS, modifiedNs, mode } = stat
    return { name, type, sizeBytes, modifiedS, modifiedNs, mode, symlinkTarget }
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** Whether the disk matches our record: only then is it safe to replace the item. */
export function isAsRecorded(
  context: PullContext,
  item: DiskItem | 'other' | undefined,
  local: FileHead | undefined,
): boolean {
  if (local === undefined || local.deleted) return item === undefined
  return item !== undefined && item !== 'other' && !isChanged(local, item, context.compare)
}

/** Rejects, and schedules a scan, unless the disk matches our record. */
export async function checkTarget(
  context: PullContext,
  name: string,
  local: FileHead | undefined,
): Promise<DiskItem | undefined> {
  const item = await statItem(context, name)
  if (!isAsRecorded(context, item, local) || item === 'other') {
    context.scanLater(name)
    throw itemFailed(MODIFIED)
  }
  return item
}

/**
 * Renames our file to a conflict copy before the winner replaces it. No-op where conflict copies are disabled, and for
 * a file that is one itself. But a conflict copy that collides with an unrelated one of the same name has unique
 * content and gets another conflict name. Resolves with whether the name is free now.
 */
export async function saveAsConflict(context: PullContext, name: string, winner: FileHead): Promise<boolean> {
  const { maxConflicts } = context.folder
  if (maxConflicts === 0 || (isConflictName(name) && !(await isUnrelated(context, name, winner)))) return false
  const original = conflictOriginal(name)
  const nowMs = context.platform.clock.nowMs()
  for (let tried = 0; tried < CONFLICT_NAMES_TRIED_MAX; tried++) {
    const kept = conflictName(original, compactTime(nowMs + tried * 1_000), shortIdText(winner.modifiedBy))
    const rename = () => context.platform.disk.renameNew(pathOf(context, name), pathOf(context, kept))
    try {
      await context.parents.inside(name, rename)
      context.scanLater(kept)
      context.onConflict?.()
      if (maxConflicts > 0) await pruneConflicts(context, original)
      return true
    } catch (error) {
      if (isMissing(error)) return true // removed meanwhile: nothing is left to save
      if (systemCode(error) !== 'EEXIST') throw itemFailed(`moving for conflict: ${diskReason(error)}`, error)
    }
  }
  throw itemFailed('moving for conflict: all names are in use')
}

async function isUnrelated(context: PullContext, name: string, winner: FileHead): Promise<boolean> {
  const local = await context.index.get('local', name)
  return local !== undefined && areUnrelated(local, winner)
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
