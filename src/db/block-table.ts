import type { DatabaseSync } from 'node:sqlite'
import { blockKey, BlockLot } from './block-lot.ts'
import { LOCAL_NUMBER } from './folder-state.ts'
import { metaWriter, readMeta } from './meta.ts'
import { inTransaction, Query } from './sql.ts'

/** What one step does at most: a few milliseconds, then others have their turn. */
const ROWS_AT_ONCE = 1_000
const READ_AT_ONCE = 16_000
const STORED_AT_ONCE = 4_000
/** Out-of-date entries that are let be, besides as many as there are files' blocks when the table is made. */
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
 * never pulls has none. It gives candidates: the entries of records that have changed since stay for a while.
 */
export class BlockTable {
  readonly #database: DatabaseSync
  readonly #records: Query
  readonly #list: Query
  readonly #insert: Query
  readonly #find: Query
  readonly #writeMeta: (key: string, value: string) => void
  #progress: Progress
  #reading: BlockLot | undefined
  #storing: BlockLot | undefined

  constructor(database: DatabaseSync) {
    this.#database = database
    this.#records = new Query(database, `SELECT sequence, list FROM files
      WHERE device = ${LOCAL_NUMBER} AND sequence > ? ORDER BY sequence LIMIT ${ROWS_AT_ONCE}`)
    this.#list = new Query(database, 'SELECT hashes FROM lists WHERE id = ?')
    this.#insert = new Query(database, 'INSERT OR IGNORE INTO blocks (key, sequence) VALUES (?, ?)')
    this.#find = new Query(database, `SELECT sequence FROM blocks WHERE key = ? ORDER BY sequence DESC LIMIT ${ENTRIES_MAX}`)
    this.#writeMeta = metaWriter(database)
    const [upTo = 0, entries = 0, entriesMax = 0] = (readMeta(database, 'blocks') ?? '').split(' ').map(Number)
    this.#progress = { upTo, entries, entriesMax }
  }

  /** Does a piece of what there is to do before all records up to `sequence` are known; true when they are. */
  catchUp(sequence: number): boolean {
    const { upTo, entries, entriesMax } = this.#progress
    if (upTo >= sequence) return true
    if (this.#storing !== undefined) this.#store(this.#storing)
    else if (entriesMax > 0 && entries > entriesMax) this.#forget()
    else this.#read(this.#reading ?? new BlockLot(upTo), sequence)
    return false
  }

  /** Sequence numbers of records that have this block, or had it, or one much like it; the latest first. */
  candidates(hash: Uint8Array): readonly number[] {
    return this.#find.all(blockKey(hash)).map(([sequence]) => Number(sequence))
  }

  #read(lot: BlockLot, sequence: number): void {
    this.#reading = lot
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
    const isLast = taken === rows.length && rows.length < ROWS_AT_ONCE
    if (isLast) lot.upTo = Math.max(lot.upTo, sequence) // the record that had it may be gone
    if (!isLast && !lot.full) return
    this.#reading = undefined
    if (lot.count === 0) {
      this.#progress = { ...this.#progress, upTo: lot.upTo } // nothing to store, and soon found out again
      return
    }
    lot.sort(isLast)
    this.#storing = lot
  }

  #store(lot: BlockLot): void {
    this.#storing = undefined // if this fails, the records are read again
    const before = this.#progress
    this.#progress = inTransaction(this.#database, () => {
      let { entries } = before
      for (let i = 0; i < STORED_AT_ONCE && !lot.empty; i++) entries += this.#insert.run(...lot.next())
      return this.#write(lot.empty ? progressAfter(lot, entries, before) : { ...before, entries })
    })
    if (!lot.empty) this.#storing = lot
  }

  #forget(): void {
    this.#reading = undefined
    this.#progress = inTransaction(this.#database, () => {
      this.#database.exec('DELETE FROM blocks')
      return this.#write({ upTo: 0, entries: 0, entriesMax: 0 })
    })
  }

  #write(progress: Progress): Progress {
    this.#writeMeta('blocks', `${progress.upTo} ${progress.entries} ${progress.entriesMax}`)
    return progress
  }
}

/** Until a lot is whole its records count as unknown: after a crash they are read again. */
function progressAfter(lot: BlockLot, entries: number, { entriesMax }: Progress): Progress {
  const complete = lot.isLast && entriesMax === 0
  return { upTo: lot.upTo, entries, entriesMax: complete ? 2 * entries + STALE_MAX : entriesMax }
}
