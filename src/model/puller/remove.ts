import { isMissing } from '../../core/errors.ts'
import type { FileHead, FileInfo } from '../../core/records/file-info.ts'
import { pathOf, type PullContext } from './context.ts'
import { renameToConflict, saveAsConflict } from './conflict.ts'
import { DirectoryContents } from './directory-contents.ts'
import { removeEncryptedParents } from './encrypted-parents.ts'
import { removeSafely } from './remove-safely.ts'
import { checkTarget, statItem } from './target.ts'

/** Removes a file or symlink that was deleted on another device, and records it. */
export async function removeFileItem(
  context: PullContext,
  global: FileInfo,
  local: FileHead,
  saveOurs: boolean,
): Promise<void> {
  const { name } = global
  const there = (await context.parents.isReachable(name)) && (await statItem(context, name)) !== undefined
  if (there) {
    await checkTarget(context, name, local)
    if (saveOurs) await saveAsConflict(context, name, global)
    else if (local.type === 'file') await context.archive?.move(name)
    await removeSafely(context, name, local)
    await removeEncryptedParents(context, name)
  }
  context.records.add(deletionRecord(global), there)
}

export function deletionRecord(global: FileInfo): FileInfo {
  return { ...global, sequence: 0, localFlags: 0 }
}

/** For temporary files, which no other program writes. */
export async function removeIfThere(context: PullContext, name: string): Promise<void> {
  const remove = () => context.platform.disk.removeFile(pathOf(context, name))
  await context.parents.inside(name, remove).catch((error: unknown) => {
    if (!isMissing(error)) throw error
  })
}

/**
 * Removes a directory that was deleted on another device, and records it, unless it contains items that must be kept.
 */
export async function removeDirectoryItem(context: PullContext, global: FileInfo): Promise<void> {
  const { name } = global
  const item = (await context.parents.isReachable(name)) ? await statItem(context, name) : undefined
  // Another item of that name is not the deleted one: the next scan announces it.
  if (item !== undefined && (item === 'other' || item.type !== 'directory')) context.scanLater(name)
  else if (item !== undefined) {
    await clearDirectory(context, name)
    await removeEncryptedParents(context, name)
  }
  context.records.add(deletionRecord(global), item !== undefined)
}

/** Removes a directory with its deletable contents. Rejects with the reason where something must be kept. */
export async function clearDirectory(context: PullContext, name: string): Promise<void> {
  const contents = new DirectoryContents(context)
  await contents.collect(name)
  contents.refuse('deleted')
  await removeDeletable(context, contents)
  if (contents.receiveOnly) context.scanLater(name) // stays on disk as a local change
  else await context.parents.inside(name, () => context.platform.disk.removeDirectory(pathOf(context, name)))
}

/** Frees the name of a directory for a file or symlink. Rejects with the reason where something must be kept. */
export async function clearForReplacement(context: PullContext, name: string, winner: FileHead): Promise<void> {
  const contents = new DirectoryContents(context)
  await contents.collect(name)
  contents.refuse('replaced')
  await removeDeletable(context, contents)
  // Local changes of a receive-only folder are kept under another name.
  if (contents.receiveOnly) {
    await renameToConflict(context, name, winner)
    context.scanLater(name) // its contents are gone from there
  } else await context.parents.inside(name, () => context.platform.disk.removeDirectory(pathOf(context, name)))
}

/** Rejects where `clearForReplacement` would. */
export async function checkReplaceable(context: PullContext, name: string, local: FileHead): Promise<void> {
  await checkTarget(context, name, local)
  const contents = new DirectoryContents(context)
  await contents.collect(name)
  contents.refuse('replaced')
}

async function removeDeletable(context: PullContext, { deletable }: DirectoryContents): Promise<void> {
  const { disk } = context.platform
  for (const { path: child, isDirectory } of deletable.reverse()) {
    const path = pathOf(context, child)
    await context.parents.inside(child, () => (isDirectory ? disk.removeDirectory(path) : disk.removeFile(path)))
  }
}
