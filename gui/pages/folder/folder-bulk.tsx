import { runAction } from '../../app/run-action.ts'
import { client } from '../../live/client.ts'
import { useLive } from '../../live/live.ts'
import { Button } from '../../ui/button.tsx'
import { BulkBar } from '../../ui/selection.tsx'
import { t } from '../../i18n/texts.ts'

interface FolderBulkProps {
  readonly ids: readonly string[]
  readonly onClear: () => void
}

/** What can be done with several folders at once. */
export function FolderBulk({ ids, onClear }: FolderBulkProps) {
  const paused = new Set(
    useLive((state) => state.config?.folders)
      ?.filter((folder) => folder.paused)
      .map((folder): string => folder.id),
  )
  const running = ids.filter((id) => !paused.has(id))
  const scan = () =>
    runAction(() => Promise.all(running.map((id) => client.scan(id))), t('table.scanned', { n: running.length }))
  const setPaused = (isWanted: boolean) =>
    runAction(
      () => pauseFolders(new Set(ids), isWanted),
      t(isWanted ? 'table.paused' : 'table.resumed', { n: ids.length }),
    )
  return (
    <BulkBar count={ids.length} onClear={onClear}>
      {running.length > 0 && (
        <Button needs="operate" icon="sync" onClick={scan}>
          {t('do.rescan')}
        </Button>
      )}
      {running.length > 0 && (
        <Button needs="operate" icon="pause" onClick={() => setPaused(true)}>
          {t('do.pause')}
        </Button>
      )}
      {running.length < ids.length && (
        <Button needs="operate" icon="play" onClick={() => setPaused(false)}>
          {t('do.resume')}
        </Button>
      )}
    </BulkBar>
  )
}

/** In one change of the configuration: all of them or none. */
export async function pauseFolders(ids: ReadonlySet<string>, paused: boolean): Promise<void> {
  const folders = await client.folders()
  await client.call('PUT /rest/config/folders', {
    body: folders.map((folder) => (ids.has(folder.id) ? { ...folder, paused } : folder)),
  })
}
