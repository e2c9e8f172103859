import type { DatabaseSync } from 'node:sqlite'
import type { FileHead } from '../../core/records/file-info.ts'
import { LOCAL_NUMBER } from '../sqlite/schema.ts'
import { SequenceSlots } from '../sqlite/sequence-slots.ts'
import { Query } from '../sqlite/sql.ts'

const ROWS_AT_ONCE = 4_000
/** Stale entries that are kept, besides as many as there are files. */
const STALE_MAX = 10_000

/** Only our own live files with content can be found by their blocks. */
export function isFindable(head: Pick<FileHead, 'deleted' | 'sizeBytes'>): boolean {
  return !head.deleted && head.sizeBytes > 0
}

/**
 * Finds our files by the hash over their blocks, for rename detection. It is kept in memory and loaded from the table
 * on the first query: hashes have no order, and an index over them on the disk made every batch of a scan write
 * several megabytes. It returns candidates: the caller compares the whole hash.
 */
export class BlockFinder {
  readonly #page: Query
  #slots = new SequenceSlots()
  #loadedUpTo: string | undefined = ''

  constructor(database: DatabaseSync) {
    this.#page = new Query(
      database,
      `SELECT name, sequence, size, hash FROM files
      WHERE device = ${LOCAL_NUMBER} AND name > ? ORDER BY name LIMIT ${ROWS_AT_ONCE}`,
    )
  }

  get ready(): boolean {
    return this.#loadedUpTo === undefined
  }

  /** Reads the next rows of the table; true at the end. */
  load(): boolean {
    if (this.#loadedUpTo === undefined) return true
    const rows = this.#page.all(this.#loadedUpTo)
    for (const [, sequence, size, hash] of rows) {
      if (Number(size) > 0 && hash !== '')
        this.#slots.add(keyOf(Buffer.from(String(hash), 'base64url')), Number(sequence))
    }
    this.#loadedUpTo = rows.length < ROWS_AT_ONCE ? undefined : String(rows.at(-1)?.[0])
    return this.ready
  }

  /** Adds a stored record of ours. `records` is their number: when most entries are stale, the finder is reset. */
  add(blocksHash: string, sequence: number, records: number): void {
    if (!this.ready) return
    if (this.#slots.count > 2 * records + STALE_MAX) this.#reset()
    else this.#slots.add(keyOf(Buffer.from(blocksHash.slice(0, 8), 'base64url')), sequence)
  }

  candidates(blocksHash: Uint8Array): Iterable<number> {
    return this.#slots.get(keyOf(Buffer.from(blocksHash)))
  }

  #reset(): void {
    this.#slots = new SequenceSlots()
    this.#loadedUpTo = ''
  }
}

function keyOf(hash: Buffer): number {
  return hash.length < 4 ? 0 : hash.readUInt32BE(0)
}
