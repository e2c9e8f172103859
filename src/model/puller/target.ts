import { isChanged, type DiskItem } from '../../core/records/change.ts'
import { shortIdText } from '../../core/device-id.ts'
import { isMissing, systemCode } from '../../core/errors.ts'
import type { FileHead } from '../../core/records/file-info.ts'
import { conflictName, conflictOriginal, isConflictName, isConflictOf, joinPath, parentOf } from '../../core/paths.ts'
import { areStrangers } from '../../core/records/plan.ts'
import { compactTime } from '../../core/formats/local-time.ts'
import { diskReason } from '../../platform/files/disk-reason.ts'
import { itemFailed, pathOf, type PullContext } from './context.ts'

export const MODIFIED = 'file modified but not rescanned; will try again later'

/** Copies of one file made in the same second get the seconds after it. */
const CONFLICT_NAMES_TRIED_MAX = 60

/** What is on disk under a name, as a scan would see it; undefined when there is nothing. */
export async function lookAt(context: PullContext, name: string): Promise<DiskItem | 'other' | undefined> {
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

/** Whether the disk shows what our record says: only then do we know what we are about to replace. */
export function isAsRecorded(
  context: PullContext,
  item: DiskItem | 'other' | undefined,
  local: FileHead | undefined,
): boolean {
  if (local === undefined || local.deleted) return item === undefined
  return item !== undefined && item !== 'other' && !isChanged(local, item, context.compare)
}

/** Rejects, and has the name scanned, unless the disk shows what our record says. */
export async function checkTarget(
  context: PullContext,
  name: string,
  local: FileHead | undefined,
): Promise<DiskItem | undefined> {
  const item = await lookAt(context, name)
  if (!isAsRecorded(context, item, local) || item === 'other') {
    context.scanLater(name)
    throw itemFailed(MODIFIED)
  }
  return item
}

/**
 * Puts our file out of the way of a winner that never saw it, under a name that tells what happened. Does nothing where
 * people want no such copies, and for a file that is one itself: then the winner replaces it. But a copy that only met
 * another of the same name has content that is nowhere else, and gets another name of the same kind. Resolves with
 * whether the name is free now.
 */
export async function saveAsConflict(context: PullContext, name: string, winner: FileHead): Promise<boolean> {
  const { maxConflicts } = context.folder
  if (maxConflicts === 0 || (isConflictName(name) && !(await isStranger(context, name, winner)))) return false
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
      if (isMissing(error)) return true // somebody was faster: there is nothing left to save
      if (systemCode(error) !== 'EEXIST') throw itemFailed(`moving for conflict: ${diskReason(error)}`, error)
    }
  }
  throw itemFailed('moving for conflict: all names are taken')
}

async function isStranger(context: PullContext, name: string, winner: FileHead): Promise<boolean> {
  const local = await context.index.get('local', name)
  return local !== undefined && areStrangers(local, winner)
}

/** Leaves the newest copies, as many as people want. */
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
