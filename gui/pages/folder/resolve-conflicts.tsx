import type { FolderConfig } from '../../../src/core/config/config.ts'
import type { ConflictsJson } from '../../../src/rest/twinfold.ts'
import { runAction, showDone } from '../../app/run-action.ts'
import { openDialog } from '../../base/dialogs.tsx'
import type { Undo } from '../../app/undo.ts'
import { newestVersions } from '../../view-model/versions.ts'
import { client } from '../../live/client.ts'
import { confirm } from '../../ui/confirm.tsx'
import { t } from '../../i18n/texts.ts'
import { FailedDialog } from './restore-versions.tsx'

/** Conflict copies in one request; the daemon refuses more. */
const AT_ONCE = 500

type Keep = 'original' | 'copy'
type Conflict = ConflictsJson['items'][number]

/**
 * Keeps the files or their conflict copies, and asks first where the others would be lost. Resolves to whether it was
 * tried.
 */
export async function resolveConflicts(
  folder: FolderConfig,
  conflicts: readonly Conflict[],
  keep: Keep,
): Promise<boolean> {
  const isArchived = keepsVersions(folder)
  if (!isArchived && !(await confirmLoss(conflicts.length, keep))) return false
  const names = conflicts.map(({ name }) => name)
  return runAction(async () => {
    const failures: Record<string, string> = {}
    for (let at = 0; at < names.length; at += AT_ONCE) {
      const body = { keep, names: names.slice(at, at + AT_ONCE), mayRemove: !isArchived }
      const query = { folder: folder.id }
      Object.assign(failures, await client.call('POST /rest/twinfold/conflicts', { query, body, timeoutMs: undefined }))
    }
    const done = conflicts.filter(({ name }) => !Object.hasOwn(failures, name))
    if (done.length > 0) showResult(folder, done, keep, isArchived)
    const failed = Object.entries(failures).map(([path, reason]) => ({ path, reason }))
    if (failed.length > 0) openDialog(() => <FailedDialog title={t('conflicts.failed')} failed={failed} />)
  })
}

/** A folder that takes no files of other devices archives none. */
function keepsVersions({ versioning, type }: FolderConfig): boolean {
  return versioning.type !== '' && type !== 'sendonly'
}

function confirmLoss(n: number, keep: Keep): Promise<boolean> {
  return confirm({
    title: t('conflicts.removeTitle', { n }),
    text: t(keep === 'original' ? 'conflicts.removeCopy' : 'conflicts.removeFile', { n }),
    action: t(keep === 'original' ? 'conflicts.keepFile' : 'conflicts.keepCopy', { n }),
    danger: true,
  })
}

function showResult(folder: FolderConfig, done: readonly Conflict[], keep: Keep, isArchived: boolean): void {
  const resolved = t('conflicts.resolved', { n: done.length })
  if (!isArchived) return showDone(resolved, undefined)
  const archived = done.map(({ name, original }) => (keep === 'original' ? name : original))
  // Only the program of the user can find what an external versioner has taken.
  const undo = folder.versioning.type === 'external' ? undefined : restoring(folder.id, archived)
  showDone(`${resolved} ${t('conflicts.archived')}`, undo)
}

/** Restores the newest old version of each file; what is in its place becomes one itself. */
function restoring(folder: string, paths: readonly string[]): Undo {
  return async () => {
    const query = { folder }
    const versions = await client.call('GET /rest/folder/versions', { query, timeoutMs: undefined })
    const body = newestVersions(versions, paths)
    const failures = await client.call('POST /rest/folder/versions', { query, body, timeoutMs: undefined })
    const [reason] = Object.values(failures)
    if (reason !== undefined) throw new Error(reason)
  }
}
