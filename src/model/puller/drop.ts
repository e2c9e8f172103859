import { ignoredOf } from '../../core/records/change.ts'
import { FLAG_IGNORED, type FileHead } from '../../core/records/file-info.ts'
import { devicesWithCopy } from '../../core/records/other-copies.ts'
import type { ShortId } from '../../core/ids.ts'
import type { NameRecords } from '../../db/types.ts'
import { diskReason } from '../../platform/files/disk-reason.ts'
import { isItemFailure } from '../../platform/files/item-failed.ts'
import { forEachAtOnce } from '../../sync/for-each.ts'
import type { PullParts } from './pull-parts.ts'

const PAGE = 500
const FILES_AT_ONCE = 8

type DropParts = Pick<PullParts, 'ignore' | 'index' | 'records' | 'tree'>

export interface DropOptions {
  /** At and below these paths; '' is everything. */
  readonly paths: readonly string[]
  /** Files that no other device has are removed too. They become old versions where the folder keeps them. */
  readonly isForced: boolean
  readonly ownShortId: ShortId
}

/** The reason for each file that is still there. */
export type LeftFiles = ReadonlyMap<string, string>

/**
 * Removes the items that the selection drops, and records them as ignored, so that no deletion is announced. What
 * differs from our record, or is on no other device, stays. The caller must hold the lock exclusively; the patterns
 * must be durable. May be repeated after it was interrupted.
 */
export async function dropItems(parts: DropParts, options: DropOptions, signal: AbortSignal): Promise<LeftFiles> {
  const left = new Map<string, string>()
  const directories: FileHead[] = []
  for (const within of options.paths) {
    for (let afterName = ''; ;) {
      signal.throwIfAborted()
      const page = await parts.index.records.page('local', { within, afterName, limit: PAGE })
      const dropped = page.filter((head) => isDropped(parts, head))
      for (const head of dropped) if (head.type === 'directory') directories.push(head)
      const files = dropped.filter(({ type }) => type !== 'directory').map(({ name }) => name)
      await forEachAtOnce(await parts.index.listing.recordsOf(files), FILES_AT_ONCE, async (records) => {
        signal.throwIfAborted()
        await dropFile(parts, records, options, left)
      })
      await parts.records.flushIfDue()
      if (page.length < PAGE) break
      afterName = page.at(-1)!.name
    }
  }
  await dropDirectories(parts, directories, options, signal)
  await parts.records.flush()
  return left
}

function isDropped({ ignore }: DropParts, { name, deleted, localFlags }: FileHead): boolean {
  return !deleted && (localFlags & FLAG_IGNORED) === 0 && ignore.isDropped(name)
}

async function dropFile(
  { records, tree }: DropParts,
  { name, local, others }: NameRecords,
  { isForced, ownShortId }: DropOptions,
  left: Map<string, string>,
): Promise<void> {
  if (local === undefined) return
  const isElsewhere = devicesWithCopy(local, others).length > 0
  if (!isElsewhere && !isForced) {
    left.set(name, 'no other device has it')
    return
  }
  try {
    await (isElsewhere ? tree.discard(name, local) : tree.remove(name, local))
  } catch (error) {
    if (!isItemFailure(error)) throw error
    left.set(name, diskReason(error))
    return
  }
  records.add(ignoredOf(local, { ownShortId }), local)
}

/** One that is not empty stays on the disk: it has kept items, or those of the user. */
async function dropDirectories(
  { records, tree }: DropParts,
  directories: readonly FileHead[],
  { ownShortId }: DropOptions,
  signal: AbortSignal,
): Promise<void> {
  await records.flush() // the records of their contents decide whether they are removed
  for (const directory of directories.toReversed()) {
    signal.throwIfAborted()
    await tree.removeDirectory(directory.name).catch((error: unknown) => {
      if (!isItemFailure(error)) throw error
    })
    records.add(ignoredOf(directory, { ownShortId }), directory)
    await records.flushIfDue()
  }
}
