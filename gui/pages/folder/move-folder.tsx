import { useEffect, useState } from 'preact/hooks'
import type { FolderConfig } from '../../../src/core/config/config.ts'
import type { MoveJson } from '../../../src/rest/move.ts'
import { runAction } from '../../app/run-action.ts'
import { closeDialog, openDialog } from '../../base/dialogs.tsx'
import { useDebounced } from '../../base/use-debounced.ts'
import { visibleName } from '../../base/visible-name.ts'
import { formatSize } from '../../i18n/format.ts'
import { t } from '../../i18n/texts.ts'
import { client } from '../../live/client.ts'
import { useFolderRevision, useQuery } from '../../live/query.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { ProgressBar } from '../../ui/parts.tsx'
import { errorText } from '../../view-model/error-text.ts'
import { folderName } from '../../view-model/folder-name.ts'
import { isMoving, moveFraction, moveText, previewText, type MovePreview } from '../../view-model/move.ts'
import { DirectoryList } from '../add/directory-list.tsx'

const POLL_MS = 500

/** The move of a folder that runs, or its last one; read again while it runs. */
function useMove(id: string): { readonly move: MoveJson | null | undefined; readonly again: () => void } {
  const revision = useFolderRevision(id)
  const request = (signal: AbortSignal) => client.call('GET /rest/twinfold/move', { query: { folder: id }, signal })
  const { value, again } = useQuery(`move ${id}`, request, revision)
  useEffect(() => {
    if (!isMoving(value?.move)) return undefined
    const timer = setTimeout(again, POLL_MS)
    return () => clearTimeout(timer)
  }, [value, again])
  return { move: value?.move, again }
}

/** Below the head of a folder that is being moved. */
export function MoveNotice({ folder }: { readonly folder: FolderConfig }) {
  const { move } = useMove(folder.id)
  if (!move || !isMoving(move)) return null
  return (
    <div class="folder-moving" role="status">
      <MoveProgress move={move} />
      <Button needs="admin" onClick={() => openDialog(() => <MoveDialog folder={folder} />)}>
        {t('move.show')}
      </Button>
    </div>
  )
}

/** Chooses the new directory, shows what would be done, and then how far it is. */
export function MoveDialog({ folder }: { readonly folder: FolderConfig }) {
  const { move, again } = useMove(folder.id)
  /** When the move began whose result is shown, too. */
  const [followed, setFollowed] = useState<string | undefined>(undefined)
  useEffect(() => {
    if (move && isMoving(move)) setFollowed(move.started)
  }, [move])
  if (move && (isMoving(move) || move.started === followed)) return <RunningMove folder={folder} move={move} />
  const onStarted = (started: string | undefined) => {
    setFollowed(started)
    again()
  }
  return <NewMove folder={folder} onStarted={onStarted} />
}

function NewMove({
  folder,
  onStarted,
}: {
  readonly folder: FolderConfig
  readonly onStarted: (started: string | undefined) => void
}) {
  const [path, setPath] = useState(folder.path)
  const [isBrowsing, setBrowsing] = useState(false)
  const typed = useDebounced(path.trim())
  const { value } = useQuery(`${folder.id} ${typed}`, async (signal) => ({
    typed,
    ...(await look(folder, typed, signal)),
  }))
  const preview = value?.typed === path.trim() ? value.preview : undefined
  const text = preview && previewText(preview, formatSize)
  const isPossible = preview?.problem === null
  const start = async () => {
    const query = { folder: folder.id, path: path.trim() }
    await runAction(async () => onStarted((await client.call('POST /rest/twinfold/move', { query })).move?.started))
  }
  const isShown = text !== undefined && path.trim() !== folder.path
  return (
    <Dialog
      title={t('move.title', { folder: folderName(folder) })}
      onSubmit={() => (isPossible ? start() : undefined)}
      actions={
        <Button kind="primary" type="submit" disabled={!isPossible}>
          {t('move.start')}
        </Button>
      }
    >
      <p class="soft">{t('move.about')}</p>
      <div class="add-path">
        <TextField
          label={t('move.path')}
          help={isShown && isPossible ? t(text.key, text.values) : t('move.pathHelp')}
          error={isShown && !isPossible ? t(text.key, text.values) : undefined}
          value={path}
          onChange={setPath}
          autoFocus
        />
        <Button icon="folder" pressed={isBrowsing} onClick={() => setBrowsing(!isBrowsing)}>
          {t('add.browse')}
        </Button>
      </div>
      {isBrowsing && <DirectoryList path={path} onChoose={setPath} />}
    </Dialog>
  )
}

async function look(
  { id }: FolderConfig,
  path: string,
  signal: AbortSignal,
): Promise<{ readonly preview: MovePreview | undefined }> {
  if (path === '') return { preview: undefined }
  const query = { folder: id, path, preview: 'true' } as const
  const { preview } = await client.call('POST /rest/twinfold/move', { query, signal, timeoutMs: undefined })
  return { preview: preview ?? undefined }
}

function RunningMove({ folder, move }: { readonly folder: FolderConfig; readonly move: MoveJson }) {
  const cancel = () => runAction(() => client.call('DELETE /rest/twinfold/move', { query: { folder: folder.id } }))
  const isRunning = isMoving(move)
  const actions = isRunning ? (
    <Button kind="danger" disabled={!move.cancellable} onClick={cancel}>
      {t('move.undo')}
    </Button>
  ) : (
    <Button kind="primary" onClick={() => closeDialog()}>
      {t('do.close')}
    </Button>
  )
  return (
    <Dialog title={t('move.title', { folder: folderName(folder) })} actions={actions}>
      <MoveProgress move={move} />
      {isRunning && <p class="soft">{t('move.goesOn')}</p>}
      {move.leftCount > 0 && (
        <>
          <p>{t('move.left', { n: move.leftCount })}</p>
          <ul class="move-left">
            {move.left.map((name) => (
              <li key={name}>{visibleName(name)}</li>
            ))}
          </ul>
        </>
      )}
    </Dialog>
  )
}

function MoveProgress({ move }: { readonly move: MoveJson }) {
  const text = moveText(move)
  const label = t(text.key, text.values)
  const fraction = isMoving(move) ? moveFraction(move) : undefined
  return (
    <div class="move-progress">
      <p>{label}</p>
      {fraction !== undefined && (
        <>
          <ProgressBar fraction={fraction} label={label} />
          <p class="soft">{`${formatSize(move.bytesDone)} / ${formatSize(move.bytes)}`}</p>
        </>
      )}
      {move.error !== '' && <p role="alert">{errorText(move.error)}</p>}
    </div>
  )
}
