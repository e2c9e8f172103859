import { diskReason } from '../../platform/files/disk-reason.ts'
import { isItemFailure } from '../../platform/files/item-failed.ts'
import { FLAG_RECEIVE_ONLY, type FileInfo } from '../../core/records/file-info.ts'
import { planReversal, revertedRecord } from '../../core/records/override.ts'
import type { PullParts } from './pull-parts.ts'

const PAGE = 2_000

interface RevertParts extends Pick<PullParts, 'clock' | 'folder' | 'ignore' | 'index' | 'log' | 'records' | 'tree'> {
  scanLater(name: string): void
}

/**
 * Reverts local changes of a receive-only folder: items that exist only here are removed, other records get an older
 * version, so that a pull restores the global content. The caller must hold the lock exclusively. Items that could not
 * be removed stay local changes and are logged.
 */
export async function revertChanges(parts: RevertParts, signal: AbortSignal): Promise<void> {
  const directories: FileInfo[] = []
  for (let afterName = ''; ;) {
    signal.throwIfAborted()
    const page = await parts.index.records.page('local', { within: '', afterName, limit: PAGE })
    for (const head of page) {
      if ((head.localFlags & FLAG_RECEIVE_ONLY) === 0) continue
      const local = await parts.index.records.get('local', head.name)
      if (local !== undefined) await revertOne(parts, local, directories)
    }
    await parts.records.flush()
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) break
    afterName = last.name
  }
  // Parents come before children, so in reverse the deepest comes first.
  for (const directory of directories.reverse()) {
    signal.throwIfAborted()
    await attempt(parts, directory)
  }
  await parts.records.flush()
}

async function revertOne(parts: RevertParts, local: FileInfo, directories: FileInfo[]): Promise<void> {
  const global = await parts.index.records.global(local.name)
  const mustPull = global !== undefined && !parts.tree.hasSameAttributes(local, global)
  const reversal = planReversal(local, global, { ignorePerms: parts.tree.ignoresPermissions, mustPull })
  if (reversal.kind === 'record') {
    return parts.records.add(reversal.record, local)
  }
  const { ignored, deletable } = parts.ignore.match(local.name)
  if (ignored && !deletable) return
  if (local.type === 'directory') directories.push(local)
  else await attempt(parts, local)
}

async function removeItem(parts: RevertParts, local: FileInfo): Promise<void> {
  const { clock, records, tree } = parts
  if (local.type !== 'directory') await tree.remove(local.name, local)
  else if (!(await tree.removeDirectory(local.name))) return
  records.add(revertedRecord(local, Math.floor(clock.nowMs() / 1_000)), local)
}

async function attempt(parts: RevertParts, local: FileInfo): Promise<void> {
  try {
    await removeItem(parts, local)
    await parts.records.flushIfDue()
  } catch (error) {
    if (!isItemFailure(error)) throw error
    const { name } = local
    parts.scanLater(name)
    parts.log.warn(`folder ${parts.folder.id}: ${JSON.stringify(name)} is not reverted: ${diskReason(error)}`)
  }
}
