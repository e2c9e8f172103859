import { diskStampOf, STAMP_UNVERIFIED } from '../../core/records/disk-stamp.ts'
import {
  diskSizeOf,
  diskTimeOf,
  type DiskState,
  type FileHead,
  type FileInfo,
  type FileTime,
} from '../../core/records/file-info.ts'
import type { DiskStat } from '../../platform/disk.ts'
import { adopted, pathOf, type PullContext } from './context.ts'
import { itemFailed } from '../../platform/files/item-failed.ts'
import { hasPermissions } from './make.ts'
import { checkTarget, modified } from './target.ts'

/** The content is identical: sets mode and time, and adopts the record. */
export async function takeMetadata(context: PullContext, global: FileInfo, local: FileHead): Promise<void> {
  const { name } = global
  await context.parents.check(name)
  const item = await checkTarget(context, name, local)
  if (item === undefined) throw itemFailed('file does not exist any more')
  context.records.add(adopted(global, await applyMetadata(context, global, local)), true)
}

/**
 * Applies the metadata of the record and returns the resulting state on disk. `local` is the record of the current
 * file. Rejects where the file was edited since it was checked.
 */
export async function applyMetadata(context: PullContext, global: FileInfo, local: FileHead): Promise<DiskState> {
  const { disk } = context.platform
  const { name, modifiedS, modifiedNs } = global
  const path = pathOf(context, name)
  const { type, mode } = await disk.lstat(path)
  if (type !== 'file') throw itemFailed('not a regular file any more')
  if (context.attributes !== undefined) await context.attributes.setAt(name, global, local)
  if (hasPermissions(context, global) && (mode & 0o777) !== (global.permissions & 0o777)) {
    await disk.chmod(path, (mode & ~0o777) | (global.permissions & 0o777))
  }
  await context.owners.setAt(path, global)
  const before = await disk.lstat(path)
  if (isEdited(context, before, local)) {
    context.scanLater(name)
    throw modified()
  }
  if (isSameTime(before, global)) return { modifiedS, modifiedNs, diskStamp: diskStampOf(before) }
  await disk.setModified(path, modifiedS, modifiedNs)
  const after = await disk.lstat(path)
  // The new time hides an edit that was made since the check: the next scan hashes the file.
  return { modifiedS: after.modifiedS, modifiedNs: after.modifiedNs, diskStamp: STAMP_UNVERIFIED }
}

/** Whether size or time differ from the record. Mode and stamp were changed here. */
function isEdited({ compare }: PullContext, now: DiskStat, local: FileHead): boolean {
  if (now.sizeBytes !== diskSizeOf(local)) return true
  const { modifiedS, modifiedNs } = diskTimeOf(local)
  if (compare.modTimeWindowMs <= 0) return !isSameTime(now, { modifiedS, modifiedNs })
  return Math.abs((now.modifiedS - modifiedS) * 1_000) > compare.modTimeWindowMs + 1_000
}

function isSameTime(a: FileTime, b: FileTime): boolean {
  return a.modifiedS === b.modifiedS && a.modifiedNs === b.modifiedNs
}
