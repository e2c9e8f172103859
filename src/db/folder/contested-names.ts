import type { DatabaseSync } from 'node:sqlite'
import { Query } from '../sqlite/sql.ts'
import { MARK_CONTESTING } from './name-writer.ts'

/** The names of our records that records of other devices contest. Nearly always there are none. */
export class ContestedNames {
  readonly #names: Query

  constructor(database: DatabaseSync) {
    this.#names = new Query(
      database,
      `SELECT DISTINCT name FROM files WHERE mark = ${MARK_CONTESTING} AND name > ? ORDER BY name LIMIT +?`,
    )
  }

  page({ afterName, limit }: { readonly afterName: string; readonly limit: number }): readonly string[] {
    return this.#names.all(afterName, limit).map(([name]) => String(name))
  }
}
