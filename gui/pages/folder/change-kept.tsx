import type { FolderConfig } from '../../../src/core/config/config.ts'
import { runAction, showDone } from '../../app/run-action.ts'
import { openDialog } from '../../base/dialogs.tsx'
import { client } from '../../live/client.ts'
import { confirm } from '../../ui/confirm.tsx'
import { t } from '../../i18n/texts.ts'
import { FailedDialog } from './restore-versions.tsx'

/** Kept files in one request; the daemon refuses more than ten thousand. */
const AT_ONCE = 500

/** Brings kept files back on all devices, or deletes them here after a question. Resolves to whether it was tried. */
export async function changeKept(
  folder: FolderConfig,
  names: readonly string[],
  action: 'bring-back' | 'delete',
): Promise<boolean> {
  if (action === 'delete' && !(await confirmDeletion(names.length))) return false
  return runAction(async () => {
    const failures: Record<string, string> = {}
    const query = { folder: folder.id }
    for (let at = 0; at < names.length; at += AT_ONCE) {
      const body = { action, names: names.slice(at, at + AT_ONCE) }
      Object.assign(failures, await client.call('POST /rest/twinfold/kept', { query, body, timeoutMs: undefined }))
    }
    const failed = Object.entries(failures).map(([path, reason]) => ({ path, reason }))
    const n = names.length - failed.length
    if (n > 0) showDone(t(action === 'delete' ? 'kept.isDeleted' : 'kept.isBack', { n }), undefined)
    if (failed.length > 0) openDialog(() => <FailedDialog title={t('kept.failed')} failed={failed} />)
  })
}

function confirmDeletion(n: number): Promise<boolean> {
  return confirm({
    title: t('kept.deleteTitle', { n }),
    text: t('kept.deleteText', { n }),
    action: t('kept.delete'),
    danger: true,
  })
}
