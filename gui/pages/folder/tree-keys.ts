import { treeRowsIn, type Tree, type TreeRow } from '../../view-model/tree-rows.ts'

/** What a key does in a tree: where the focus goes, what opens or closes. */
export interface TreeStep {
  readonly index?: number
  readonly toggle?: string
  readonly open?: string
}

const PAGE_ROWS = 15

/** The usual keys of a tree: up and down between rows, right into a directory, left out of it, Enter for the item. */
export function stepInTree(event: KeyboardEvent, tree: Tree, count: number): TreeStep | undefined {
  const { target } = event
  if (!(target instanceof HTMLElement) || event.altKey || event.ctrlKey || event.metaKey) return undefined
  const index = Number(target.dataset['index'] ?? Number.NaN)
  const [row] = treeRowsIn(tree, { first: index, end: index + 1 })
  return row === undefined ? undefined : treeStep(event.key, row, tree, count)
}

/** The step of one key at a row; undefined for keys that have no meaning there. */
export function treeStep(key: string, row: TreeRow, tree: Tree, count: number): TreeStep | undefined {
  const { index, path, expanded } = row
  const to = (wanted: number): TreeStep => ({ index: Math.min(count - 1, Math.max(0, wanted)) })
  switch (key) {
    case 'ArrowDown':
      return to(index + 1)
    case 'ArrowUp':
      return to(index - 1)
    case 'PageDown':
      return to(index + PAGE_ROWS)
    case 'PageUp':
      return to(index - PAGE_ROWS)
    case 'Home':
      return to(0)
    case 'End':
      return to(count - 1)
    case 'ArrowRight':
      return expanded === false ? { toggle: path } : expanded === true ? to(index + 1) : {}
    case 'ArrowLeft':
      return expanded === true ? { toggle: path } : parentStep(row, tree)
    case 'Enter':
      return { open: path }
    case ' ':
      return expanded === undefined ? { open: path } : { toggle: path }
    default:
      return undefined
  }
}

/** To the directory that holds the row: the last one above it of a lower level. */
function parentStep({ index, level }: TreeRow, tree: Tree): TreeStep {
  if (level === 1) return {}
  const above = treeRowsIn(tree, { first: 0, end: index })
  const parent = above.findLast((row) => row.level < level)
  return parent === undefined ? {} : { index: parent.index }
}
