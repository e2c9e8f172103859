import type { DatabaseSync } from 'node:sqlite'
import { blockKey, BlockBatch } from './block-batch.ts'
import { LOCAL_NUMBER } from '../sqlite/schema.ts'
import { metaWriter, readMeta } from '../sqlite/meta.ts'
import { inTransaction, Query } from '../sqlite/sql.ts'

/** Limits of one step: a few milliseconds, then the event loop runs. */
const ROWS_AT_ONCE = 1_000
const READ_AT_ONCE = 8_000
const STORED_AT_ONCE = 2_000
/** Stale entries that are kept, besides as many entries as the table had when it was first complete. */
const STALE_MAX = 100_000
/** Entries of one key that are read: a common block is found after a few. */
const ENTRIES_MAX = 32

/** Progress of filling the table; stored as text in `meta`. */
interface Progress {
  /** The records up to this sequence number are in the table. */
  readonly upTo: number
  readonly entries: number
  /** With more entries the table is rebuilt, because most of them are stale; 0 while it is being filled. */
  readonly entriesMax: number
}

/**
 * Maps blocks to our files of more than one block: 32 bits of the block hash, and the sequence number of the record.
 * Queries bring it up to date from where the last one stopped: scans do not write to it, and a device that never pulls
 * has no entries. The latest blocks are in memory; a full batch is stored in the table, in order. It returns
 * candidates: the entries of records that have changed since are kept for a while.
 */
export class BlockTable {
  readonly #database: DatabaseSync
  readonly #records: Query
  readonly #list: Query
  readonly #insert: Query
  readonly #find: Query
  readonly #writeMeta: (key: string, value: string) => void
  #progress: Progress
  #batch: BlockBatch
  /** The batch is sorted and is being stored in the table. */
  #storing = false

  constructor(database: DatabaseSync) {
    this.#database = database
    this.#records = new Query(
      database,
      `SELECT sequence, list FROM files INDEXED BY files_own
      WHERE device = ${LOCAL_NUMBER} AND sequence > ? ORDER BY sequence LIMIT ${ROWS_AT_ONCE}`,
    )
    this.#list = new Query(database, 'SELECT hashes FROM lists WHERE id = ?')
    this.#insert = new Query(database, 'INSERT OR IGNORE INTO blocks (key, sequence) VALUES (?, ?)')
    this.#find = new Query(
      database,
      `SELECT sequence FROM blocks WHERE key = ? ORDER BY sequence DESC LIMIT ${ENTRIES_MAX}`,
    )
    this.#writeMeta = metaWriter(database)
    const [upTo = 0, entries = 0, entriesMax = 0] = (readMeta(database, 'blocks') ?? '').split(' ').map(Number)
    this.#progress = { upTo, entries, entriesMax }
    this.#batch = new BlockBatch(upTo)
  }

  /** Does one step towards covering all records up to `sequence`; true when they are covered. */
  catchUp(sequence: number): boolean {
    const { entries, entriesMax } = this.#progress
    if (this.#storing) this.#store()
    else if (this.#batch.upTo >= sequence) return this.#complete()
    else if (entriesMax > 0 && entries > entriesMax) this.#reset()
    else this.#read(sequence)
    return false
  }

  /** Sequence numbers of records that have or had this block, or one with the same key. */
  candidates(hash: Uint8Array): readonly number[] {
    const key = blockKey(hash)
    const stored = this.#progress.entries === 0 ? [] : this.#find.all(key).map(([sequence]) => Number(sequence))
    return [...this.#batch.get(key), ...stored]
  }

  #complete(): true {
    const { entries, entriesMax } = this.#progress
    if (entriesMax === 0 && entries > 0) this.#progress = { ...this.#progress, entriesMax: 2 * entries + STALE_MAX }
    return true
  }

  #read(sequence: number): void {
    const batch = this.#batch
    const enough = batch.count + READ_AT_ONCE
    const rows = this.#records.all(batch.upTo)
    let taken = 0
    for (const [own, list] of rows) {
      if (batch.count >= enough) break
      taken++
      batch.upTo = Number(own)
      const hashes = typeof list === 'number' ? this.#list.first(list)?.[0] : undefined
      if (hashes instanceof Uint8Array) batch.add(batch.upTo, hashes)
    }
    // The record with the last number may no longer exist.
    if (taken === rows.length && rows.length < ROWS_AT_ONCE) batch.upTo = Math.max(batch.upTo, sequence)
    if (!batch.full) return
    batch.sort()
    this.#storing = true
  }

  /** Until a batch is stored completely its records do not count as covered: after a crash they are read again. */
  #store(): void {
    const batch = this.#batch
    const before = this.#progress
    // If this fails, the records are read again.
    this.#batch = new BlockBatch(before.upTo)
    this.#storing = false
    this.#progress = inTransaction(this.#database, () => {
      let { entries } = before
      // At most the columns of a row.
      for (let i = 0; i < STORED_AT_ONCE && !batch.empty; i++) entries += this.#insert.run(...batch.next())
      return this.#write({ ...before, entries, upTo: batch.empty ? batch.upTo : before.upTo })
    })
    this.#storing = !batch.empty
    this.#batch = batch.empty ? new BlockBatch(batch.upTo) : batch
  }

  #reset(): void {
    this.#progress = inTransaction(this.#database, () => {
      this.#database.exec('DELETE FROM blocks')
      return this.#write({ upTo: 0, entries: 0, entriesMax: 0 })
    })
    this.#batch = new BlockBatch(0)
  }

  #write(progress: Progress): Progress {
    this.#writeMeta('blocks', `${progress.upTo} ${progress.entries} ${progress.entriesMax}`)
    return progress
  }
}
