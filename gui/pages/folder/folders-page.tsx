import { runAction, changeConfig } from '../../app/run-action.ts'
import { openDialog } from '../../base/dialogs.tsx'
import { client } from '../../live/client.ts'
import { useLive } from '../../live/live.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyNote } from '../../ui/parts.tsx'
import { t } from '../../i18n/texts.ts'
import { AddFolderDialog } from '../add/add-folder.tsx'
import { pauseFolders } from './folder-bulk.tsx'
import { FolderRows } from './folder-row.tsx'

/** All folders, and what can be done with all of them. */
export function FoldersPage() {
  const folders = useLive((state) => state.config?.folders) ?? []
  const add = (
    <Button needs="admin" kind="primary" icon="plus" onClick={() => openDialog(() => <AddFolderDialog />)}>
      {t('folders.add')}
    </Button>
  )
  return (
    <>
      <header class="page-head">
        <h1>{t('nav.folders')}</h1>
        <div class="page-actions">
          {folders.length > 0 && <AllActions />}
          {add}
        </div>
      </header>
      {folders.length === 0 ? <EmptyNote>{t('overview.noFolders')}</EmptyNote> : <FolderRows />}
    </>
  )
}

function AllActions() {
  const isAnyRunning = useLive((state) => state.config?.folders.some(({ paused }) => !paused) === true)
  const isAnyPaused = useLive((state) => state.config?.folders.some(({ paused }) => paused) === true)
  const rescan = () =>
    runAction(() => client.call('POST /rest/db/scan', { timeoutMs: undefined }), t('folders.scanned'))
  return (
    <>
      {isAnyRunning && (
        <Button needs="operate" icon="sync" onClick={rescan}>
          {t('folders.rescanAll')}
        </Button>
      )}
      {isAnyRunning && (
        <Button needs="operate" icon="pause" onClick={() => changeConfig(() => setPaused(true), t('folders.paused'))}>
          {t('folders.pauseAll')}
        </Button>
      )}
      {isAnyPaused && (
        <Button needs="operate" icon="play" onClick={() => changeConfig(() => setPaused(false), t('folders.resumed'))}>
          {t('folders.resumeAll')}
        </Button>
      )}
    </>
  )
}

async function setPaused(paused: boolean): Promise<void> {
  await pauseFolders(new Set((await client.folders()).map(({ id }): string => id)), paused)
}
