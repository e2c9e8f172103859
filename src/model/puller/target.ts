import { isChanged, type DiskItem } from '../../core/records/change.ts'
import { isMissing } from '../../core/errors.ts'
import type { FileHead } from '../../core/records/file-info.ts'
import { pathOf, type PullContext } from './context.ts'
import { itemFailed } from './item-failed.ts'

export const MODIFIED = 'file modified but not rescanned; will try again later'

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
