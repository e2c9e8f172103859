import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { FolderConfig } from '../../../src/core/config/config.ts'
import type { ItemJson } from '../../../src/rest/twinfold.ts'
import { reasonOf } from '../../app/act.ts'
import { folderName } from '../../facts/folder-name.ts'
import { joinPath } from '../../facts/paths.ts'
import { useQuery, useFolderRevision } from '../../live/query.ts'
import { client } from '../../live/client.ts'
import { fetchPages } from '../../live/pages.ts'
import { Empty } from '../../ui/parts.tsx'
import { t } from '../../words/words.ts'
import { More } from './query-result.tsx'
import { openFile } from './file-drawer.tsx'
import { FileRow, FilesHead } from './file-row.tsx'
import { stepInTree } from './tree-keys.ts'

const PER_PAGE = 200
const COLUMNS = 6

/** What all levels of one tree share. */
interface Tree {
  readonly folder: FolderConfig
  readonly open: ReadonlySet<string>
  /** The row that the Tab key stops at; the arrow keys lead to the others. */
  readonly stop: string | undefined
  readonly toggle: (path: string) => void
}

/** The folder level by level: each is loaded when it is opened. */
export function FileTree({ folder }: { readonly folder: FolderConfig }) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const [stop, setStop] = useState<string>()
  const table = useRef<HTMLTableElement>(null)
  const toggle = (path: string) =>
    setOpen((before) => new Set(before.has(path) ? [...before].filter((each) => each !== path) : [...before, path]))
  useEffect(() => {
    const rows = [...(table.current?.querySelectorAll<HTMLElement>('tr[data-path]') ?? [])]
    if (!rows.some(({ dataset }) => dataset['path'] === stop)) setStop(rows[0]?.dataset['path'])
  })
  const press = (event: KeyboardEvent) => {
    const step = stepInTree(event)
    if (step === undefined) return
    event.preventDefault()
    if (step.toggle !== undefined) toggle(step.toggle)
    if (step.open !== undefined) openFile(folder.id, step.open)
    step.row?.focus()
  }
  const focused = (event: FocusEvent) => {
    const row = event.target instanceof Element ? event.target.closest<HTMLElement>('tr[data-path]') : null
    if (row !== null) setStop(row.dataset['path'])
  }
  return (
    <table ref={table} class="files-table tree-table" role="treegrid" onKeyDown={press} onFocusIn={focused}>
      <caption class="unseen">{t('files.tree', { folder: folderName(folder) })}</caption>
      <FilesHead />
      <tbody>
        <Level tree={{ folder, open, stop, toggle }} directory="" level={1} />
      </tbody>
    </table>
  )
}

function Level({
  tree,
  directory,
  level,
}: {
  readonly tree: Tree
  readonly directory: string
  readonly level: number
}) {
  const [pages, setPages] = useState(1)
  const { value, error } = useQuery(
    `${pages}`,
    async (signal) => {
      let truncated = false
      const { total, items } = await fetchPages(pages, PER_PAGE, async (page) => {
        const query = { folder: tree.folder.id, prefix: directory, page, perpage: PER_PAGE }
        const reply = await client.call('GET /rest/twinfold/tree', { query, signal })
        truncated ||= reply.truncated
        return { total: reply.total, items: reply.entries }
      })
      return { total, items, truncated }
    },
    useFolderRevision(tree.folder.id),
  )
  if (value === undefined) {
    return (
      <Line>
        {error === undefined ? (
          <span class="files-loading" aria-busy="true">
            {t('state.loading')}
          </span>
        ) : (
          t('fold.failed', { reason: reasonOf(error) })
        )}
      </Line>
    )
  }
  if (value.items.length === 0 && level === 1)
    return (
      <Line>
        <Empty>{t('files.empty')}</Empty>
      </Line>
    )
  const left = value.total - value.items.length
  return (
    <>
      {value.items.map((item) => (
        <Item key={item.name} tree={tree} item={item} path={joinPath(directory, item.name)} level={level} />
      ))}
      {left > 0 && (
        <Line>
          <More left={left} onMore={() => setPages(pages + 1)} />
        </Line>
      )}
      {value.truncated && left === 0 && <Line>{t('files.truncated')}</Line>}
    </>
  )
}

function Item({
  tree,
  item,
  path,
  level,
}: {
  readonly tree: Tree
  readonly item: ItemJson
  readonly path: string
  readonly level: number
}) {
  const isOpen = tree.open.has(path)
  const expanded = item.type === 'directory' && item.children === true ? isOpen : undefined
  return (
    <>
      <FileRow
        folder={tree.folder}
        item={item}
        path={path}
        branch={{ level, expanded, isStop: tree.stop === path, onToggle: () => tree.toggle(path) }}
      />
      {expanded === true && <Level tree={tree} directory={path} level={level + 1} />}
    </>
  )
}

function Line({ children }: { readonly children: ComponentChildren }) {
  return (
    <tr class="files-line">
      <td colSpan={COLUMNS}>{children}</td>
    </tr>
  )
}
