import { useState } from 'preact/hooks'
import type { FolderConfig } from '../../../src/core/config/config.ts'
import type { VersionsJson } from '../../../src/rest/versions.ts'
import { addressOf } from '../../base/address.ts'
import { nextSort, type Sort } from '../../view-model/table.ts'
import { versionedFiles, type VersionedFile } from '../../view-model/versions.ts'
import { useQuery } from '../../live/query.ts'
import { client } from '../../live/client.ts'
import { useLive } from '../../live/live.ts'
import { lookUp } from '../../base/look-up.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyNote } from '../../ui/parts.tsx'
import { BulkBar, useSelection } from '../../ui/selection.tsx'
import { rowsSource, Table, useTableView } from '../../ui/table.tsx'
import { t } from '../../i18n/texts.ts'
import { QueryResult } from './query-result.tsx'
import { SearchBox } from './files-tab.tsx'
import { restoreVersions } from './restore-versions.tsx'
import { TrashBar } from './trash-bar.tsx'
import { versionColumns } from './version-columns.tsx'

/** Older versions of files, and the action to restore them. */
export function VersionsTab({ folder, file }: { readonly folder: FolderConfig; readonly file: string | undefined }) {
  const isRunning = useLive((state) => (lookUp(state.folders, folder.id)?.status.state ?? '') !== '')
  if (folder.versioning.type === '')
    return (
      <EmptyNote action={<a href={addressOf('folders', folder.id, 'settings')}>{t('fold.tab.settings')}</a>}>
        {t('versions.off')}
      </EmptyNote>
    )
  if (folder.paused || !isRunning) return <EmptyNote>{t('versions.paused')}</EmptyNote>
  return <Versions folder={folder.id} file={file} />
}

function Versions({ folder, file = '' }: { readonly folder: string; readonly file: string | undefined }) {
  const query = useQuery('', (signal) =>
    client.call('GET /rest/folder/versions', { query: { folder }, signal, timeoutMs: undefined }),
  )
  return (
    <QueryResult query={query}>
      {(versions) => <VersionList folder={folder} versions={versions} file={file} again={query.again} />}
    </QueryResult>
  )
}

interface ListProps {
  readonly folder: string
  readonly versions: VersionsJson
  readonly file: string
  readonly again: () => void
}

function VersionList({ folder, versions, file, again }: ListProps) {
  const [text, setText] = useState(file)
  const [by, setBy] = useState<Sort>({ column: 'name', descending: false })
  /** The time of the version wanted, by path. */
  const [times, setTimes] = useState<Readonly<Record<string, string>>>({})
  const files = versionedFiles(versions, text, by)
  const selection = useSelection<VersionedFile>(Object.keys(versions), ({ path }) => path)
  const view = useTableView(files.length)
  const timeOf = (path: string) => times[path] ?? versions[path]?.[0]?.versionTime ?? ''
  const restore = async (paths: readonly string[]) => {
    if (!(await restoreVersions(folder, Object.fromEntries(paths.map((path) => [path, timeOf(path)]))))) return
    selection.clear()
    setTimes({})
    again()
  }
  if (Object.keys(versions).length === 0) return <EmptyNote>{t('versions.none')}</EmptyNote>
  return (
    <>
      <div class="files-bar">
        <SearchBox label={t('versions.search')} text={text} onText={setText} />
        <TrashBar folder={folder} onEmptied={again} />
      </div>
      {files.length === 0 ? (
        <EmptyNote>{t('files.notFound', { text })}</EmptyNote>
      ) : (
        <Table
          view={view}
          kind="versions-table"
          caption={t('fold.tab.versions')}
          columns={versionColumns({
            timeOf,
            onTime: (path, time) => setTimes({ ...times, [path]: time }),
            onRestore: (path) => restore([path]),
          })}
          rows={rowsSource(files)}
          keyOf={({ path }) => path}
          sort={{ by, onSort: (column) => setBy(nextSort(by, column)) }}
          selection={{ ...selection, all: files.map(({ path }) => path) }}
        />
      )}
      <BulkBar count={selection.picked.size} onClear={selection.clear}>
        <Button needs="operate" kind="primary" onClick={() => restore([...selection.picked])}>
          {t('versions.restoreMany', { n: selection.picked.size })}
        </Button>
      </BulkBar>
    </>
  )
}
