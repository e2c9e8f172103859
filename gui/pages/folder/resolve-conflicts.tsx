import type { FolderConfig } from '../../../src/core/config/config.ts'
import type { ConflictsJson } from '../../../src/rest/conflicts.ts'
import { runAction, showDone } from '../../app/run-action.ts'
import { openDialog } from '../../base/dialogs.tsx'
import { changeWithUndo } from '../../app/undo.ts'
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
    const undo = await changeWithUndo(async () => {
      for (let at = 0; at < names.length; at += AT_ONCE) {
        const body = { keep, names: names.slice(at, at + AT_ONCE), mayRemove: !isArchived }
        const request = { query: { folder: folder.id }, body, timeoutMs: undefined }
        Object.assign(failures, await client.call('POST /rest/twinfold/conflicts', request))
      }
    })
    const failed = Object.entries(failures).map(([path, reason]) => ({ path, reason }))
    const n = names.length - failed.length
    const resolved = t('conflicts.resolved', { n })
    if (n > 0) showDone(isArchived ? `${resolved} ${t('conflicts.archived')}` : resolved, undo)
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
