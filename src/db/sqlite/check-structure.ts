import type { DatabaseSync } from 'node:sqlite'
import { damaged } from './damage.ts'
import { Query } from './sql.ts'

/** Asks SQLite whether pages, order and indexes fit together. Throws damage when not. */
export function checkStructure(database: DatabaseSync): void {
  const [verdict] = new Query(database, 'PRAGMA integrity_check(1)').first() ?? []
  if (verdict !== 'ok') throw damaged(String(verdict))
}
