import type { DatabaseSync } from 'node:sqlite'
import { damaged } from './damage.ts'
import { Query } from './sql.ts'

/** Runs SQLite's check of pages, order and indexes. Throws `database-damaged` on a mismatch. */
export function checkStructure(database: DatabaseSync): void {
  const [result] = new Query(database, 'PRAGMA integrity_check(1)').first() ?? []
  if (result !== 'ok') throw damaged(String(result))
}

/** The same without comparing indexes with their tables, which takes most of the time. */
export function checkQuickly(database: DatabaseSync): void {
  const [result] = new Query(database, 'PRAGMA quick_check(1)').first() ?? []
  if (result !== 'ok') throw damaged(String(result))
}
