import type { DatabaseSync } from 'node:sqlite'
import { compareNames } from '../../core/paths.ts'
import { LOCAL_NUMBER } from '../sqlite/schema.ts'
import { Query, type Row } from '../sqlite/sql.ts'

/** Greater than every text: SQLite sorts all blobs after all texts. */
export const BEHIND_ALL_NAMES = Uint8Array.of(0xff)

/**
 * Conditions of disjoint rows, each in the order of an SQL index, that are the global records together. `mark > 0` is
 * explicit: SQLite uses a partial index only when its condition is repeated.
 */
export const GLOBAL_SOURCES = [
  `device = ${LOCAL_NUMBER} AND mark = 0`,
  'mark > 0 AND mark = 1',
  'mark > 0 AND mark = 2',
] as const

/** What to do after a row: read the next (undefined), continue at a later name, or stop (false). */
export type NextRow = string | false | undefined

/**
 * The global records of a folder in name order, of any device. Each name has exactly one, deleted and invalid ones
 * included. Rows are unconverted: the device first, then the selected columns, of which the first is the name.
 *
 * Rows of other devices are found in an SQL index that has their names only, and are read when they are wanted: where
 * subtrees are skipped, most are not.
 */
export class GlobalRows {
  readonly #streams: readonly RowStream[]

  constructor(database: DatabaseSync, columns: string) {
    const whole = new Query(database, `SELECT device, ${columns} FROM files WHERE device = ? AND name = ?`)
    this.#streams = GLOBAL_SOURCES.map((source, place) => {
      const rows = (selected: string) =>
        new Query(
          database,
          `SELECT device, ${selected} FROM files WHERE ${source} AND name >= ? AND name < ? ORDER BY name`,
        )
      const names = rows('name')
      return place === 0 ? new RowStream(names, whole, rows(columns)) : new RowStream(names, whole)
    })
  }

  /** Visits the names from `start` up to `end`, exclusive. */
  walk(start: string, end: string | Uint8Array, visit: (name: string, row: () => Row) => NextRow): void {
    try {
      for (const stream of this.#streams) stream.seek(start, end)
      for (let next = this.#first(); next?.name !== undefined; next = this.#first()) {
        const stream = next
        const go = visit(next.name, () => stream.row())
        if (go === false) return
        if (go === undefined) next.advance()
        else for (const stream of this.#streams) stream.skipTo(go, end)
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
}

/**
 * Rows of one source, one at a time. Where subtrees are skipped, one row is wanted, and the next is the first of its
 * subtree: both are read by themselves, the second by its name only, because an iteration costs more than a row.
 */
class RowStream {
  readonly #names: Query
  readonly #whole: Query
  /** Undefined: rows are read by their names, and as a whole when they are wanted. */
  readonly #wholes: Query | undefined
  #rows: Iterator<Row> | undefined
  #row: Row = []
  #isWhole = false
  #end: string | Uint8Array = ''
  #isAtSought = false
  /** The name of the current row; undefined at the end. */
  name: string | undefined

  constructor(names: Query, whole: Query, wholes?: Query) {
    this.#names = names
    this.#whole = whole
    this.#wholes = wholes
  }

  /** The current row. */
  row(): Row {
    if (this.#isWhole) return this.#row
    return this.#whole.first(this.#row[0] ?? null, this.#row[1] ?? null) ?? []
  }

  seek(start: string, end: string | Uint8Array): void {
    this.close()
    this.#end = end
    this.#isAtSought = true
    this.#take((this.#wholes ?? this.#names).first(start, end), this.#wholes !== undefined)
  }

  /** As `seek`, but keeps a position that is already at or after `start`. */
  skipTo(start: string, end: string | Uint8Array): void {
    if (this.name !== undefined && compareNames(this.name, start) < 0) this.seek(start, end)
  }

  advance(): void {
    const start = `${this.name}\0` // no name is between them
    if (this.#isAtSought) {
      this.#isAtSought = false
      this.#take(this.#names.first(start, this.#end), false)
      return
    }
    this.#rows ??= (this.#wholes ?? this.#names).each(start, this.#end)
    const next = this.#rows.next()
    this.#take(next.done === true ? undefined : next.value, this.#wholes !== undefined)
  }

  /** An unfinished statement would keep the database locked. */
  close(): void {
    this.#rows?.return?.()
    this.#rows = undefined
    this.name = undefined
  }

  #take(row: Row | undefined, isWhole: boolean): void {
    this.#row = row ?? []
    this.#isWhole = isWhole
    this.name = row === undefined ? undefined : String(row[1])
  }
}
