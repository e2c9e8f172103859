import type { DatabaseSync } from 'node:sqlite'
import type { HistoryEntry } from '../../core/history/entry.ts'
import { Query, type Row } from '../sqlite/sql.ts'
import type { HistoryStep, HistoryWanted } from '../types.ts'
import { entriesOf, mayName, unpackText } from './batch-text.ts'
import { historySum } from './history-writer.ts'

/** Limits of one step: a few milliseconds, then the event loop runs. */
const ROWS_AT_ONCE = 500
const ENTRIES_AT_ONCE = 2_000
/** Of batches that name no wanted item, too: they are unpacked to see that. */
const TEXT_LENGTH_AT_ONCE = 500_000

/** Reads the history of a folder. */
export class HistoryReader {
  readonly #after: Query
  readonly #before: Query
  readonly #last: Query
  readonly #at: Query

  constructor(database: DatabaseSync) {
    const columns = 'SELECT id, time_ms, data, sum FROM history'
    this.#after = new Query(database, `${columns} WHERE id > ? ORDER BY id LIMIT ${ROWS_AT_ONCE}`)
    this.#before = new Query(database, `${columns} WHERE id < ? ORDER BY id DESC LIMIT ${ROWS_AT_ONCE}`)
    this.#last = new Query(database, 'SELECT max(id) FROM history')
    this.#at = new Query(database, 'SELECT id FROM history WHERE time_ms <= ? ORDER BY id DESC LIMIT 1')
  }

  /** The number of the last batch; 0 when there is none. */
  last(): number {
    return Number(this.#last.first()?.[0] ?? 0)
  }

  /** The last batch that was stored at a time or before it; 0 when there is none. */
  lastAt(timeMs: number): number {
    return Number(this.#at.first(timeMs)?.[0] ?? 0)
  }

  /** Entries of the batches after one, oldest first. */
  after(batch: number): HistoryStep {
    return read(this.#after.each(batch), {})
  }

  /** Entries of the batches before one, newest first. */
  before(batch: number, wanted: HistoryWanted = {}): HistoryStep {
    return read(this.#before.each(batch), { ...wanted, isReversed: true })
  }
}

function read(
  rows: Iterator<Row>,
  { isReversed = false, path = '', entriesMax = ENTRIES_AT_ONCE }: HistoryWanted & { readonly isReversed?: boolean },
): HistoryStep {
  const enough = Math.min(entriesMax, ENTRIES_AT_ONCE)
  const entries: HistoryEntry[] = []
  let next: number | undefined
  let hasGap = false
  let rowCount = 0
  let textLength = 0
  for (let row = rows.next(); !row.done; row = rows.next()) {
    const [id, timeMs, data, sum] = row.value
    next = Number(id)
    rowCount++
    const text = readText(Number(timeMs), data, sum)
    textLength += text?.length ?? 0
    if (text === undefined) hasGap = true
    else if (path === '' || mayName(text, path)) {
      const found = entriesOf(Number(id), Number(timeMs), text)
      for (const entry of isReversed ? found.toReversed() : found) entries.push(entry)
    }
    if (entries.length >= enough || textLength >= TEXT_LENGTH_AT_ONCE) return { entries, next, hasGap }
  }
  return { entries, next: rowCount < ROWS_AT_ONCE ? undefined : next, hasGap }
}

/** Undefined for a row that is not what was written. */
function readText(timeMs: number, data: unknown, sum: unknown): string | undefined {
  if (!(data instanceof Uint8Array) || historySum(timeMs, data) !== sum) return undefined
  return unpackText(data)
}
