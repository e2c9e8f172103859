import { isMissing } from '../../core/errors.ts'
import type { FileHead, FileInfo } from '../../core/records/file-info.ts'
import { revertedRecord } from '../../core/records/override.ts'
import { isItemFailure } from '../../platform/files/item-failed.ts'
import type { Sources } from '../state/sources.ts'
import type { PullParts } from './pull-parts.ts'

interface RefetchParts extends Pick<PullParts, 'clock' | 'folder' | 'index' | 'records' | 'tree'> {
  readonly sources: Pick<Sources, 'sourcesOf'>
  scanLater(name: string): void
}

/**
 * Items that are missing here, or empty, get a record that is older than all others, so that the next pull fetches
 * them. Resolves with the names for which that is so: those that another device has. The caller must hold the lock
 * exclusively.
 */
export async function refetchItems(
  parts: RefetchParts,
  names: Iterable<string>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const done: string[] = []
  for (const name of [...names].sort()) {
    signal.throwIfAborted()
    const { local, global } = await parts.index.records.both(name)
    if (local === undefined || local.deleted || global === undefined || global.deleted) continue
    if (!(await isAvailable(parts, global)) || !(await isCleared(parts, local))) continue
    parts.records.add(revertedRecord(local, Math.floor(parts.clock.nowMs() / 1_000)), local)
    await parts.records.flushIfDue()
    done.push(name)
  }
  await parts.records.flush()
  return done
}

async function isAvailable({ folder, index, sources }: RefetchParts, global: FileInfo): Promise<boolean> {
  if (global.type === 'file') return (await sources.sourcesOf(folder.id, global, 0)).length > 0
  return (await index.records.availability(global.name)).length > 0
}

/** Removes an empty file; false where something else is there, which a scan finds. */
async function isCleared({ scanLater, tree }: RefetchParts, local: FileHead): Promise<boolean> {
  const { name, type } = local
  try {
    if (type !== 'file') return true
    const empty = await emptyRecord(tree, local)
    if (empty === undefined) {
      scanLater(name)
      return false
    }
    await tree.discard(name, empty)
    return true
  } catch (error) {
    if (isMissing(error)) return true
    if (!isItemFailure(error)) throw error
    scanLater(name)
    return false
  }
}

/** A record of the empty file on the disk. */
async function emptyRecord(tree: RefetchParts['tree'], local: FileHead): Promise<FileHead | undefined> {
  await using file = await tree.openToRead(local.name)
  const { modifiedNs, modifiedS, sizeBytes } = await file.stat()
  if (sizeBytes > 0) return undefined
  const onDisk = { sizeBytes, modifiedS, modifiedNs, noPermissions: true }
  return { ...local, ...onDisk, diskTime: undefined, diskStamp: undefined, trailerBytes: undefined }
}
