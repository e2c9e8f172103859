import { compareNames, isConflictName } from '../../core/paths.ts'
import type { FolderIndex } from '../../db/types.ts'
import { Mutex } from '../../sync/mutex.ts'
import type { ConflictsPage } from './explorer-types.ts'
import type { TimeSlice } from '../../sync/time-slice.ts'
import type { Paging } from '../types.ts'

/** Bounds the conflict copies listed per folder. */
const NAMES_MAX = 20_000

/**
 * The conflict copies of one folder. The first call reads all our names in time slices; later calls read only those
 * that changed, which the index returns in sequence order.
 */
export class ConflictList {
  readonly #updating = new Mutex()
  readonly #names = new Set<string>()
  #indexId: bigint | undefined
  #sequence = 0

  async page(index: FolderIndex, { page, perPage }: Paging, slice: TimeSlice): Promise<ConflictsPage> {
    using _lock = await this.#updating.lock()
    await this.#update(index, slice)
    const names = [...this.#names].sort(compareNames)
    const records = await index.listing.recordsOf(names.slice((page - 1) * perPage, page * perPage))
    // A record may be dropped without a new sequence number.
    return { total: names.length, items: records.filter(({ local }) => local?.deleted === false) }
  }

  async #update(index: FolderIndex, slice: TimeSlice): Promise<void> {
    const indexId = await index.exchange.indexId()
    if (indexId !== this.#indexId) {
      this.#names.clear()
      this.#sequence = 0
      this.#indexId = indexId
    }
    for (;;) {
      const changed = await index.listing.ownSince(this.#sequence)
      for (const { name, live, sequence } of changed) {
        this.#sequence = sequence
        if (!isConflictName(name)) continue
        if (!live) this.#names.delete(name)
        else if (this.#names.size < NAMES_MAX) this.#names.add(name)
      }
      if (changed.length === 0) return
      if (slice.isDue) await slice.yield()
    }
  }
}
