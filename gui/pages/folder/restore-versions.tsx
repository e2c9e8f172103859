import { runAction } from '../../app/run-action.ts'
import { openDialog } from '../../base/dialogs.tsx'
import { showToast } from '../../app/toasts.tsx'
import { restoreOutcome } from '../../view-model/versions.ts'
import { client } from '../../live/client.ts'
import { confirm } from '../../ui/confirm.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { StateLabel } from '../../ui/parts.tsx'
import { t } from '../../i18n/texts.ts'

/** Restores versions, by path and time, after a confirmation. Resolves to whether it was tried. */
export async function restoreVersions(folder: string, times: Readonly<Record<string, string>>): Promise<boolean> {
  const n = Object.keys(times).length
  const wanted = await confirm({
    title: t('versions.restoreTitle', { n }),
    text: t('versions.restoreText', { n }),
    action: t('versions.restore'),
  })
  if (!wanted) return false
  return runAction(async () => {
    const failures = await client.call('POST /rest/folder/versions', {
      query: { folder },
      body: times,
      timeoutMs: undefined,
    })
    const { restored, failed } = restoreOutcome(times, failures)
    if (restored > 0) showToast('done', t('versions.restored', { n: restored }))
    if (failed.length > 0) openDialog(() => <FailedDialog title={t('versions.failed')} failed={failed} />)
  })
}

export interface FailedDialogProps {
  readonly title: string
  readonly failed: readonly { readonly path: string; readonly reason: string }[]
}

/** What could not be done, with the reasons. */
export function FailedDialog({ title, failed }: FailedDialogProps) {
  return (
    <Dialog title={title} wide>
      <ul class="rows">
        {failed.map(({ path, reason }) => (
          <li key={path} class="problem">
            <span class="files-base">{path}</span>
            <StateLabel tone="bad">{reason}</StateLabel>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
