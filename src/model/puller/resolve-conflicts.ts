import { conflictOriginal, isCanonical, isConflictName, isReserved } from '../../core/paths.ts'
import type { FileHead } from '../../core/records/file-info.ts'
import { diskReason } from '../../platform/files/disk-reason.ts'
import { isItemFailure, itemFailed } from '../../platform/files/item-failed.ts'
import type { ConflictChoice } from '../types.ts'
import type { PullParts } from './pull-parts.ts'

interface ResolveParts extends Pick<PullParts, 'index' | 'tree'> {
  scanLater(name: string): void
}

/**
 * Resolves conflicts by the names of the copies. The caller must hold the lock exclusively. The map holds a reason for
 * each that is unchanged.
 */
export async function resolveConflicts(
  parts: ResolveParts,
  names: Iterable<string>,
  choice: ConflictChoice,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const failures = new Map<string, string>()
  const resolved = new Set<string>()
  for (const name of new Set(names)) {
    signal.throwIfAborted()
    try {
      const original = originalOf(name)
      if (choice.keep === 'copy' && resolved.has(original)) throw itemFailed('another copy of this file was kept')
      await resolve(parts, name, original, choice)
      resolved.add(original)
    } catch (error) {
      if (!isItemFailure(error)) throw error
      failures.set(name, diskReason(error))
    }
  }
  return failures
}

/** Rejects names that are no conflict copies, or would reach outside the folder or into its internal files. */
function originalOf(copy: string): string {
  const original = conflictOriginal(copy)
  const isUsable = (name: string) => isCanonical(name) && !isReserved(name)
  if (!isConflictName(copy) || !isUsable(copy) || !isUsable(original)) throw itemFailed('this is no conflict copy')
  return original
}

/** What is not kept becomes an old version, or is removed if the user has agreed to that. */
async function resolve(
  { index, scanLater, tree }: ResolveParts,
  copy: string,
  original: string,
  choice: ConflictChoice,
): Promise<void> {
  const { keep, mayRemove } = choice
  const record = await index.records.head('local', copy)
  const item = await tree.check(copy, record)
  if (record === undefined || item === undefined) throw itemFailed('the conflict copy is gone')
  if (item.type !== 'file') throw itemFailed('this is no file')
  const mayLose = tree.keepsVersions || mayRemove
  let lost: FileHead | undefined
  if (keep === 'original') {
    if (!mayLose) throw notAgreed()
    await tree.remove(copy, record)
    lost = record
  } else {
    const before = await index.records.head('local', original)
    const replaced = await tree.check(original, before)
    if (replaced !== undefined && replaced.type !== 'file') throw itemFailed('something else has the name of the file')
    if (replaced !== undefined && !mayLose) throw notAgreed()
    await tree.putCopy(record, original, replaced)
    lost = replaced === undefined ? undefined : before
    scanLater(original)
  }
  scanLater(copy)
  await tree.takeChanged()?.()
  if (lost !== undefined && !tree.keepsVersions) return
  choice.onResolved?.({ keep, copy: record, original, replaced: keep === 'copy' ? lost : undefined })
}

function notAgreed(): Error {
  return itemFailed('the folder keeps no old versions: the other version would be lost')
}
