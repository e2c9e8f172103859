import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite'

export type Row = readonly SQLOutputValue[]

/** One statement, prepared at its first use and kept while the database is open. Rows are arrays: objects cost more. */
export class Query {
  /** For tests that examine all statements, used or not. */
  static onDeclared: ((sql: string) => void) | undefined
  readonly #database: DatabaseSync
  readonly #sql: string
  #prepared: StatementSync | undefined

  constructor(database: DatabaseSync, sql: string) {
    this.#database = database
    this.#sql = sql
    Query.onDeclared?.(sql)
  }

  get #statement(): StatementSync {
    return this.#prepared ?? this.#prepare()
  }

  #prepare(): StatementSync {
    const statement = this.#database.prepare(this.#sql)
    statement.setReturnArrays(true)
    this.#prepared = statement
    return statement
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
