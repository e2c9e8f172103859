import { diskReason } from '../../platform/files/disk-reason.ts'
import { FLAG_RECEIVE_ONLY, type FileInfo } from '../../core/records/file-info.ts'
import { planReversal, revertedRecord } from '../../core/records/override.ts'
import type { PullContext } from './context.ts'
import { isItemFailure } from './items.ts'

const PAGE = 2_000

/**
 * Reverts local changes of a receive-only folder: items that exist only here are removed, other records get an older
 * version, so that a pull restores the global content. The caller must hold the lock exclusively. Items that could not
 * be removed stay local changes and are logged.
 */
export async function revertChanges(context: PullContext, signal: AbortSignal): Promise<void> {
  const directories: FileInfo[] = []
  for (let afterName = ''; ;) {
    signal.throwIfAborted()
    const page = await context.index.page('local', { within: '', afterName, limit: PAGE })
    for (const head of page) {
      if ((head.localFlags & FLAG_RECEIVE_ONLY) === 0) continue
      const local = await context.index.get('local', head.name)
      if (local !== undefined) await revertOne(context, local, directories)
    }
    await context.records.flush()
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) break
    afterName = last.name
  }
  // Parents come before children, so in reverse the deepest comes first.
  for (const directory of directories.reverse()) {
    signal.throwIfAborted()
    await attempt(context, directory, () => removeDirectory(context, directory))
  }
  await context.records.flush()
}

async function revertOne(context: PullContext, local: FileInfo, directories: FileInfo[]): Promise<void> {
  const global = await context.index.global(local.name)
  const mustPull = global !== undefined && !context.tree.hasSameAttributes(local, global)
  const reversal = planReversal(local, global, { ignorePerms: context.tree.ignoresPermissions, mustPull })
  if (reversal.kind === 'record') {
    context.counts.note(local, reversal.record)
    return context.records.add(reversal.record)
  }
  const { ignored, deletable } = context.ignore.match(local.name)
  if (ignored && !deletable) return
  if (local.type === 'directory') directories.push(local)
  else await attempt(context, local, () => removeItem(context, local))
}

async function removeItem(context: PullContext, local: FileInfo): Promise<void> {
  await context.tree.remove(local.name, local)
  recordReverted(context, local)
}

async function removeDirectory(context: PullContext, local: FileInfo): Promise<void> {
  if (await context.tree.removeDirectory(local.name)) recordReverted(context, local)
}

function recordReverted(context: PullContext, local: FileInfo): void {
  const record = revertedRecord(local, nowS(context))
  context.counts.note(local, record)
  context.records.add(record)
}

async function attempt(context: PullContext, { name }: FileInfo, work: () => Promise<void>): Promise<void> {
  try {
    await work()
    await context.records.flushIfDue()
  } catch (error) {
    if (!isItemFailure(error)) throw error
    context.scanLater(name)
    context.log.warn(`folder ${context.folder.id}: ${JSON.stringify(name)} is not reverted: ${diskReason(error)}`)
  }
}

function nowS(context: PullContext): number {
  return Math.floor(context.platform.clock.nowMs() / 1_000)
}
