import { diskStampOf } from '../../core/records/disk-stamp.ts'
import type { DiskState, FileHead, FileInfo } from '../../core/records/file-info.ts'
import { adopted, pathOf, type PullContext } from './context.ts'
import { itemFailed } from '../../platform/files/item-failed.ts'
import { hasPermissions } from './make.ts'
import { checkTarget } from './target.ts'

/** The content is identical: sets mode and time, and adopts the record. */
export async function takeMetadata(context: PullContext, global: FileInfo, local: FileHead): Promise<void> {
  const { name } = global
  await context.parents.check(name)
  const item = await checkTarget(context, name, local)
  if (item === undefined) throw itemFailed('file does not exist any more')
  context.records.add(adopted(global, await applyMetadata(context, global, local)), true)
}

/**
 * Applies the metadata of the record and returns the resulting time on disk. `local` is the record of the current file.
 */
export async function applyMetadata(context: PullContext, global: FileInfo, local: FileHead): Promise<DiskState> {
  const { disk } = context.platform
  const path = pathOf(context, global.name)
  const before = await disk.lstat(path)
  if (before.type !== 'file') throw itemFailed('not a regular file any more')
  if (context.attributes !== undefined) await context.attributes.setAt(global.name, global, local)
  if (hasPermissions(context, global) && (before.mode & 0o777) !== (global.permissions & 0o777)) {
    await disk.chmod(path, (before.mode & ~0o777) | (global.permissions & 0o777))
  }
  await context.owners.setAt(path, global)
  await disk.setModified(path, global.modifiedS, global.modifiedNs)
  const after = await disk.lstat(path)
  return { modifiedS: after.modifiedS, modifiedNs: after.modifiedNs, diskStamp: diskStampOf(after) }
}
