import { useEffect, useState } from 'preact/hooks'
import type { FolderConfig } from '../../../src/core/config/config.ts'
import type { RewindJson, RewindPreviewJson } from '../../../src/rest/rewind.ts'
import { runAction } from '../../app/run-action.ts'
import { closeDialog } from '../../base/dialogs.tsx'
import { visibleName } from '../../base/visible-name.ts'
import { formatMoment, formatSize } from '../../i18n/format.ts'
import { t } from '../../i18n/texts.ts'
import { client } from '../../live/client.ts'
import { useQuery } from '../../live/query.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField } from '../../ui/field.tsx'
import { DescriptionList, ProgressBar } from '../../ui/parts.tsx'
import { errorText } from '../../view-model/error-text.ts'
import { folderName } from '../../view-model/folder-name.ts'
import { QueryResult } from './query-result.tsx'

const POLL_MS = 500
const NAMES_SHOWN_MAX = 5

interface RewindProps {
  readonly folder: FolderConfig
  /** '' is the whole folder. */
  readonly path: string
  readonly toMs: number
}

/** Shows what a rewind would do, rewinds, and then shows how far it is. */
export function RewindDialog({ folder, path, toMs }: RewindProps) {
  const [mode, setMode] = useState<'in-place' | 'beside'>('in-place')
  const [started, setStarted] = useState<string | undefined>(undefined)
  const query = { folder: folder.id, to: new Date(toMs).toISOString(), ...(path !== '' && { path }) }
  const preview = useQuery(`${folder.id} ${path} ${toMs} ${mode}`, async (signal) => ({
    mode,
    ...(await client.call('GET /rest/twinfold/rewind', { query: { ...query, mode }, signal, timeoutMs: undefined })),
  }))
  if (started !== undefined) return <RunningRewind folder={folder} started={started} />
  const shown = preview.value?.mode === mode ? preview.value.preview : undefined
  const isPossible = shown !== null && shown !== undefined && shown.restorable.items + shown.removed.items > 0
  const start = () =>
    runAction(async () => {
      const { rewind } = await client.call('POST /rest/twinfold/rewind', { query, body: { mode } })
      setStarted(rewind?.started)
    })
  return (
    <Dialog
      title={t('rewind.title', { folder: path === '' ? folderName(folder) : visibleName(path) })}
      onSubmit={() => (isPossible ? start() : undefined)}
      actions={
        <Button needs="operate" kind="primary" type="submit" disabled={!isPossible}>
          {t('rewind.start')}
        </Button>
      }
    >
      <p class="soft">{t('rewind.about', { time: formatMoment(toMs) })}</p>
      <SelectField
        label={t('rewind.place')}
        value={mode}
        options={[
          { value: 'in-place', text: t('rewind.inPlace') },
          { value: 'beside', text: t('rewind.beside') },
        ]}
        onChange={setMode}
      />
      <QueryResult query={preview}>{({ preview: found }) => found && <PreviewList preview={found} />}</QueryResult>
    </Dialog>
  )
}

function PreviewList({ preview }: { readonly preview: RewindPreviewJson }) {
  const { restorable, gone, kept, removed } = preview
  return (
    <DescriptionList
      rows={[
        [t('rewind.restorable'), groupText(restorable)],
        [t('rewind.gone'), groupText(gone)],
        [t('rewind.kept'), groupText(kept)],
        ...(removed.items > 0 ? [[t('rewind.removed'), groupText(removed)] as const] : []),
      ]}
    />
  )
}

function groupText({ items, bytes, names }: RewindPreviewJson['gone']): string {
  const count = t('rewind.count', { n: items, size: formatSize(bytes) })
  const examples = names.slice(0, NAMES_SHOWN_MAX).map(visibleName)
  return examples.length === 0 ? count : `${count}: ${examples.join(', ')}${items > examples.length ? ', …' : ''}`
}

/** The rewind that began at this time. */
function RunningRewind({ folder, started }: { readonly folder: FolderConfig; readonly started: string }) {
  const request = (signal: AbortSignal) =>
    client.call('GET /rest/twinfold/rewind', { query: { folder: folder.id }, signal })
  const { value, again } = useQuery(`rewind ${folder.id} ${started}`, request)
  const rewind = value?.rewind?.started === started ? value.rewind : undefined
  useEffect(() => {
    if (rewind !== undefined && rewind.state !== 'running') return undefined
    const timer = setTimeout(again, POLL_MS)
    return () => clearTimeout(timer)
  }, [rewind, again])
  const stop = () => runAction(() => client.call('DELETE /rest/twinfold/rewind', { query: { folder: folder.id } }))
  const isRunning = rewind === undefined || rewind.state === 'running'
  return (
    <Dialog
      title={t('rewind.title', { folder: folderName(folder) })}
      actions={
        isRunning ? (
          <Button needs="operate" onClick={stop}>
            {t('rewind.stop')}
          </Button>
        ) : (
          <Button kind="primary" onClick={() => closeDialog()}>
            {t('do.close')}
          </Button>
        )
      }
    >
      {rewind !== undefined && <RewindProgress rewind={rewind} />}
    </Dialog>
  )
}

function RewindProgress({ rewind }: { readonly rewind: RewindJson }) {
  const { error, handled, items, problems, state } = rewind
  const label =
    state === 'running'
      ? t('rewind.running', { done: handled, items })
      : t('rewind.done', { n: rewind.rewound + rewind.removed })
  return (
    <>
      <p role="status">{label}</p>
      {state === 'running' && <ProgressBar fraction={items === 0 ? 0 : handled / items} label={label} />}
      {error !== '' && <p role="alert">{errorText(error)}</p>}
      {problems.length > 0 && (
        <>
          <p>{t('rewind.problems')}</p>
          <ul class="move-left">
            {problems.map(({ path, reason }) => (
              <li key={path}>
                {visibleName(path)} <span class="soft">{reason}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}
