import { parentOf } from '../../core/paths.ts'
import { diskReason } from '../../platform/files/disk-reason.ts'
import { isItemFailure } from '../../platform/files/item-failed.ts'
import type { PullParts } from './pull-parts.ts'

type DeleteParts = Pick<PullParts, 'index' | 'kept' | 'tree'>

/**
 * Deletes kept files here: they become old versions where the folder has some. Resolves with the reason for each that
 * stays. The caller must hold the lock exclusively.
 */
export async function deleteKept(
  parts: DeleteParts,
  names: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const { kept, tree } = parts
  const failures = new Map<string, string>()
  try {
    for (const name of names) {
      signal.throwIfAborted()
      const reason = await deleteOne(parts, name)
      if (reason !== undefined) failures.set(name, reason)
    }
  } finally {
    await tree.takeChanged()?.()
    await kept.store()
  }
  return failures
}

async function deleteOne(parts: DeleteParts, name: string): Promise<string | undefined> {
  const { index, kept, tree } = parts
  const found = kept.find(name)
  // A crash may have left an entry whose file is live again.
  const isLive = (await index.records.head('local', name))?.deleted === false
  if (found === undefined || isLive) return 'it is not kept'
  try {
    await tree.remove(name, found.file)
    kept.forget(name)
    await removeEmptyAbove(parts, name)
    return undefined
  } catch (error) {
    if (!isItemFailure(error)) throw error
    return diskReason(error)
  }
}

/** The directories that were here for kept files only. */
async function removeEmptyAbove({ index, kept, tree }: DeleteParts, name: string): Promise<void> {
  for (let directory = parentOf(name); directory !== ''; directory = parentOf(directory)) {
    const record = await index.records.head('local', directory)
    if (kept.hasBelow(directory) || record?.deleted !== true) return
    const isGone = await tree.removeDirectory(directory).catch((error: unknown) => {
      if (!isItemFailure(error)) throw error
      return false // something else is in it, which the next scan announces
    })
    if (!isGone) return
  }
}
