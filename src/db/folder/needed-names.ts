import type { DatabaseSync } from 'node:sqlite'
import { Query } from '../sqlite/sql.ts'
import type { NeededRange } from '../types.ts'
import { MARK_NEEDED } from './name-writer.ts'

/** The names of needed items. They are all in one SQL index, so that no record is read. */
export class NeededNames {
  readonly #after: Query
  readonly #before: Query

  constructor(database: DatabaseSync) {
    const from = `SELECT name FROM files WHERE mark > 0 AND mark = ${MARK_NEEDED}`
    this.#after = new Query(database, `${from} AND name > ? ORDER BY name LIMIT +? OFFSET ?`)
    this.#before = new Query(database, `${from} AND name < ? ORDER BY name DESC LIMIT +?`)
  }

  names(range: NeededRange): readonly string[] {
    const rows =
      'beforeName' in range
        ? this.#before.all(range.beforeName, range.limit).toReversed()
        : this.#after.all(range.afterName, range.limit, range.offset)
    return rows.map(([name]) => String(name))
  }
}
