import { shortIdText } from '../../core/device-id.ts'
import { isEarlier, type HistoryEntry, type HistoryPosition } from '../../core/history/entry.ts'
import type { ShortId } from '../../core/ids.ts'
import { isAtOrBelow } from '../../core/paths.ts'
import type { History, HistoryStep } from '../../db/types.ts'
import type { TimeSlice } from '../../sync/time-slice.ts'

/** Which entries are wanted, newest first. */
export interface HistoryQuery {
  /** An item and what is below it; '' is everything. */
  readonly path: string
  readonly sinceMs?: number | undefined
  /** Short ID of a device as text. */
  readonly by?: string | undefined
  /** Only entries before this one. */
  readonly before?: HistoryPosition | undefined
  readonly limit: number
}

export interface HistoryPage {
  readonly entries: readonly HistoryEntry[]
  /** The next page begins before it; undefined at the end. */
  readonly next: HistoryPosition | undefined
  /** From when on the history is complete; undefined until the first scan has ended. */
  readonly completeSinceMs: number | undefined
}

const AT_THE_END: HistoryPosition = { batch: Number.MAX_SAFE_INTEGER - 1, place: 0 }

/** A page of the history of a folder, newest first. */
export async function historyPage(history: History, query: HistoryQuery, slice: TimeSlice): Promise<HistoryPage> {
  const { before = AT_THE_END, limit, sinceMs = 0 } = query
  const completeSinceMs = await history.sinceMs()
  const isWanted = wantedBy(query)
  const entries: HistoryEntry[] = []
  const wanted = { path: query.path, entriesMax: limit + 1 }
  for (let batch: number | undefined = before.batch + 1; batch !== undefined;) {
    const step: HistoryStep = await history.before(batch, wanted)
    for (const entry of step.entries) {
      if (!isEarlier(entry.position, before)) continue
      if (entry.atMs < sinceMs) return { entries, next: undefined, completeSinceMs }
      if (!isWanted(entry)) continue
      if (entries.length === limit) return { entries, next: entries.at(-1)?.position, completeSinceMs }
      entries.push(entry)
    }
    batch = step.next
    if (slice.isDue) await slice.yield()
  }
  return { entries, next: undefined, completeSinceMs }
}

function wantedBy({ path, by }: HistoryQuery): (entry: HistoryEntry) => boolean {
  const texts = new Map<ShortId, string>()
  const textOf = (id: ShortId) => {
    const text = texts.get(id) ?? shortIdText(id)
    texts.set(id, text)
    return text
  }
  return (entry) => {
    if (path !== '' && (entry.kind === 'baseline' || !isAtOrBelow(entry.name, path))) return false
    return by === undefined || (entry.kind !== 'baseline' && textOf(entry.by) === by)
  }
}
