import type { DatabaseSync } from 'node:sqlite'
import { CHECKSUM_START, mixText } from './checksum.ts'
import { damaged } from './damage.ts'
import { Query } from './sql.ts'

/** Reads a metadata entry of the database. Undefined when there is none of that key. */
export function readMeta(database: DatabaseSync, key: string): string | undefined {
  const row = new Query(database, 'SELECT value, sum FROM meta WHERE key = ?').first(key)
  if (row === undefined) return undefined
  const [value, sum] = row
  return checked(key, value, sum)
}

/** All entries whose key begins with a prefix, which ends with `/`: the rest of their keys, and their values. */
export function readMetaBelow(database: DatabaseSync, prefix: `${string}/`): readonly (readonly [string, string])[] {
  const end = `${prefix.slice(0, -1)}0` // the character after `/`
  const rows = new Query(database, 'SELECT key, value, sum FROM meta WHERE key >= ? AND key < ?').all(prefix, end)
  return rows.map(([key, value, sum]) => [String(key).slice(prefix.length), checked(String(key), value, sum)])
}

export function writeMeta(database: DatabaseSync, key: string, value: string): void {
  metaWriter(database)(key, value)
}

/** A prepared writer, for entries that are written with every batch. */
export function metaWriter(database: DatabaseSync): (key: string, value: string) => void {
  const query = new Query(database, 'INSERT OR REPLACE INTO meta (key, value, sum) VALUES (?, ?, ?)')
  return (key, value) => query.run(key, value, metaSum(key, value))
}

function checked(key: string, value: unknown, sum: unknown): string {
  if (typeof value !== 'string' || sum !== metaSum(key, value))
    throw damaged(`its entry "${key}" is not what was written`)
  return value
}

function metaSum(key: string, value: string): number {
  return mixText(mixText(CHECKSUM_START, key), value)
}
