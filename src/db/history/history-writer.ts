import type { DatabaseSync } from 'node:sqlite'
import { kindOfChange, newItem, pastItem, type BaselineCounts, type HistoryOrigin } from '../../core/history/entry.ts'
import { HISTORY_AGE_MS_MAX, historyBytesMax } from '../../core/history/retention.ts'
import type { ShortId } from '../../core/ids.ts'
import type { FileHead } from '../../core/records/file-info.ts'
import { CHECKSUM_START, mixNumber } from '../sqlite/checksum.ts'
import { Query } from '../sqlite/sql.ts'
import { baselineText, BatchText, packText } from './batch-text.ts'

/** Rows that one batch removes at most: far more than it adds. */
const REMOVED_AT_ONCE = 64
/** What a row takes besides its text. */
const ROW_BYTES = 32
/** Devices that are named as those that had a pulled version. */
const VIA_MAX = 3
const EXPECTED_MAX = 10_000

/** Totals that are stored with the state of the index; undefined until the first scan has ended. */
export interface HistoryTotals {
  /** The history is complete from here on, by our clock. */
  readonly sinceMs: number
  readonly bytes: number
}

/** A record that was stored, and what it replaced. */
export interface StoredChange {
  readonly before: FileHead | undefined
  readonly beforeHash: string
  readonly after: FileHead
  readonly afterHash: string
  /** Devices that have the same version. */
  holders(): readonly ShortId[]
}

/** Of a whole batch, and so by native code. */
export function historySum(timeMs: number, data: Uint8Array): number {
  return mixNumber(CHECKSUM_START, timeMs) ^ process.getBuiltinModule('node:zlib').crc32(data)
}

/** Stores the history of a folder. Works inside the transaction of the records. */
export class HistoryWriter {
  readonly #nowMs: () => number
  readonly #insert: Query
  readonly #oldest: Query
  readonly #delete: Query
  /** Names whose next change by a scan is a restored version. */
  readonly #restored = new Set<string>()
  #batch: BatchText | undefined
  #restoredBatch: BatchText | undefined

  constructor(database: DatabaseSync, nowMs: () => number) {
    this.#nowMs = nowMs
    this.#insert = new Query(database, 'INSERT INTO history (time_ms, bytes, data, sum) VALUES (?, ?, ?, ?)')
    this.#oldest = new Query(database, 'SELECT id, time_ms, bytes FROM history WHERE id > 0 ORDER BY id LIMIT 1')
    this.#delete = new Query(database, 'DELETE FROM history WHERE id = ?')
  }

  /** The next change of these names that a scan finds is a version that a user restored. */
  expectRestored(names: readonly string[]): void {
    for (const name of names) if (this.#restored.size < EXPECTED_MAX) this.#restored.add(name)
  }

  begin(origin: HistoryOrigin): void {
    this.#batch = new BatchText(origin)
    this.#restoredBatch = undefined
  }

  add(change: StoredChange, origin: HistoryOrigin): void {
    const kind = kindOfChange(change)
    if (kind === undefined) return
    const { before, beforeHash, after, afterHash } = change
    const via = origin === 'pull' ? change.holders().slice(0, VIA_MAX) : []
    this.#batchFor(after.name, origin).add({
      kind,
      before,
      after,
      beforeItem: pastItem(before, beforeHash),
      afterItem: newItem(after, afterHash),
      via,
    })
  }

  #batchFor(name: string, origin: HistoryOrigin): BatchText {
    if (origin !== 'scan' || !this.#restored.delete(name)) return this.#batch!
    this.#restoredBatch ??= new BatchText('restore')
    return this.#restoredBatch
  }

  /** Stores what was added since `begin`; `records` is the number of our records. */
  end(totals: HistoryTotals, records: number): HistoryTotals {
    let next = totals
    for (const batch of [this.#batch, this.#restoredBatch]) {
      if (batch !== undefined && batch.count > 0) next = this.#store(next, batch.toText())
    }
    this.#batch = undefined
    return next === totals ? totals : this.#removeOldest(next, historyBytesMax(records))
  }

  /** The first entry of a history: what was there when it began. */
  start({ files, directories, symlinks, bytes }: BaselineCounts): HistoryTotals {
    const sinceMs = Math.floor(this.#nowMs())
    return this.#store({ sinceMs, bytes: 0 }, baselineText({ files, directories, symlinks, bytes }))
  }

  #store({ sinceMs, bytes }: HistoryTotals, text: string): HistoryTotals {
    const timeMs = Math.floor(this.#nowMs())
    const data = packText(text)
    const rowBytes = data.length + ROW_BYTES
    this.#insert.run(timeMs, rowBytes, data, historySum(timeMs, data))
    return { sinceMs, bytes: bytes + rowBytes }
  }

  #removeOldest(totals: HistoryTotals, bytesMax: number): HistoryTotals {
    let { sinceMs, bytes } = totals
    const agedMs = this.#nowMs() - HISTORY_AGE_MS_MAX
    for (let removed = 0; removed < REMOVED_AT_ONCE; removed++) {
      const [id, timeMs, rowBytes] = this.#oldest.first() ?? []
      if (typeof id !== 'number' || (bytes <= bytesMax && Number(timeMs) >= agedMs)) break
      this.#delete.run(id)
      bytes -= Number(rowBytes)
      sinceMs = Math.max(sinceMs, Number(timeMs))
    }
    return { sinceMs, bytes }
  }
}
