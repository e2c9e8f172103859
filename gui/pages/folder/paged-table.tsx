import { useEffect } from 'preact/hooks'
import { reasonOf } from '../../app/run-action.ts'
import { pagesOf } from '../../base/visible-rows.ts'
import type { AdjacentItems, FetchedPage, PagedList } from '../../live/paged.ts'
import { useFolderRevision } from '../../live/query.ts'
import { usePaged, type LoadedLists } from '../../live/use-paged.ts'
import { EmptyNote, Skeleton } from '../../ui/parts.tsx'
import { Table, useTableView } from '../../ui/table.tsx'
import type { TableProps } from '../../ui/table-props.ts'
import { t } from '../../i18n/texts.ts'
import { useAsNeighbours } from './neighbours.ts'

const PER_PAGE = 100
const FIRST_PAGE = new Map([['', [1]]])

interface PageNumber {
  readonly page: number
  readonly perpage: number
}

export interface PagedRows<T> extends LoadedLists<T> {
  /** Undefined until the first page has arrived. */
  readonly list: PagedList<T> | undefined
}

/** A long list of a folder, fetched page by page as rows come into sight. */
export function usePagedRows<T>(
  folder: string,
  fetchPage: (page: PageNumber, signal: AbortSignal, beside: AdjacentItems<T>) => Promise<FetchedPage<T>>,
): PagedRows<T> {
  const paged = usePaged<T>(
    folder,
    (_key, page, signal, beside) => fetchPage({ page, perpage: PER_PAGE }, signal, beside),
    useFolderRevision(folder),
  )
  useEffect(() => paged.show(FIRST_PAGE), [folder])
  return { ...paged, list: paged.lists.get('') }
}

export interface PagedTableProps<T> extends Omit<TableProps<T>, 'view' | 'rows'> {
  readonly folder: string
  readonly paged: PagedRows<T>
  /** Shown instead of an empty table. */
  readonly none: string
}

/** The table of such a list; its rows are files of the folder, keyed by path. */
export function PagedTable<T>({ paged, none, ...props }: PagedTableProps<T>) {
  const { list } = paged
  if (list === undefined) return <Skeleton lines={8} />
  if (list.error !== undefined && list.pages.size === 0)
    return <EmptyNote>{t('fold.failed', { reason: reasonOf(list.error) })}</EmptyNote>
  if (list.total === 0) return <EmptyNote>{none}</EmptyNote>
  return <LoadedTable {...props} list={list} onShow={paged.show} />
}

interface LoadedTableProps<T> extends Omit<PagedTableProps<T>, 'paged' | 'none'> {
  readonly list: PagedList<T>
  readonly onShow: LoadedLists<T>['show']
}

function LoadedTable<T>({ folder, list, onShow, ...props }: LoadedTableProps<T>) {
  const view = useTableView(list.total)
  const { range, reveal } = view.virtual
  useEffect(() => onShow(new Map([['', pagesOf(range, PER_PAGE)]])))
  const at = (index: number) => {
    const row = list.pages.get(Math.floor(index / PER_PAGE) + 1)?.[index % PER_PAGE]
    return row === undefined ? undefined : { row }
  }
  const paths = Array.from({ length: range.end - range.first }, (_, offset) => at(range.first + offset)).flatMap(
    (line) => (line === undefined ? [] : [props.keyOf(line.row)]),
  )
  useAsNeighbours(folder, paths, (path) => reveal(range.first + paths.indexOf(path)))
  return <Table {...props} view={view} rows={{ count: list.total, at }} />
}
