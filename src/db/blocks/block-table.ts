import type { DatabaseSync } from 'node:sqlite'
import { blockKey, BlockBatch } from './block-batch.ts'
import { LOCAL_NUMBER } from '../sqlite/schema.ts'
import { metaWriter, readMeta } from '../sqlite/meta.ts'
import { inTransaction, Query } from '../sqlite/sql.ts'

/** What one step does at most: a few milliseconds, then others have their turn. */
const ROWS_AT_ONCE = 1_000
const READ_AT_ONCE = 8_000
const STORED_AT_ONCE = 2_000
/** Out-of-date entries that are let be, besides as many as there were when the table was whole for the first time. */
const STALE_MAX = 100_000
/** Entries of one key that are looked at: a block that is everywhere is found soon. */
const ENTRIES_MAX = 32

/** How far the table has come; stored beside it as text. */
interface Progress {
  /** The records up to this sequence number are in the table. */
  readonly upTo: number
  readonly entries: number
  /** With more it is time to make the table anew, because most of them are out of date; 0 while it is being made. */
  readonly entriesMax: number
}

/**
 * Knows which of our files of more than one block hold a block: 32 bits of its hash, and the sequence number of the
 * record. Whoever asks brings it up to date, from where the last one stopped: scans do nothing for it, and a device that
 * never pulls has none. The latest blocks are in memory; when there are many they go into the table, in order. It gives
 * candidates: the entries of records that have changed since stay for a while.
 */
export class BlockTable {
  readonly #database: DatabaseSync
  readonly #records: Query
  readonly #list: Query
  readonly #insert: Query
  readonly #find: Query
  readonly #writeMeta: (key: string, value: string) => void
  #progress: Progress
  #lot: BlockBatch
  /** The lot has been sorted and is on its way into the table. */
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
    this.#lot = new BlockBatch(upTo)
  }

  /** Does a piece of what there is to do before all records up to `sequence` are known; true when they are. */
  catchUp(sequence: number): boolean {
    const { entries, entriesMax } = this.#progress
    if (this.#storing) this.#store()
    else if (this.#lot.upTo >= sequence) return this.#complete()
    else if (entriesMax > 0 && entries > entriesMax) this.#forget()
    else this.#read(sequence)
    return false
  }

  /** Sequence numbers of records that have this block, or had it, or one much like it. */
  candidates(hash: Uint8Array): readonly number[] {
    const key = blockKey(hash)
    const stored = this.#progress.entries === 0 ? [] : this.#find.all(key).map(([sequence]) => Number(sequence))
    return [...this.#lot.get(key), ...stored]
  }

  #complete(): true {
    const { entries, entriesMax } = this.#progress
    if (entriesMax === 0 && entries > 0) this.#progress = { ...this.#progress, entriesMax: 2 * entries + STALE_MAX }
    return true
  }

  #read(sequence: number): void {
    const lot = this.#lot
    const enough = lot.count + READ_AT_ONCE
    const rows = this.#records.all(lot.upTo)
    let taken = 0
    for (const [own, list] of rows) {
      if (lot.count >= enough) break
      taken++
      lot.upTo = Number(own)
      const hashes = typeof list === 'number' ? this.#list.first(list)?.[0] : undefined
      if (hashes instanceof Uint8Array) lot.add(lot.upTo, hashes)
    }
    // The record that had the last number may be gone.
    if (taken === rows.length && rows.length < ROWS_AT_ONCE) lot.upTo = Math.max(lot.upTo, sequence)
    if (!lot.full) return
    lot.sort()
    this.#storing = true
  }

  /** Until a lot is whole its records count as unknown: after a crash they are read again. */
  #store(): void {
    const lot = this.#lot
    const before = this.#progress
    // If this fails, the records are read again.
    this.#lot = new BlockBatch(before.upTo)
    this.#storing = false
    this.#progress = inTransaction(this.#database, () => {
      let { entries } = before
      for (let i = 0; i < STORED_AT_ONCE && !lot.empty; i++) entries += this.#insert.run(...lot.next())
      return this.#write({ ...before, entries, upTo: lot.empty ? lot.upTo : before.upTo })
    })
    this.#storing = !lot.empty
    this.#lot = lot.empty ? new BlockBatch(lot.upTo) : lot
  }

  #forget(): void {
    this.#progress = inTransaction(this.#database, () => {
      this.#database.exec('DELETE FROM blocks')
      return this.#write({ upTo: 0, entries: 0, entriesMax: 0 })
    })
    this.#lot = new BlockBatch(0)
  }

  #write(progress: Progress): Progress {
    this.#writeMeta('blocks', `${progress.upTo} ${progress.entries} ${progress.entriesMax}`)
    return progress
  }
}
