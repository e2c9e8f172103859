import type { DatabaseSync } from 'node:sqlite'
import { kindOfChange, newItem, pastItem, type BaselineCounts } from '../../core/history/entry.ts'
import type { HistoryOrigin, NewItem, PastItem } from '../../core/history/entry.ts'
import { HISTORY_AGE_MS_MAX, historyBytesMax } from '../../core/history/retention.ts'
import type { ShortId } from '../../core/ids.ts'
import type { FileHead } from '../../core/records/file-info.ts'
import { hasSameContent } from '../../core/rewind/step.ts'
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
  /** Items that a scan finds because a rewind was interrupted before it recorded them. */
  #rewound: ReadonlyMap<string, PastItem> = new Map()
  #batch: BatchText | undefined
  /** Of what a scan finds and did not come by itself. */
  readonly #found = new Map<HistoryOrigin, BatchText>()

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

  /** Until the next call, these items count as rewound where a scan finds them with that content. */
  expectRewound(items: ReadonlyMap<string, PastItem>): void {
    this.#rewound = items
  }

  begin(origin: HistoryOrigin): void {
    this.#batch = new BatchText(origin)
    this.#found.clear()
  }

  add(change: StoredChange, origin: HistoryOrigin): void {
    const kind = kindOfChange(change)
    if (kind === undefined) return
    const { before, beforeHash, after, afterHash } = change
    const via = origin === 'pull' ? change.holders().slice(0, VIA_MAX) : []
    const afterItem = newItem(after, afterHash)
    const batch = this.#batchFor(origin === 'scan' ? this.#foundOrigin(after.name, afterItem) : origin, origin)
    batch.add({ kind, before, after, beforeItem: pastItem(before, beforeHash), afterItem, via })
  }

  #foundOrigin(name: string, item: NewItem | undefined): HistoryOrigin {
    if (this.#restored.delete(name)) return 'restore'
    const rewound = this.#rewound.get(name)
    return rewound !== undefined && item !== undefined && hasSameContent(rewound, item) ? 'rewind' : 'scan'
  }

  #batchFor(origin: HistoryOrigin, ofBatch: HistoryOrigin): BatchText {
    if (origin === ofBatch) return this.#batch!
    const batch = this.#found.get(origin) ?? new BatchText(origin)
    this.#found.set(origin, batch)
    return batch
  }

  /** Stores what was added since `begin`; `records` is the number of our records. */
  end(totals: HistoryTotals, records: number): HistoryTotals {
    let next = totals
    for (const batch of [this.#batch, ...this.#found.values()]) {
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
