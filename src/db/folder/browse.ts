import type { DatabaseSync } from 'node:sqlite'
import { isInvalid, type FileHead } from '../../core/records/file-info.ts'
import { baseOf, parentOf } from '../../core/paths.ts'
import { BEHIND_ALL_NAMES, GlobalRows, type NextRow } from './global-rows.ts'
import { HEAD_COLUMNS } from './row-format.ts'
import type { RowReader } from './row-reader.ts'
import type { Row } from '../sqlite/sql.ts'
import type { GlobalStep, TreeEntry } from '../types.ts'

/** Some milliseconds of work. */
const ROWS_PER_STEP = 500

export interface BrowseOptions {
  readonly prefix: string
  readonly levels: number | undefined
  readonly directoriesOnly: boolean
}

/** An entry whose children are still being added. */
interface OpenEntry extends TreeEntry {
  readonly children: TreeEntry[]
}

/** Reads rows of the global tree. */
export class Browser {
  readonly #rows: GlobalRows
  readonly #reader: RowReader

  constructor(database: DatabaseSync, reader: RowReader) {
    this.#rows = new GlobalRows(database, HEAD_COLUMNS)
    this.#reader = reader
  }

  walk(start: string, end: string | Uint8Array, visit: (name: string, head: () => FileHead) => NextRow): void {
    this.#rows.walk(start, end, (name, row) => visit(name, () => this.#head(row())))
  }

  find(name: string): FileHead | undefined {
    let found: FileHead | undefined
    this.walk(name, `${name}\0`, (_name, head) => {
      found = head()
      return false
    })
    return found !== undefined && isShown(found) ? found : undefined
  }

  /** The children of a directory ('' is the root) from `start` on ('' is the beginning): some milliseconds of work. */
  level(directory: string, start: string): GlobalStep {
    const inside = directory === '' ? '' : `${directory}/`
    const found: FileHead[] = []
    let visits = 0
    let next: string | undefined
    this.walk(start === '' ? inside : start, endOf(directory), (name, head) => {
      if (++visits > ROWS_PER_STEP) {
        next = name
        return false
      }
      const cut = endOfDepth(name, inside.length, 0)
      if (cut !== -1) return `${name.slice(0, cut)}0` // the first name that can follow the subtree
      const child = head()
      if (isShown(child)) found.push(child)
      return undefined
    })
    return { found, next }
  }

  #head([device, ...columns]: Row): FileHead {
    return this.#reader.head(Number(device), columns)
  }
}

/**
 * One request for the tree, in steps, so that other requests are served in between; changes in between may be missing.
 * A subtree below the wanted depth is skipped, not read.
 */
export class TreeRequest {
  readonly top: TreeEntry[] = []
  readonly #options: BrowseOptions
  readonly #root: string
  readonly #prefix: string
  /** The children list of each directory. The children of a directory without a record are left out. */
  readonly #childrenOf: Map<string, TreeEntry[]>
  #next: string | undefined

  constructor(options: BrowseOptions) {
    this.#options = options
    this.#root = options.prefix.replace(/\/+$/, '')
    this.#prefix = this.#root === '' ? '' : `${this.#root}/`
    this.#childrenOf = new Map([[this.#root, this.top]])
  }

  /** Reads some rows. Returns whether there may be more. */
  step(browser: Browser): boolean {
    if (this.#next === undefined && this.#root !== '' && browser.find(this.#root)?.type !== 'directory') return false
    const end = endOf(this.#root)
    let visits = 0
    let isEnd = true
    browser.walk(this.#next ?? this.#prefix, end, (name, head) => {
      if (++visits > ROWS_PER_STEP) {
        this.#next = name
        isEnd = false
        return false
      }
      const cut = endOfDepth(name, this.#prefix.length, this.#options.levels)
      if (cut !== -1) return `${name.slice(0, cut)}0` // the first name that can follow the subtree
      this.#add(head())
      return undefined
    })
    return !isEnd
  }

  #add(head: FileHead): void {
    if (!isShown(head) || (this.#options.directoriesOnly && head.type !== 'directory')) return
    const entry = entryOf(head)
    this.#childrenOf.get(parentOf(head.name))?.push(entry)
    if (head.type === 'directory') this.#childrenOf.set(head.name, entry.children)
  }
}

function endOf(directory: string): string | Uint8Array {
  return directory === '' ? BEHIND_ALL_NAMES : `${directory}0`
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
