import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { FolderConfig } from '../../../src/core/config/config.ts'
import type { ItemJson } from '../../../src/rest/twinfold.ts'
import { reasonOf } from '../../app/run-action.ts'
import { useParam } from '../../base/route.ts'
import { folderName } from '../../view-model/folder-name.ts'
import { noItemsText } from '../../view-model/last-known.ts'
import { nextSort, withToggled, type Sort } from '../../view-model/table.ts'
import { pagesInSight, rowCount, treeRowsIn, type Tree, type TreeRow } from '../../view-model/tree-rows.ts'
import { client } from '../../live/client.ts'
import { useLive } from '../../live/live.ts'
import type { FetchedPage } from '../../live/paged.ts'
import { useFolderRevision } from '../../live/query.ts'
import { usePaged } from '../../live/use-paged.ts'
import { EmptyNote, Skeleton } from '../../ui/parts.tsx'
import { Table, useColumns, useTableView } from '../../ui/table.tsx'
import type { TableProps, TableView } from '../../ui/table-props.ts'
import { t } from '../../i18n/texts.ts'
import { FileBulk, useFileSelection } from './file-bulk.tsx'
import type { FileChoice } from './choose-files.tsx'
import { fileColumns, type FileLine } from './file-columns.tsx'
import { openFile } from './file-drawer.tsx'
import { useAsNeighbours } from './neighbours.ts'
import { stepInTree } from './tree-keys.ts'

const PER_PAGE = 200

type FileSort = Sort<'name' | 'bytes' | 'time'>

/** The columns as the daemon calls them: it sorts, because it has all names. */
const SORTS = { name: 'name', bytes: 'size', time: 'modified' } as const

function flag(isSet: boolean): 'true' | 'false' {
  return isSet ? 'true' : 'false'
}

interface FileTreeProps {
  readonly folder: FolderConfig
  /** Also items that are ignored and so in no index. */
  readonly hasIgnored: boolean
  readonly choice: FileChoice
}

/** The folder as a tree. Pages of directories are loaded as they come into sight; only rows in sight are rendered. */
export function FileTree({ folder, hasIgnored, choice }: FileTreeProps) {
  const [opened, setOpened] = useParam('open')
  const open: ReadonlySet<string> = new Set(opened.split('//').filter((path) => path !== ''))
  const [by, setBy] = useState<FileSort>({ column: 'name', descending: false })
  const fetchPage = async (prefix: string, page: number, signal: AbortSignal): Promise<FetchedPage<ItemJson>> => {
    const query = {
      folder: folder.id,
      prefix,
      page,
      perpage: PER_PAGE,
      sort: SORTS[by.column],
      descending: flag(by.descending),
      ignored: flag(hasIgnored),
    }
    const { total, truncated, entries } = await client.call('GET /rest/twinfold/tree', { query, signal })
    return { total, truncated, items: entries }
  }
  const listKey = `${folder.id} ${hasIgnored} ${by.column} ${by.descending}`
  const { lists, show } = usePaged(listKey, fetchPage, useFolderRevision(folder.id))
  const tree: Tree = { lists, open, perPage: PER_PAGE }
  const root = lists.get('')
  const nothing = useLive((state) => noItemsText(state, folder))
  useEffect(() => show(new Map([['', [1]]])), [listKey])
  if (root === undefined) return <Skeleton lines={8} />
  if (root.error !== undefined && root.pages.size === 0)
    return <EmptyNote>{t('fold.failed', { reason: reasonOf(root.error) })}</EmptyNote>
  if (root.total === 0) return <EmptyNote>{t(nothing)}</EmptyNote>
  return (
    <>
      <TreeTable
        folder={folder}
        tree={tree}
        choice={choice}
        sort={{ by, onSort: (column) => setBy(nextSort(by, column as FileSort['column'])) }}
        onToggle={(path) => setOpened([...withToggled(open, path)].join('//'))}
        onShow={show}
      />
      {root.truncated && <p class="soft files-note">{t('files.truncated')}</p>}
    </>
  )
}

