import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite'

export type Row = readonly SQLOutputValue[]

/** One prepared statement, kept as long as the database is open. Rows are arrays, at half the cost of objects. */
export class Query {
  readonly #statement: StatementSync

  constructor(database: DatabaseSync, sql: string) {
    this.#statement = database.prepare(sql)
    this.#statement.setReturnArrays(true)
  }

  /** Returns how many rows were changed. */
  run(...values: SQLInputValue[]): number {
    return Number(this.#statement.run(...values).changes)
  }

  all(...values: SQLInputValue[]): readonly Row[] {
    return asRows(this.#statement.all(...values))
  }

  first(...values: SQLInputValue[]): Row | undefined {
    return asRow(this.#statement.get(...values))
  }

  /** Rows one by one, for callers that stop early. Only one iteration at a time: a second one ends the first. */
  each(...values: SQLInputValue[]): Iterator<Row> {
    return asIterator(this.#statement.iterate(...values))
  }
}

/** Runs `work` in one transaction: on an error it rolls back and rethrows. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    database.exec('COMMIT')
    return result
  } catch (error) {
    // SQLite rolls back by itself after the most severe errors; a second rollback would mask the first error.
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}

// The types of node:sqlite describe rows as objects whatever setReturnArrays is, so only these three convert them.
function asRows(rows: unknown): readonly Row[] {
  return rows as readonly Row[]
}

function asRow(row: unknown): Row | undefined {
  return row as Row | undefined
}

function asIterator(rows: unknown): Iterator<Row> {
  return rows as Iterator<Row>
}
