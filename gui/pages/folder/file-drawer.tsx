import { useState } from 'preact/hooks'
import type { FolderConfig } from '../../../src/core/config/config.ts'
import type { ComponentTypes } from '../../../src/rest/components.ts'
import type { WhyJson } from '../../../src/rest/twinfold.ts'
import { runAction } from '../../app/run-action.ts'
import { addressOf } from '../../base/address.ts'
import { replaceDialogAddress } from '../../base/dialog-history.ts'
import { closeDialog, openDialog } from '../../base/dialogs.tsx'
import { goTo } from '../../base/route.ts'
import { deviceNameById } from '../../view-model/device.ts'
import { formatSize } from '../../i18n/format.ts'
import { itemFacts, type ItemFacts } from '../../view-model/item-state.ts'
import { baseName } from '../../base/paths.ts'
import { whyReasons } from '../../view-model/reasons.ts'
import { useQuery, useFolderRevision } from '../../live/query.ts'
import { client } from '../../live/client.ts'
import { live, useLive } from '../../live/live.ts'
import { useStore } from '../../base/store.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TimeAgo, DescriptionList } from '../../ui/parts.tsx'
import { visibleName } from '../../base/visible-name.ts'
import { t, type TextKey } from '../../i18n/texts.ts'
import { hasContent, previewKind } from '../../view-model/preview.ts'
import { DownloadLink, openViewer } from './file-viewer.tsx'
import { LastKnown } from './last-known.tsx'
import { neighbourOf, neighbours } from './neighbours.ts'
import { QueryResult } from './query-result.tsx'
import { FileDevices } from './file-devices.tsx'
import { NewestVersionCount, ItemState } from './item-state.tsx'

interface FileProps {
  readonly folder: string
  readonly path: string
}

/** Shows all that is known about one file, above the page. */
export function openFile(folder: string, path: string): void {
  openDialog(() => <FileDrawer folder={folder} path={path} />, addressOf('folders', folder, 'files', path))
}

function FileDrawer({ folder, path: opened }: FileProps) {
  const [path, setPath] = useState(opened)
  const show = (next: string) => {
    setPath(next)
    replaceDialogAddress(addressOf('folders', folder, 'files', next))
  }
  const config = useLive((state) => state.config?.folders.find(({ id }) => id === folder))
  const query = useQuery(
    path,
    (signal) => client.call('GET /rest/twinfold/why', { query: { folder, file: path }, signal }),
    useFolderRevision(folder),
  )
  return (
    <Dialog
      title={visibleName(baseName(path))}
      isDrawer
      tools={<Steps folder={folder} path={path} onStep={show} />}
      actions={<FileActions folder={folder} path={path} why={query.value} again={query.again} />}
    >
      <LastKnown folder={folder}>
        <QueryResult query={query}>{(why) => <FileBody why={why} facts={factsOf(why, config)} />}</QueryResult>
      </LastKnown>
    </Dialog>
  )
}

/** To the file before or after it in the list that it was opened from. */
function Steps({ folder, path, onStep }: FileProps & { readonly onStep: (path: string) => void }) {
  const list = useStore(neighbours, (value) => (value?.folder === folder ? value : undefined))
  const [before, after] = [neighbourOf(list, path, -1), neighbourOf(list, path, 1)]
  if (before === undefined && after === undefined) return null
  const step = (to: string | undefined) => {
    if (to === undefined) return
    list?.reveal(to)
    onStep(to)
  }
  return (
    <span class="steps">
      <Button
        kind="quiet"
        icon="up"
        label={t('file.previous')}
        disabled={before === undefined}
        onClick={() => step(before)}
      />
      <Button
        kind="quiet"
        icon="down"
        label={t('file.next')}
        disabled={after === undefined}
        onClick={() => step(after)}
      />
    </span>
  )
}

function factsOf(why: WhyJson, folder: FolderConfig | undefined): ItemFacts {
  const isFile = why.global?.type === 'FILE_INFO_TYPE_FILE'
  const item = { state: why.state, deleted: why.global?.deleted === true, isFile }
  return itemFacts(item, folder ?? { type: 'sendreceive', paused: true })
}

interface FileBodyProps {
  readonly why: WhyJson
  readonly facts: ItemFacts
}

