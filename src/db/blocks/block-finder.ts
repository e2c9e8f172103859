import type { DatabaseSync } from 'node:sqlite'
import type { FileHead } from '../../core/records/file-info.ts'
import { LOCAL_NUMBER } from '../sqlite/schema.ts'
import { SequenceSlots } from '../sqlite/sequence-slots.ts'
import { Query } from '../sqlite/sql.ts'

const ROWS_AT_ONCE = 4_000
/** Out-of-date entries that are let be, besides as many as there are files. */
const STALE_MAX = 10_000

/** Only our own live files with content are looked for by their blocks. */
export function isFindable(head: Pick<FileHead, 'deleted' | 'sizeBytes'>): boolean {
  return !head.deleted && head.sizeBytes > 0
}

/**
 * Finds our files by the hash over their blocks, to recognise a renamed file. It is kept in memory, and
 * read from the table when somebody first asks: hashes have no order, and an index over them on the disk made every
 * batch of a scan write several megabytes. It gives candidates: whoever asks compares the whole hash.
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

  /** Reads some more of the table; true when that was the end. */
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

  /** A record of ours is stored. `records` is how many there are: when most entries are out of date, begin anew. */
  add(blocksHash: string, sequence: number, records: number): void {
    if (!this.ready) return
    if (this.#slots.count > 2 * records + STALE_MAX) this.#forget()
    else this.#slots.add(keyOf(Buffer.from(blocksHash.slice(0, 8), 'base64url')), sequence)
  }

  candidates(blocksHash: Uint8Array): Iterable<number> {
    return this.#slots.get(keyOf(Buffer.from(blocksHash)))
  }

  #forget(): void {
    this.#slots = new SequenceSlots()
    this.#loadedUpTo = ''
  }
}

function keyOf(hash: Buffer): number {
  return hash.length < 4 ? 0 : hash.readUInt32BE(0)
}
