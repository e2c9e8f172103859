import type { DatabaseSync } from 'node:sqlite'
import type { FileInfo } from '../../core/records/file-info.ts'
import { LOCAL_NUMBER } from '../sqlite/schema.ts'
import { INFO_COLUMNS } from './row-format.ts'
import type { RowReader } from './row-reader.ts'
import { Query } from '../sqlite/sql.ts'
import type { BatchLimits } from '../types.ts'

const HASH_BYTES = 32
/** Rows are cheapest in pages of a hundred; those after one that reaches a limit are read in vain. */
const ROWS_AT_ONCE = 100

/** Reads our own records in order of change: those not yet sent to other devices. */
export class SequenceReader {
  readonly #reader: RowReader
  readonly #select: Query
  readonly #selectList: Query

  constructor(database: DatabaseSync, reader: RowReader) {
    this.#reader = reader
    // Without the hint SQLite reads and sorts all of our records every time that one of them changed.
    this.#select = new Query(
      database,
      `SELECT ${INFO_COLUMNS} FROM files INDEXED BY files_own
      WHERE device = ${LOCAL_NUMBER} AND sequence > ? ORDER BY sequence LIMIT +?`,
    )
    this.#selectList = new Query(database, 'SELECT hashes FROM lists WHERE id = ?')
  }

  /** Ends with the record that reaches a limit: one file may have more blocks than the limit. */
  since(sequence: number, limits: BatchLimits): readonly FileInfo[] {
    const found: FileInfo[] = []
    let after = sequence
    for (let blocks = 0; blocks < limits.blocks && found.length < limits.files;) {
      const wanted = Math.min(ROWS_AT_ONCE, limits.files - found.length)
      const rows = this.#select.all(after, wanted)
      for (const row of rows) {
        const head = this.#reader.head(LOCAL_NUMBER, row)
        const blockHashes = this.#reader.blockHashes(row, (list) => this.#selectList.first(list)?.[0])
        blocks += (blockHashes?.length ?? 0) / HASH_BYTES
        found.push({ ...head, blockHashes })
        after = head.sequence
        if (blocks >= limits.blocks) return found
      }
      if (rows.length < wanted) return found
    }
    return found
  }
}
