import { useEffect, useRef, useState } from 'preact/hooks'
import type { FolderConfig } from '../../../src/core/config/config.ts'
import type { ItemJson } from '../../../src/rest/twinfold.ts'
import { reasonOf } from '../../app/act.ts'
import { folderName } from '../../facts/folder-name.ts'
import { pagesInSight, rowCount, rowsIn, type Tree, type TreeRow } from '../../facts/tree-rows.ts'
import { client } from '../../live/client.ts'
import type { FetchedPage } from '../../live/paged.ts'
import { useFolderRevision } from '../../live/query.ts'
import { usePaged } from '../../live/use-paged.ts'
import { Empty, Skeleton } from '../../ui/parts.tsx'
import { Spacer } from '../../ui/spacer.tsx'
import { useVirtual } from '../../ui/virtual.ts'
import { t } from '../../words/words.ts'
import { openFile } from './file-drawer.tsx'
import { FileRow, FilesHead } from './file-row.tsx'
import { stepInTree } from './tree-keys.ts'

const PER_PAGE = 200
const COLUMNS = 6

/** The folder as a tree. Pages of directories are loaded as they come into sight; only rows in sight are rendered. */
export function FileTree({ folder }: { readonly folder: FolderConfig }) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const fetchPage = async (prefix: string, page: number, signal: AbortSignal): Promise<FetchedPage<ItemJson>> => {
    const query = { folder: folder.id, prefix, page, perpage: PER_PAGE }
    const { total, truncated, entries } = await client.call('GET /rest/twinfold/tree', { query, signal })
    return { total, truncated, items: entries }
  }
  const { lists, show } = usePaged(folder.id, fetchPage, useFolderRevision(folder.id))
  const tree: Tree = { lists, open, perPage: PER_PAGE }
  const toggle = (path: string) =>
    setOpen((before) => new Set(before.has(path) ? [...before].filter((each) => each !== path) : [...before, path]))
  const root = lists.get('')
  useEffect(() => show(new Map([['', [1]]])), [folder.id])
  if (root === undefined) return <Skeleton lines={8} />
  if (root.error !== undefined && root.pages.size === 0)
    return <Empty>{t('fold.failed', { reason: reasonOf(root.error) })}</Empty>
  if (root.total === 0) return <Empty>{t('files.empty')}</Empty>
  return (
    <>
      <TreeTable folder={folder} tree={tree} onToggle={toggle} onShow={show} />
      {root.truncated && <p class="soft files-note">{t('files.truncated')}</p>}
    </>
  )
}

interface TreeTableProps {
  readonly folder: FolderConfig
  readonly tree: Tree
  readonly onToggle: (path: string) => void
  readonly onShow: (inSight: ReadonlyMap<string, readonly number[]>) => void
}

function TreeTable({ folder, tree, onToggle, onShow }: TreeTableProps) {
  const table = useRef<HTMLTableElement>(null)
  const count = rowCount(tree)
  const { range, abovePx, belowPx, reveal } = useVirtual(table, count)
  /** The row that the Tab key stops at; the arrow keys lead to the others. */
  const [stop, setStop] = useState(0)
  const isMoving = useRef(false)
  const rows = rowsIn(tree, range)
  useEffect(() => {
    const inSight = new Map(pagesInSight(tree, range))
    for (const path of tree.open) if (!tree.lists.has(path)) inSight.set(path, [1])
    onShow(inSight)
  })
  useEffect(() => {
    if (!isMoving.current) return
    const row = table.current?.querySelector<HTMLElement>(`tr[data-index="${stop}"]`)
    if (row === null || row === undefined) return
    isMoving.current = false
    row.focus({ preventScroll: true })
  })
  const press = (event: KeyboardEvent) => {
    const step = stepInTree(event, tree, count)
    if (step === undefined) return
    event.preventDefault()
    if (step.toggle !== undefined) onToggle(step.toggle)
    if (step.open !== undefined) openFile(folder.id, step.open)
    if (step.index === undefined) return
    isMoving.current = true
    reveal(step.index)
    setStop(step.index)
  }
  const focused = (event: FocusEvent) => {
    const row = event.target instanceof Element ? event.target.closest<HTMLElement>('tr[data-index]') : null
    if (row !== null) setStop(Number(row.dataset['index']))
  }
  const stopped = Math.min(Math.max(stop, range.first), Math.max(range.first, range.end - 1)) // always a rendered one
  return (
    <table
      ref={table}
      class="files-table tree-table virtual"
      role="treegrid"
      aria-rowcount={count + 1}
      onKeyDown={press}
      onFocusIn={focused}
    >
      <caption class="unseen">{t('files.tree', { folder: folderName(folder) })}</caption>
      <FilesHead />
      <tbody>
        <Spacer heightPx={abovePx} columns={COLUMNS} />
        {rows.map((row) => (
          <Row key={row.path} folder={folder} row={row} isStop={row.index === stopped} onToggle={onToggle} />
        ))}
        <Spacer heightPx={belowPx} columns={COLUMNS} />
      </tbody>
    </table>
  )
}

interface RowProps {
  readonly folder: FolderConfig
  readonly row: TreeRow
  readonly isStop: boolean
  readonly onToggle: (path: string) => void
}

function Row({ folder, row: { index, level, path, item, expanded }, isStop, onToggle }: RowProps) {
  if (item === undefined)
    return (
      <tr data-index={index} aria-level={level} aria-rowindex={index + 2} tabIndex={isStop ? 0 : -1}>
        <td class="files-name" style={{ '--level': String(level - 1) }} colSpan={COLUMNS}>
          <span class="files-loading">…</span>
        </td>
      </tr>
    )
  return (
    <FileRow
      folder={folder}
      item={item}
      path={path}
      branch={{ index, level, expanded, isStop, onToggle: () => onToggle(path) }}
    />
  )
}
