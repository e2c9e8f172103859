import { useState } from 'preact/hooks'
import { ClientError } from '../../../src/client/errors.ts'
import { baseName } from '../../base/paths.ts'
import { openDialog } from '../../base/dialogs.tsx'
import { visibleName } from '../../base/visible-name.ts'
import { t } from '../../i18n/texts.ts'
import { client } from '../../live/client.ts'
import { useQuery } from '../../live/query.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { EmptyNote } from '../../ui/parts.tsx'
import { contentAddress, type PreviewKind } from '../../view-model/preview.ts'
import { QueryResult } from './query-result.tsx'

/** An empty file has no first byte. */
const RANGE_BEYOND_END = 416

interface ViewedFile {
  readonly folder: string
  readonly path: string
}

/** Shows the content of a file, which may be on other devices only. Nothing of it is kept on this device. */
export function openViewer(file: ViewedFile, kind: PreviewKind): void {
  openDialog(() => <FileViewer file={file} kind={kind} />)
}

function FileViewer({ file, kind }: { readonly file: ViewedFile; readonly kind: PreviewKind }) {
  const { folder, path } = file
  // Elements do not tell why they fail, so the first byte is requested before.
  const query = useQuery(`${folder} ${path}`, (signal) => firstByte(file, signal))
  return (
    <Dialog
      title={visibleName(baseName(path))}
      wide
      actions={
        <>
          {kind !== 'audio' && kind !== 'video' && <OpenInTab file={file} />}
          <DownloadLink file={file} />
        </>
      }
    >
      <QueryResult query={query}>{() => <Preview file={file} kind={kind} />}</QueryResult>
    </Dialog>
  )
}

async function firstByte({ folder, path }: ViewedFile, signal: AbortSignal): Promise<'readable'> {
  try {
    const { body } = await client.content(folder, path, { fromBytes: 0, toBytes: 1, signal })
    for await (const _byte of body);
  } catch (error) {
    if (!(error instanceof ClientError) || error.status !== RANGE_BEYOND_END) throw error
  }
  return 'readable'
}

/** Pictures and media run no scripts; everything else is shown in a frame without rights. */
function Preview({ file: { folder, path }, kind }: { readonly file: ViewedFile; readonly kind: PreviewKind }) {
  const [hasFailed, setFailed] = useState(false)
  const [src, name] = [contentAddress(folder, path), visibleName(baseName(path))]
  const onError = () => setFailed(true)
  if (hasFailed) return <EmptyNote>{t('view.failed')}</EmptyNote>
  switch (kind) {
    case 'picture':
      return <img class="view-picture" src={src} alt={name} onError={onError} />
    case 'audio':
      return <audio class="view-audio" src={src} controls preload="metadata" aria-label={name} onError={onError} />
    case 'video':
      return <video class="view-video" src={src} controls preload="metadata" aria-label={name} onError={onError} />
    case 'text':
      return <iframe class="view-page" src={src} title={name} sandbox="" />
    case 'pdf':
      // The policy of the reply takes the rights away; browsers refuse PDF where the frame does it as well.
      return <iframe class="view-page" src={src} title={name} />
  }
}

/** Not for media: a page without an origin, which a tab with them is, may not load them. */
function OpenInTab({ file: { folder, path } }: { readonly file: ViewedFile }) {
  return (
    <a class="button plain" href={contentAddress(folder, path)} target="_blank" rel="noopener noreferrer">
      <Icon name="leave" />
      <span>{t('view.newTab')}</span>
    </a>
  )
}

/** Saves the file where the browser saves files. */
export function DownloadLink({ file: { folder, path } }: { readonly file: ViewedFile }) {
  return (
    <a class="button plain" href={contentAddress(folder, path, true)} download={baseName(path)}>
      <Icon name="download" />
      <span>{t('view.download')}</span>
    </a>
  )
}
