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
  const own = tree.lists.get(directory)?.total ?? 0
  return branchesIn(tree, directory).reduce((sum, { path }) => sum + rowCount(tree, path), own)
}

/** The rows of a range. Costs what is open and what is in the range, not what is in the directories. */
export function rowsIn(tree: Tree, range: RowRange): readonly TreeRow[] {
  const rows: TreeRow[] = []
  walk(tree, '', 1, 0, range, (row) => rows.push(row))
  return rows
}

/** The pages of each directory that hold the rows of a range. */
export function pagesInSight(tree: Tree, range: RowRange): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, Set<number>>([['', new Set()]])
  walk(tree, '', 1, 0, range, undefined, (directory, own) => {
    const pages = found.get(directory) ?? new Set()
    for (const page of pagesOf(own, tree.perPage)) pages.add(page)
    found.set(directory, pages)
  })
  return new Map([...found].map(([directory, pages]) => [directory, [...pages]]))
}

/** Visits the rows of a directory that begin at `start` among all rows; returns where the next row begins. */
function walk(
  tree: Tree,
  directory: string,
  level: number,
  start: number,
  range: RowRange,
  onRow?: (row: TreeRow) => void,
  onOwn?: (directory: string, own: RowRange) => void,
): number {
  const total = tree.lists.get(directory)?.total ?? 0
  let at = start
  let own = 0
  const emit = (upTo: number) => {
    const first = Math.max(own, own + range.first - at)
    const end = Math.min(upTo, own + range.end - at)
    if (first < end) onOwn?.(directory, { first, end })
    for (let index = first; index < end; index++) onRow?.(rowAt(tree, directory, level, index, at + index - own))
    at += upTo - own
    own = upTo
  }
  for (const { at: index, path } of branchesIn(tree, directory)) {
    emit(index + 1)
    at = walk(tree, path, level + 1, at, range, onRow, onOwn)
  }
  emit(total)
  return at
}

function rowAt(tree: Tree, directory: string, level: number, own: number, index: number): TreeRow {
  const page = Math.floor(own / tree.perPage) + 1
  const item = tree.lists.get(directory)?.pages.get(page)?.[own % tree.perPage]
  if (item === undefined) return { index, level, path: `${directory}/#${own}`, item, expanded: undefined }
  const path = joinPath(directory, item.name)
  const isOpenable = item.type === 'directory' && item.children === true
  return { index, level, path, item, expanded: isOpenable ? tree.open.has(path) : undefined }
}
