import type { DatabaseSync } from 'node:sqlite'
import { isInvalid, type FileHead } from '../../core/records/file-info.ts'
import { baseOf, parentOf } from '../../core/paths.ts'
import { BEHIND_ALL_NAMES, GlobalRows } from './global-rows.ts'
import { HEAD_COLUMNS } from './row-format.ts'
import type { RowReader } from './row-reader.ts'
import type { Row } from '../sqlite/sql.ts'
import type { TreeEntry } from '../types.ts'

export interface BrowseOptions {
  readonly prefix: string
  readonly levels: number | undefined
  readonly directoriesOnly: boolean
}

/** An entry whose children are still being added. */
interface OpenEntry extends TreeEntry {
  readonly children: TreeEntry[]
}

/** Reads the global tree. A subtree below the wanted depth is skipped, not read. */
export class Browser {
  readonly #rows: GlobalRows
  readonly #reader: RowReader

  constructor(database: DatabaseSync, reader: RowReader) {
    this.#rows = new GlobalRows(database, HEAD_COLUMNS)
    this.#reader = reader
  }

  browse({ prefix, levels, directoriesOnly }: BrowseOptions): readonly TreeEntry[] {
    const root = prefix.replace(/\/+$/, '')
    if (root !== '' && this.#find(root)?.type !== 'directory') return []
    const start = root === '' ? '' : `${root}/`
    const top: TreeEntry[] = []
    // The children list of each directory. The children of a directory without a record are left out.
    const childrenOf = new Map<string, TreeEntry[]>([[root, top]])
    this.#rows.walk(start, root === '' ? BEHIND_ALL_NAMES : `${root}0`, (name, row) => {
      const cut = endOfDepth(name, start.length, levels)
      if (cut !== -1) return `${name.slice(0, cut)}0` // the first name that can follow the subtree
      const head = this.#head(row)
      if (!isShown(head) || (directoriesOnly && head.type !== 'directory')) return undefined
      const entry = entryOf(head)
      childrenOf.get(parentOf(head.name))?.push(entry)
      if (head.type === 'directory') childrenOf.set(head.name, entry.children)
      return undefined
    })
    return top
  }

  #find(name: string): FileHead | undefined {
    let found: FileHead | undefined
    this.#rows.walk(name, `${name}\0`, (_name, row) => {
      found = this.#head(row)
      return false
    })
    return found !== undefined && isShown(found) ? found : undefined
  }

  #head([device, ...columns]: Row): FileHead {
    return this.#reader.head(Number(device), columns)
  }
}

/** End of the ancestor of `name` at the maximum depth; -1 when the name itself is within the depth. */
function endOfDepth(name: string, from: number, levels: number | undefined): number {
  if (levels === undefined) return -1
  let slash = from - 1
  for (let level = 0; level <= levels; level++) {
    slash = name.indexOf('/', slash + 1)
    if (slash === -1) return -1
  }
  return slash
}

function isShown(head: FileHead): boolean {
  return !head.deleted && !isInvalid(head)
}

function entryOf(head: FileHead): OpenEntry {
  const { name, type, sizeBytes, modifiedS, modifiedNs } = head
  return { name: baseOf(name), type, sizeBytes, modifiedS, modifiedNs, children: [] }
}