function FileBody({ why, facts }: FileBodyProps) {
  return (
    <>
      <ItemState code={facts.code} />
      <section class="file-part">
        <h3>{t('file.why')}</h3>
        <ul class="file-why">
          {whyReasons(why).map(({ key, values }) => (
            <li key={key}>{t(key, values)}</li>
          ))}
        </ul>
      </section>
      <section class="file-part">
        <FileFacts why={why} />
      </section>
      {why.devices.length > 0 && (
        <section class="file-part">
          <h3>{t('file.where')}</h3>
          {why.devices.length > 1 && <NewestVersionCount devices={why.devices} />}
          <FileDevices why={why} facts={facts} />
        </section>
      )}
    </>
  )
}

const TYPES: Readonly<Record<ComponentTypes['FileEntry']['type'], TextKey>> = {
  FILE_INFO_TYPE_FILE: 'file.file',
  FILE_INFO_TYPE_DIRECTORY: 'file.directory',
  FILE_INFO_TYPE_SYMLINK: 'file.symlink',
}

function FileFacts({ why }: { readonly why: WhyJson }) {
  const entry = why.global ?? why.local
  const path = [t('file.path'), <span class="mono">{visibleName(why.file)}</span>] as const
  if (entry === null) return <DescriptionList rows={[path]} />
  const isFile = entry.type === 'FILE_INFO_TYPE_FILE'
  return (
    <DescriptionList
      rows={[
        path,
        [t('file.type'), t(TYPES[entry.type])],
        ...(isFile && !entry.deleted ? [[t('files.size'), formatSize(entry.size)] as const] : []),
        [t('files.modified'), <TimeAgo time={entry.modified} />],
        [t('file.changedBy'), deviceNameById(live.get(), entry.modifiedBy)],
        ...(entry.permissions === undefined
          ? []
          : [[t('file.permissions'), <span class="mono">{entry.permissions}</span>] as const]),
      ]}
    />
  )
}

/** The name of a conflict copy. */
const CONFLICT_COPY = /\.sync-conflict-\d{8}-\d{6}/

function FileActions({
  folder,
  path,
  why,
  again,
}: FileProps & { readonly why: WhyJson | undefined; readonly again: () => void }) {
  const config = useLive((state) => state.config?.folders.find(({ id }) => id === folder))
  const name = baseName(path)
  const isRunning = config !== undefined && !config.paused
  const doing = (action: () => Promise<unknown>, done: string) => runAction(action, done).then(again)
  const show = (tab: 'versions' | 'history') => {
    closeDialog()
    goTo('folders', folder, tab, path)
  }
  const compare = () => {
    closeDialog()
    goTo('conflicts', folder, path)
  }
  const entry = why?.global
  const isReadable =
    config !== undefined &&
    entry?.type === 'FILE_INFO_TYPE_FILE' &&
    hasContent({ type: 'file', deleted: entry.deleted }, config)
  const kind = isReadable ? previewKind(name, entry.size) : undefined
  const rescan = () => doing(() => client.scan(folder, { subs: [path] }), t('fold.scannedPath', { name }))
  return (
    <>
      {isReadable && <DownloadLink file={{ folder, path }} />}
      {CONFLICT_COPY.test(name) && (
        <Button icon="copy" onClick={compare}>
          {t('desk.compare')}
        </Button>
      )}
      {kind !== undefined && (
        <Button icon="eye" onClick={() => openViewer({ folder, path }, kind)}>
          {t('view.open')}
        </Button>
      )}
      {config?.versioning.type !== '' && (
        <Button icon="clock" onClick={() => show('versions')}>
          {t('file.versions')}
        </Button>
      )}
      <Button icon="clock" onClick={() => show('history')}>
        {t('fold.tab.history')}
      </Button>
      {isRunning && (
        <Button icon="sync" needs="operate" onClick={rescan}>
          {t('file.rescan')}
        </Button>
      )}
      {why !== undefined && factsOf(why, config).mayPrioritize && (
        <Button
          kind="primary"
          icon="first"
          needs="operate"
          onClick={() => doing(() => client.prioritize(folder, path), t('file.firstDone', { name }))}
        >
          {t('file.first')}
        </Button>
      )}
    </>
  )
}
