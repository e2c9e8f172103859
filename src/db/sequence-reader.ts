import type { DatabaseSync } from 'node:sqlite'
import type { FileInfo } from '../core/file-info.ts'
import { LOCAL_NUMBER } from './folder-state.ts'
import { INFO_COLUMNS, type RowReader } from './rows.ts'
import { Query } from './sql.ts'
import type { BatchLimits } from './types.ts'

const HASH_BYTES = 32

/** Reads our own records in the order in which they changed: what other devices have not heard of yet. */
export class SequenceReader {
  readonly #reader: RowReader
  readonly #select: Query
  readonly #selectList: Query

  constructor(database: DatabaseSync, reader: RowReader) {
    this.#reader = reader
    this.#select = new Query(database, `SELECT ${INFO_COLUMNS} FROM files
      WHERE device = ${LOCAL_NUMBER} AND sequence > ? ORDER BY sequence LIMIT ?`)
    this.#selectList = new Query(database, 'SELECT hashes FROM lists WHERE id = ?')
  }

  /** Ends with the record that reaches a limit: one file may have more blocks than asked for. */
  since(sequence: number, limits: BatchLimits): readonly FileInfo[] {
    const found: FileInfo[] = []
    const rows = this.#select.each(sequence, limits.files)
    let blocks = 0
    try {
      for (let next = rows.next(); next.done !== true && blocks < limits.blocks; next = rows.next()) {
        const row = next.value
        const head = this.#reader.head(LOCAL_NUMBER, row)
        const blockHashes = this.#reader.blockHashes(row, (list) => this.#selectList.first(list)?.[0])
        blocks += (blockHashes?.length ?? 0) / HASH_BYTES
        found.push({ ...head, blockHashes })
      }
    } finally {
      rows.return?.() // a statement left half-way would keep the database busy
    }
    return found
  }
}
