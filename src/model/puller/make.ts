import { FLAG_UNSUPPORTED, type FileHead, type FileInfo } from '../../core/records/file-info.ts'
import { temporaryName } from '../../core/paths.ts'
import type { DiskItem } from '../../core/records/change.ts'
import { adopted, pathOf, type PullContext } from './context.ts'
import { saveAsConflict } from './conflict.ts'
import { itemFailed } from '../../platform/files/item-failed.ts'
import { removeIfThere } from './remove.ts'
import { putInPlace } from './replace.ts'
import { removeSafely } from './remove-safely.ts'
import { checkTarget, statItem } from './target.ts'

const PERMISSIONS = 0o777

/** Whether permission bits of this record are applied. */
export function hasPermissions(context: PullContext, record: FileHead): boolean {
  return !context.compare.ignorePerms && !record.noPermissions
}

/** Creates a directory, or sets the mode of an existing one. */
export async function makeDirectoryItem(
  context: PullContext,
  global: FileInfo,
  local: FileHead | undefined,
  saveOurs: boolean,
): Promise<void> {
  const { name } = global
  const { disk } = context.platform
  await context.parents.ensure(name)
  let item = await statItem(context, name)
  if (item !== undefined && !isDirectory(item)) {
    await clearTarget(context, global, local, saveOurs)
    item = undefined
  }
  const path = pathOf(context, name)
  const first = hasPermissions(context, global) ? 0o700 : PERMISSIONS
  if (item === undefined) await context.parents.inside(name, () => disk.makeDirectory(path, first))
  if (context.attributes !== undefined) {
    await (item === undefined ? context.attributes.setNew(name, global) : context.attributes.setAt(name, global, local))
  }
  if (hasPermissions(context, global)) {
    const { mode } = await disk.lstat(path)
    const wanted = (mode & ~PERMISSIONS) | (global.permissions & PERMISSIONS)
    if (mode !== wanted) await disk.chmod(path, wanted)
  }
  await context.owners.setAt(path, global)
  context.records.add(adopted(global, global), true)
}

/** The new symlink is created under a temporary name and replaces the old item atomically. */
export async function makeSymlinkItem(
  context: PullContext,
  global: FileInfo,
  local: FileHead | undefined,
  saveOurs: boolean,
): Promise<void> {
  const { name } = global
  const { disk, system } = context.platform
  if (system.platform === 'win32' || system.platform === 'android') {
    context.records.add({ ...adopted(global, global), localFlags: FLAG_UNSUPPORTED }, false)
    return
  }
  if (global.symlinkTarget === '') throw itemFailed('symlink has no target')
  await context.parents.ensure(name)
  const item = await checkTarget(context, name, local)
  const same = item?.type === 'symlink' && item.symlinkTarget === global.symlinkTarget
  if (!same) {
    const temporary = temporaryName(name, system.platform)
    await removeIfThere(context, temporary)
    await context.parents.inside(name, () => disk.makeSymlink(global.symlinkTarget, pathOf(context, temporary)))
    await context.owners.setAt(pathOf(context, temporary), global)
    const target = { name, item, next: global, saveOurs }
    await putInPlace(context, pathOf(context, temporary), target).catch(async (error: unknown) => {
      await removeIfThere(context, temporary).catch(() => {}) // the first error is reported
      throw error
    })
  }
  if (same) await context.owners.setAt(pathOf(context, name), global)
  context.records.add(adopted(global, global), !same)
}

/** Removes an item that a directory cannot replace. */
async function clearTarget(
  context: PullContext,
  winner: FileHead,
  local: FileHead | undefined,
  saveOurs: boolean,
): Promise<void> {
  const { name } = winner
  const item = await checkTarget(context, name, local)
  if (saveOurs) await saveAsConflict(context, name, winner)
  else if (item?.type === 'file') await context.archive?.move(name)
  await removeSafely(context, name, local)
}

function isDirectory(item: DiskItem | 'other'): boolean {
  return item !== 'other' && item.type === 'directory'
}
