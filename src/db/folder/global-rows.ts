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

  /** A condition leaves out other rows inside SQLite; its parameters are given to `walk`. */
  constructor(database: DatabaseSync, columns: string, condition = 'true') {
    const whole = new Query(database, `SELECT device, ${columns} FROM files WHERE device = ? AND name = ?`)
    this.#streams = GLOBAL_SOURCES.map((source, place) => {
      const where = `${source} AND name >= ? AND name < ? AND (${condition})`
      const selected = place === 0 ? columns : 'name'
      const query = new Query(database, `SELECT device, ${selected} FROM files WHERE ${where} ORDER BY name`)
      return new RowStream(query, place === 0 ? undefined : whole)
    })
  }

  /** Visits the names from `start` up to `end`, exclusive. */
  walk(
    start: string,
    end: string | Uint8Array,
    visit: (name: string, row: () => Row) => NextRow,
    parameters: readonly string[] = [],
  ): void {
    try {
      for (const stream of this.#streams) stream.start(start, end, parameters)
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

/** Rows of one query, one at a time. */
class RowStream {
  readonly #query: Query
  /** Reads the whole row; undefined: the query does. */
  readonly #whole: Query | undefined
  #rows: Iterator<Row> | undefined
  #parameters: readonly string[] = []
  #row: Row = []
  /** The name of the current row; undefined at the end. */
  name: string | undefined

  constructor(query: Query, whole: Query | undefined) {
    this.#query = query
    this.#whole = whole
  }

  /** The current row. */
  row(): Row {
    if (this.#whole === undefined) return this.#row
    return this.#whole.first(this.#row[0] ?? null, this.#row[1] ?? null) ?? []
  }

  start(start: string, end: string | Uint8Array, parameters: readonly string[]): void {
    this.#parameters = parameters
    this.seek(start, end)
  }

  seek(start: string, end: string | Uint8Array): void {
    this.close()
    this.#rows = this.#query.each(start, end, ...this.#parameters) // at most the parameters of a condition
    this.advance()
  }

  /** As `seek`, but keeps a position that is already at or after `start`. */
  skipTo(start: string, end: string | Uint8Array): void {
    if (this.name !== undefined && compareNames(this.name, start) < 0) this.seek(start, end)
  }

  advance(): void {
    const next = this.#rows?.next()
    if (next === undefined || next.done === true) {
      this.name = undefined
      return
    }
    this.#row = next.value
    this.name = String(next.value[1])
  }

  /** An unfinished statement would keep the database locked. */
  close(): void {
    this.#rows?.return?.()
    this.#rows = undefined
    this.name = undefined
  }
}
