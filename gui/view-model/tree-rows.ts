import type { ItemJson } from '../../src/rest/twinfold.ts'
import type { PagedList } from '../live/paged.ts'
import { joinPath } from '../base/paths.ts'
import { pagesOf, type RowRange } from '../base/visible-rows.ts'

/** A tree whose directories are loaded page by page. */
export interface Tree {
  /** By path; the folder itself is the empty one. */
  readonly lists: ReadonlyMap<string, PagedList<ItemJson>>
  readonly open: ReadonlySet<string>
  readonly perPage: number
}

/** A row of the tree as it is shown; without an item while its page is not loaded. */
export interface TreeRow {
  readonly index: number
  readonly level: number
  readonly path: string
  readonly item: ItemJson | undefined
  /** Undefined for what cannot be opened. */
  readonly expanded: boolean | undefined
}

/** An open directory inside another one, at its place there. */
interface Branch {
  readonly at: number
  readonly path: string
}

/** The open directories of each directory. Those whose row is not loaded keep their place by what was loaded before. */
function branchesIn({ lists, open, perPage }: Tree, directory: string): readonly Branch[] {
  const list = lists.get(directory)
  if (list === undefined || open.size === 0) return []
  const found: Branch[] = []
  for (const [page, items] of list.pages) {
    for (const [index, item] of items.entries()) {
      const path = joinPath(directory, item.name)
      const at = (page - 1) * perPage + index
      if (item.type === 'directory' && open.has(path) && at < list.total) found.push({ at, path })
    }
  }
  return found.sort((one, other) => one.at - other.at)
}

/** The number of rows of a directory with everything that is open in it. */
export function rowCount(tree: Tree, directory = ''): number {
  const entries = tree.lists.get(directory)?.total ?? 0
  return branchesIn(tree, directory).reduce((sum, { path }) => sum + rowCount(tree, path), entries)
}

/** The rows of a range. Costs what is open and what is in the range, not what is in the directories. */
export function treeRowsIn(tree: Tree, range: RowRange): readonly TreeRow[] {
  const rows: TreeRow[] = []
  visitRows(tree, '', 1, 0, { range, onRow: (row) => rows.push(row) })
  return rows
}

/** The pages of each directory that contain the rows of a range. */
export function pagesInSight(tree: Tree, range: RowRange): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, Set<number>>([['', new Set()]])
  const onEntries = (directory: string, entries: RowRange) => {
    const pages = found.get(directory) ?? new Set()
    for (const page of pagesOf(entries, tree.perPage)) pages.add(page)
    found.set(directory, pages)
  }
  visitRows(tree, '', 1, 0, { range, onEntries })
  return new Map([...found].map(([directory, pages]) => [directory, [...pages]]))
}

interface RowVisit {
  readonly range: RowRange
  readonly onRow?: (row: TreeRow) => void
  /** Gets the entries of a directory, by their numbers in it, that are rows of the range. */
  readonly onEntries?: (directory: string, entries: RowRange) => void
}

/** Visits the rows of a directory that begin at `start` among all rows; returns where the next row begins. */
function visitRows(tree: Tree, directory: string, level: number, start: number, visit: RowVisit): number {
  const { range, onRow, onEntries } = visit
  const total = tree.lists.get(directory)?.total ?? 0
  let row = start
  let entry = 0
  const emit = (upTo: number) => {
    const first = Math.max(entry, entry + range.first - row)
    const end = Math.min(upTo, entry + range.end - row)
    if (first < end) onEntries?.(directory, { first, end })
    for (let number = first; number < end; number++)
      onRow?.(rowAt(tree, directory, level, number, row + number - entry))
    row += upTo - entry
    entry = upTo
  }
  for (const { at, path } of branchesIn(tree, directory)) {
    emit(at + 1)
    row = visitRows(tree, path, level + 1, row, visit)
  }
  emit(total)
  return row
}

function rowAt(tree: Tree, directory: string, level: number, entry: number, index: number): TreeRow {
  const page = Math.floor(entry / tree.perPage) + 1
  const item = tree.lists.get(directory)?.pages.get(page)?.[entry % tree.perPage]
  if (item === undefined) return { index, level, path: `${directory}/#${entry}`, item, expanded: undefined }
  const path = joinPath(directory, item.name)
  const isOpenable = item.type === 'directory' && item.children === true
  return { index, level, path, item, expanded: isOpenable ? tree.open.has(path) : undefined }
}
