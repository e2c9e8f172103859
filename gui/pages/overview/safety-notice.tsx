import { folderExtensions } from '../../../src/core/config/extensions.ts'
import { isWithoutSafety, safetyOn } from '../../../src/core/config/safety.ts'
import type { FolderConfig } from '../../../src/core/config/config.ts'
import { dismissedSafety } from '../../app/dismissed.ts'
import { changeConfig } from '../../app/run-action.ts'
import { useStore } from '../../base/store.ts'
import { client } from '../../live/client.ts'
import { useLive } from '../../live/live.ts'
import { useQuery } from '../../live/query.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { t } from '../../i18n/texts.ts'

/** Folders without trash can and guard, as those of a Syncthing are: one offer for all, until it is dismissed. */
export function SafetyNotice() {
  const dismissed = useStore(dismissedSafety, (value) => value)
  const folders = useLive((state) => state.config?.folders)
  const ids = folders?.map(({ id }) => id).join('/') ?? ''
  const { value, again } = useQuery(ids, (signal) => client.call('GET /rest/twinfold/settings', { signal }))
  if (dismissed !== '' || folders === undefined || value === undefined) return null
  const offered = folders.filter((folder) => isWithoutSafety(folder, folderExtensions(value, folder.id)))
  if (offered.length === 0) return null
  const protect = async () => {
    if (await changeConfig(() => protectFolders(offered), t('safety.done'))) again()
  }
  return (
    <div class="section card overview-notice overview-safety" role="status">
      <Icon name="trash" />
      <div>
        <p>{t('safety.offer', { n: offered.length })}</p>
        <p class="soft">{t('safety.help')}</p>
      </div>
      <Button needs="admin" onClick={protect}>
        {t('safety.protect')}
      </Button>
      <Button kind="quiet" icon="close" label={t('safety.dismiss')} onClick={() => dismissedSafety.set('yes')} />
    </div>
  )
}

async function protectFolders(folders: readonly FolderConfig[]): Promise<void> {
  for (const folder of folders) {
    const { versioning, extensions } = safetyOn(folder)
    if (versioning !== undefined) await client.changeFolder(folder.id, { versioning })
    await client.call('PATCH /rest/twinfold/settings', { body: { folders: { [folder.id]: extensions } } })
  }
}