interface TreeTableProps {
  readonly folder: FolderConfig
  readonly choice: FileChoice
  readonly tree: Tree
  readonly sort: NonNullable<TableProps<FileLine>['sort']>
  readonly onToggle: (path: string) => void
  readonly onShow: (inSight: ReadonlyMap<string, readonly number[]>) => void
}

function TreeTable({ folder, choice, tree, sort, onToggle, onShow }: TreeTableProps) {
  const count = rowCount(tree)
  const view = useTableView(count)
  const { range, reveal } = view.virtual
  const rows = treeRowsIn(tree, range)
  useEffect(() => {
    const inSight = new Map(pagesInSight(tree, range))
    for (const path of tree.open) if (!tree.lists.has(path)) inSight.set(path, [1])
    onShow(inSight)
  })
  const paths = rows.flatMap(({ item, path }) => (item === undefined ? [] : [path]))
  useAsNeighbours(folder.id, paths, (path) => {
    const row = rows.find((each) => each.path === path)
    if (row !== undefined) reveal(row.index)
  })
  const lines = rows.flatMap((row) => lineOf(row)?.row ?? [])
  const files = useFileSelection(folder, lines)
  const toggle = useRef(onToggle)
  toggle.current = onToggle
  const columns = useColumns(
    () => fileColumns(folder, choice, (path) => toggle.current(path)),
    [folder, JSON.stringify(choice.selection.entries), choice.click === undefined],
  )
  const { stop, press, focused } = useTreeFocus(view, tree, count, {
    toggle: onToggle,
    open: (path) => openFile(folder.id, path),
  })
  return (
    <>
      <Table
        view={view}
        kind="tree-table"
        caption={t('files.tree', { folder: folderName(folder) })}
        columns={columns}
        rows={{ count, at: (index) => lineOf(rows[index - range.first]) }}
        keyOf={({ path }) => path}
        sort={sort}
        selection={choice.click === undefined ? files.selection : undefined}
        grid={{ role: 'treegrid', onKeyDown: press, onFocusIn: focused }}
        attributesOf={({ level, expanded, item }, index) => ({
          'aria-level': level,
          'aria-expanded': expanded,
          tabIndex: index === stop ? 0 : -1,
          ...(item.state === 'ignored' && { class: 'ignored' }),
        })}
      />
      <FileBulk folder={folder} files={files} />
    </>
  )
}

function lineOf(row: TreeRow | undefined): { readonly row: FileLine } | undefined {
  if (row?.item === undefined) return undefined
  return { row: { item: row.item, path: row.path, level: row.level, expanded: row.expanded } }
}

interface TreeActions {
  readonly toggle: (path: string) => void
  readonly open: (path: string) => void
}

/** The row that the Tab key stops at; the arrow keys lead to the others, rendered or not. */
function useTreeFocus({ element, virtual: { range, reveal } }: TableView, tree: Tree, count: number, act: TreeActions) {
  const [wanted, setWanted] = useState(0)
  const isMoving = useRef(false)
  /** At once, so that the next key finds it; a row that is not rendered or loaded yet gets the focus when it is. */
  const focus = (index: number) => {
    const row = element.current?.querySelector<HTMLElement>(`tr[tabindex][data-index="${index}"]`)
    row?.focus({ preventScroll: true })
    isMoving.current = row === null || row === undefined
  }
  useLayoutEffect(() => {
    if (isMoving.current) focus(wanted)
  })
  const press = (event: KeyboardEvent) => {
    const step = stepInTree(event, tree, count)
    if (step === undefined) return
    event.preventDefault()
    if (step.toggle !== undefined) act.toggle(step.toggle)
    if (step.open !== undefined) act.open(step.open)
    if (step.index === undefined) return
    reveal(step.index)
    setWanted(step.index)
    focus(step.index)
  }
  const focused = (event: FocusEvent) => {
    const row = event.target instanceof Element ? event.target.closest<HTMLElement>('tr[data-index]') : null
    if (row !== null) setWanted(Number(row.dataset['index']))
  }
  const stop = Math.min(Math.max(wanted, range.first), Math.max(range.first, range.end - 1)) // always a rendered one
  return { stop, press, focused }
}
