import type { DatabaseSync } from 'node:sqlite'
import { CHECKSUM_START, mixBytes, mixText } from './checksum.ts'
import { damaged } from './damage.ts'
import type { RecoverableDatabase, Kind } from './recoverable-database.ts'
import { MAIN_SCHEMA } from './schema.ts'
import { Query, type Row } from './sql.ts'
import type { KeyValue } from '../types.ts'

/** The key-value pairs of the main database; synchronous. */
export class PairTable {
  readonly #get: Query
  readonly #set: Query
  readonly #delete: Query
  readonly #list: Query

  constructor(database: DatabaseSync) {
    this.#get = new Query(database, 'SELECT key, value, sum FROM pairs WHERE key = ?')
    this.#set = new Query(database, 'INSERT OR REPLACE INTO pairs (key, value, sum) VALUES (?, ?, ?)')
    this.#delete = new Query(database, 'DELETE FROM pairs WHERE key = ?')
    this.#list = new Query(
      database,
      'SELECT key, value, sum FROM pairs WHERE key >= ? AND substr(key, 1, ?) = ? ORDER BY key',
    )
  }

  get(key: string): Uint8Array | undefined {
    const row = this.#get.first(key)
    return row === undefined ? undefined : readPair(row)[1]
  }

  set(key: string, value: Uint8Array): void {
    this.#set.run(key, value, pairSum(key, value))
  }

  delete(key: string): void {
    this.#delete.run(key)
  }

  list(prefix: string): readonly (readonly [string, Uint8Array])[] {
    return this.#list.all(prefix, [...prefix].length, prefix).map(readPair)
  }
}

function readPair([key, value, sum]: Row): readonly [string, Uint8Array] {
  if (typeof key === 'string' && value instanceof Uint8Array && pairSum(key, value) === sum) return [key, value]
  throw damaged(`its entry ${JSON.stringify(key)} is not what was written`)
}

function pairSum(key: string, value: Uint8Array): number {
  return mixBytes(mixText(CHECKSUM_START, key), value)
}

export const MAIN_KIND: Kind<PairTable> = {
  schema: MAIN_SCHEMA,
  check: async (database) => void new PairTable(database).list(''),
  open: (database) => new PairTable(database),
}

export class StoredKeyValue implements KeyValue {
  readonly #database: RecoverableDatabase<PairTable>

  constructor(database: RecoverableDatabase<PairTable>) {
    this.#database = database
  }

  get(key: string): Promise<Uint8Array | undefined> {
    return this.#database.run((pairs) => pairs.get(key))
  }

  set(key: string, value: Uint8Array): Promise<void> {
    return this.#database.run((pairs) => pairs.set(key, value))
  }

  delete(key: string): Promise<void> {
    return this.#database.run((pairs) => pairs.delete(key))
  }

  list(prefix: string): Promise<readonly (readonly [key: string, value: Uint8Array])[]> {
    return this.#database.run((pairs) => pairs.list(prefix))
  }
}
