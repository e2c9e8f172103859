import { isChanged, type DiskItem } from '../../core/records/change.ts'
import { hasOtherStamp } from '../../core/records/disk-stamp.ts'
import { isMissing } from '../../core/errors.ts'
import type { FileHead } from '../../core/records/file-info.ts'
import { baseOf, foldName, parentOf } from '../../core/paths.ts'
import { pathOf, type PullContext } from './context.ts'
import { diskReason } from '../../platform/files/disk-reason.ts'
import { itemFailed } from '../../platform/files/item-failed.ts'

const MODIFIED = 'file modified but not rescanned; will try again later'

/** The item was changed since it was last checked or scanned. */
export function modified(step?: string, cause?: unknown): Error {
  return itemFailed(step === undefined ? MODIFIED : `${step}: ${MODIFIED}`, { cause, detail: 'modified' })
}

/** The item on disk as a scan would see it; undefined where it is missing. */
export async function statItem(context: PullContext, name: string): Promise<DiskItem | 'other' | undefined> {
  const { disk } = context.platform
  const path = pathOf(context, name)
  try {
    const stat = await disk.lstat(path)
    if (stat.type === 'other') return 'other'
    const symlinkTarget = stat.type === 'symlink' ? await disk.readSymlink(path) : ''
    const { type, sizeBytes, modifiedS, modifiedNs, mode, changeStamp, inode } = stat
    return { name, type, sizeBytes, modifiedS, modifiedNs, mode, symlinkTarget, changeStamp, inode }
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

/** The same, and the file was not touched since: for a file under its recorded name, as a rename changes its stamp. */
export function isUntouched(
  context: PullContext,
  item: DiskItem | 'other' | undefined,
  local: FileHead | undefined,
): boolean {
  if (!isAsRecorded(context, item, local)) return false
  return item === undefined || item === 'other' || item.type !== 'file' || !hasOtherStamp(local?.diskStamp, item)
}

/**
 * Rejects where something is in the place of the item that no scan can record: then a transfer would be in vain, and
 * would leave a temporary file.
 */
export async function refuseObstacle(context: PullContext, name: string, local: FileHead | undefined): Promise<void> {
  const item = await statItem(context, name)
  const reason = item === undefined ? undefined : await obstacleReason(context, name, item, local)
  if (reason !== undefined) throw itemFailed(reason)
}

async function obstacleReason(
  context: PullContext,
  name: string,
  item: DiskItem | 'other',
  local: FileHead | undefined,
): Promise<string | undefined> {
  if (item === 'other') return 'a device, pipe or socket is in the place of the item'
  if (item.type !== 'file' || isAsRecorded(context, item, local)) return undefined
  try {
    const file = await context.platform.disk.open(pathOf(context, name), 'read')
    await file.close()
    return undefined
  } catch (error) {
    return isMissing(error) ? undefined : `an unreadable file is in the place of the item: ${diskReason(error)}`
  }
}

/** Rejects, and schedules a scan, unless the disk matches our record. */
export async function checkTarget(
  context: PullContext,
  name: string,
  local: FileHead | undefined,
): Promise<DiskItem | undefined> {
  const item = await statItem(context, name)
  if (!isUntouched(context, item, local) || item === 'other') {
    context.scanLater(name)
    if (item === undefined) throw modified()
    const other = await otherSpelling(context, name)
    if (other !== undefined) throw itemFailed(caseConflict(baseOf(name), other))
    const reason = await obstacleReason(context, name, item, local)
    throw reason === undefined ? modified() : itemFailed(reason)
  }
  return item
}

/** The name of the item that the disk has for another spelling of it; undefined where it has this name. */
async function otherSpelling(context: PullContext, name: string): Promise<string | undefined> {
  if (context.folder.caseSensitiveFS) return undefined
  const entries = await context.platform.disk.list(pathOf(context, parentOf(name)))
  const base = baseOf(name)
  if (entries.some((entry) => entry.name === base)) return undefined
  const folded = foldName(base)
  return entries.find((entry) => foldName(entry.name) === folded)?.name
}

function caseConflict(remote: string, local: string): string {
  const names = `remote ${JSON.stringify(remote)} uses different upper or lowercase characters than local`
  return `${names} ${JSON.stringify(local)}; change the casing on either side to match the other`
}
