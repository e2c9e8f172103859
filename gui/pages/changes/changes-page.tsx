import { useMemo } from 'preact/hooks'
import { addressOf } from '../../base/address.ts'
import { useParam } from '../../base/route.ts'
import { changeLines, type ChangeFilter, type FileChange } from '../../view-model/changes.ts'
import { deviceName, shortId } from '../../view-model/device.ts'
import { folderName } from '../../view-model/folder-name.ts'
import { formatDay } from '../../i18n/format.ts'
import { useLive } from '../../live/live.ts'
import { SelectField } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { TimeAgo, EmptyNote, Skeleton, useNow } from '../../ui/parts.tsx'
import { FilterBar } from '../../ui/row-filter.tsx'
import { linesSource, Table, useColumns, useTableView } from '../../ui/table.tsx'
import type { Column } from '../../ui/table-props.ts'
import { currentTexts, t } from '../../i18n/texts.ts'
import { PathButton } from '../folder/path-button.tsx'
import { useChanges } from './use-changes.ts'

/** What changed lately in all folders, as it happens, by day. */
export function ChangesPage() {
  const [folder, setFolder] = useParam('folder')
  const [chosen, setFilter] = useParam('filter')
  const [text, setText] = useParam('search')
  const folders = useLive((state) => state.config?.folders) ?? []
  const changes = useChanges()
  const options = [
    { value: '', text: t('changes.all') },
    ...folders.map((each) => ({ value: String(each.id), text: folderName(each) })),
  ]
  const chips = [
    { name: 'all', text: t('filter.all') },
    { name: 'modified', text: t('changes.modified') },
    { name: 'deleted', text: t('changes.deleted') },
  ] as const
  const filter: ChangeFilter = chips.find(({ name }) => name === chosen)?.name ?? 'all'
  return (
    <>
      <header class="page-head">
        <h1>{t('nav.changes')}</h1>
      </header>
      <p class="soft files-note">{t('changes.intro')}</p>
      <FilterBar
        chips={chips}
        chosen={filter}
        onChoose={setFilter}
        text={text}
        label={t('changes.search')}
        onText={setText}
      >
        <SelectField label={t('changes.folder')} value={folder} options={options} onChange={setFolder} />
      </FilterBar>
      {changes === undefined ? (
        <Skeleton lines={6} />
      ) : (
        <ChangesTable changes={changes} folder={folder} filter={filter} text={text} />
      )}
    </>
  )
}

interface ChangesTableProps {
  readonly changes: readonly FileChange[]
  readonly folder: string
  readonly filter: ChangeFilter
  readonly text: string
}

function ChangesTable({ changes, ...wanted }: ChangesTableProps) {
  const nowMs = useNow(60_000)
  const lines = useMemo(
    () => changeLines(changes, wanted, (timeMs) => formatDay(timeMs, nowMs)),
    [changes, wanted.folder, wanted.filter, wanted.text, nowMs, currentTexts.get()],
  )
  const view = useTableView(lines.length)
  const shown = useColumns(columns)
  if (lines.length === 0) return <EmptyNote>{t(changes.length === 0 ? 'changes.none' : 'filter.none')}</EmptyNote>
  return (
    <Table
      view={view}
      kind="changes-table"
      caption={t('nav.changes')}
      columns={shown}
      rows={linesSource(lines)}
      keyOf={({ id }) => String(id)}
    />
  )
}

function columns(): readonly Column<FileChange>[] {
  return [
    {
      id: 'name',
      title: t('files.name'),
      phone: 'name',
      cell: ({ folder, path }) => <PathButton folder={folder} path={path} />,
    },
    { id: 'what', title: t('changes.what'), phone: 'line', width: '120px', cell: (change) => <What change={change} /> },
    { id: 'who', title: t('changes.who'), width: '132px', cell: (change) => <Author change={change} /> },
    { id: 'folder', title: t('changes.folder'), width: '22%', cell: (change) => <FolderLink change={change} /> },
    {
      id: 'time',
      title: t('changes.when'),
      phone: 'side',
      width: '144px',
      cell: ({ time }) => (
        <span class="soft">
          <TimeAgo time={time} />
        </span>
      ),
    },
  ]
}

interface CellProps {
  readonly change: FileChange
}

function What({ change: { deleted } }: CellProps) {
  return (
    <span class={deleted ? 'change deleted' : 'change'}>
      <Icon name={deleted ? 'trash' : 'changes'} size={16} />
      {t(deleted ? 'changes.deleted' : 'changes.modified')}
    </span>
  )
}

function Author({ change: { by } }: CellProps) {
  const author = useLive((state) => state.config?.devices.find(({ deviceID }) => shortId(deviceID) === by))
  return <>{author === undefined ? by : deviceName(author)}</>
}

function FolderLink({ change }: CellProps) {
  const folder = useLive((state) => state.config?.folders.find(({ id }) => id === change.folder))
  return folder === undefined ? (
    <>{change.folder}</>
  ) : (
    <a href={addressOf('folders', folder.id)}>{folderName(folder)}</a>
  )
}
