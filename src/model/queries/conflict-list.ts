import { compareNames, conflictOriginal, isConflictName } from '../../core/paths.ts'
import type { FolderIndex } from '../../db/types.ts'
import { Mutex } from '../../sync/mutex.ts'
import type { ConflictsPage } from './explorer-types.ts'
import type { TimeSlice } from '../../sync/time-slice.ts'

/** Bounds the conflict copies listed per folder. */
const NAMES_MAX = 20_000

/** A part of a list. */
export interface ListRange {
  readonly from: number
  readonly count: number
}

/**
 * The conflict copies of one folder. The first call reads all our names in time slices; later calls read only those
 * that changed, which the index returns in sequence order.
 */
export class ConflictList {
  readonly #updating = new Mutex()
  readonly #names = new Set<string>()
  /** By name; undefined after a change. */
  #sorted: readonly string[] | undefined
  #indexId: bigint | undefined
  #sequence = 0

  /** Copies by name, each with the file that it is a copy of. */
  async range(index: FolderIndex, { from, count }: ListRange, slice: TimeSlice): Promise<ConflictsPage> {
    using _lock = await this.#updating.lock()
    await this.#update(index, slice)
    const sorted = (this.#sorted ??= [...this.#names].sort(compareNames))
    const names = sorted.slice(from, from + count)
    const records = await index.listing.recordsOf(names)
    const files = await index.listing.recordsOf([...new Set(names.map(conflictOriginal))])
    const byName = new Map(files.map(({ name, local }) => [name, local]))
    // A record may be dropped without a new sequence number.
    const items = records
      .filter(({ local }) => local?.deleted === false)
      .map((copy) => ({ ...copy, file: liveFile(byName.get(conflictOriginal(copy.name))) }))
    return { total: sorted.length, items }
  }

  async #update(index: FolderIndex, slice: TimeSlice): Promise<void> {
    const indexId = await index.exchange.indexId()
    if (indexId !== this.#indexId) {
      this.#names.clear()
      this.#sorted = undefined
      this.#sequence = 0
      this.#indexId = indexId
    }
    for (;;) {
      const changed = await index.listing.ownSince(this.#sequence)
      for (const { name, live, sequence } of changed) {
        this.#sequence = sequence
        if (!isConflictName(name)) continue
        this.#sorted = undefined
        if (!live) this.#names.delete(name)
        else if (this.#names.size < NAMES_MAX) this.#names.add(name)
      }
      if (changed.length === 0) return
      if (slice.isDue) await slice.yield()
    }
  }
}

function liveFile(record: ConflictsPage['items'][number]['file']): ConflictsPage['items'][number]['file'] {
  return record?.deleted === false && record.type === 'file' ? record : undefined
}
