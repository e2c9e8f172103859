import type { DatabaseSync } from 'node:sqlite'
import { isInvalid, type FileHead } from '../core/file-info.ts'
import { baseOf, compareNames, parentOf } from '../core/paths.ts'
import { LOCAL_NUMBER } from './folder-state.ts'
import { HEAD_COLUMNS, type RowReader } from './rows.ts'
import { Query, type Row } from './sql.ts'
import type { TreeEntry } from './types.ts'

export interface BrowseOptions {
  readonly prefix: string
  readonly levels: number | undefined
  readonly directoriesOnly: boolean
}

/** An entry whose children are still coming. */
interface OpenEntry extends TreeEntry {
  readonly children: TreeEntry[]
}

/** Greater than every text: SQLite sorts all blobs behind all texts. */
const BEHIND_ALL_NAMES = Uint8Array.of(0xff)

/** Shows the global tree. Costs what it visits: a subtree below the wanted depth is jumped over, not read. */
export class Browser {
  readonly #streams: readonly RowStream[]

  constructor(database: DatabaseSync, reader: RowReader) {
    const from = `SELECT device, ${HEAD_COLUMNS} FROM files`
    const own = `${from} WHERE device = ${LOCAL_NUMBER} AND name >= ? AND name < ? AND mark = 0 ORDER BY name`
    // `mark > 0` in so many words: SQLite uses a partial index only when its condition is repeated.
    const won = (mark: number) => `${from} WHERE mark > 0 AND mark = ${mark} AND name >= ? AND name < ? ORDER BY name`
    this.#streams = [own, won(1), won(2)].map((sql) => new RowStream(new Query(database, sql), reader))
  }

  browse({ prefix, levels, directoriesOnly }: BrowseOptions): readonly TreeEntry[] {
    const root = prefix.replace(/\/+$/, '')
    if (root !== '' && this.#find(root)?.type !== 'directory') return []
    const start = root === '' ? '' : `${root}/`
    const top: TreeEntry[] = []
    // Where the children of each directory go. What is in a directory that nobody has is left out with it.
    const childrenOf = new Map<string, TreeEntry[]>([[root, top]])
    this.#walk(start, root === '' ? BEHIND_ALL_NAMES : `${root}0`, (name, stream) => {
      const cut = endOfDepth(name, start.length, levels)
      if (cut !== -1) return `${name.slice(0, cut)}0` // the first name that can follow the subtree
      const head = stream.head()
      if (!isShown(head) || (directoriesOnly && head.type !== 'directory')) return undefined
      const entry = entryOf(head)
      childrenOf.get(parentOf(head.name))?.push(entry)
      if (head.type === 'directory') childrenOf.set(head.name, entry.children)
      return undefined
    })
    return top
  }

  /** Calls `visit` for each global record in name order; what it returns is the name to go on at. */
  #walk(start: string, end: string | Uint8Array, visit: (name: string, at: RowStream) => string | undefined): void {
    try {
      for (const stream of this.#streams) stream.seek(start, end)
      for (let next = this.#first(); next?.name !== undefined; next = this.#first()) {
        const jump = visit(next.name, next)
        if (jump === undefined) next.advance()
        else for (const stream of this.#streams) stream.skipTo(jump, end)
      }
    } finally {
      for (const stream of this.#streams) stream.close()
    }
  }

  #first(): RowStream | undefined {
    let first: RowStream | undefined
    for (const stream of this.#streams) {
      if (stream.name === undefined) continue
      if (first?.name === undefined || compareNames(stream.name, first.name) < 0) first = stream
    }
    return first
  }

  #find(name: string): FileHead | undefined {
    for (const stream of this.#streams) {
      stream.seek(name, `${name}\0`)
      const head = stream.name === undefined ? undefined : stream.head()
      stream.close()
      if (head !== undefined) return isShown(head) ? head : undefined
    }
    return undefined
  }
}

/** Where the ancestor of `name` ends that is the last to be shown; -1 when the name itself is shown. */
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

/** Rows of one query, one at a time. A row that is only passed by is not turned into a record. */
class RowStream {
  readonly #query: Query
  readonly #reader: RowReader
  #rows: Iterator<Row> | undefined
  #row: Row = []
  /** Of the row it stands at; undefined at the end. */
  name: string | undefined

  constructor(query: Query, reader: RowReader) {
    this.#query = query
    this.#reader = reader
  }

  seek(start: string, end: string | Uint8Array): void {
    this.close()
    this.#rows = this.#query.each(start, end)
    this.advance()
  }

  /** As `seek`, but stays where it is when that is far enough already. */
  skipTo(start: string, end: string | Uint8Array): void {
    if (this.name !== undefined && compareNames(this.name, start) < 0) this.seek(start, end)
  }

  advance(): void {
    const row = this.#rows?.next()
    if (row === undefined || row.done === true) {
      this.name = undefined
      return
    }
    this.#row = row.value
    this.name = String(row.value[1])
  }

  /** The record it stands at. */
  head(): FileHead {
    const [device, ...columns] = this.#row
    return this.#reader.head(Number(device), columns)
  }

  /** A statement left half-way would keep the database busy. */
  close(): void {
    this.#rows?.return?.()
    this.#rows = undefined
    this.name = undefined
  }
}
