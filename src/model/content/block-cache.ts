import { hashKey } from '../../core/records/block-diff.ts'
import { untilAborted } from '../../platform/until-aborted.ts'

/** What an entry takes beside its block: there may be very many small ones. */
export const ENTRY_BYTES = 1_024

/** A verified block in memory, or on its way there. */
interface Entry {
  readonly key: string
  readonly obtain: Obtain
  /** Undefined after it was evicted: those who still refer to the entry must not hold its bytes. */
  data: Uint8Array | undefined
  /** Undefined when it has settled. */
  arriving: Promise<Uint8Array> | undefined
  /** Readers that want the block; the request of one without readers is aborted. */
  wanted: number
  readonly stop: AbortController
}

/** Interest of one reader in a block. Until it is disposed, a request for the block continues. */
export interface WantedBlock extends Disposable {
  /** The block; requested again if it was evicted meanwhile. Rejects with the reason of the signal when it aborts. */
  data(signal: AbortSignal): Promise<Uint8Array>
}

type Obtain = (signal: AbortSignal) => Promise<Uint8Array>

/**
 * Verified blocks by hash, shared by all readers: a block that several want is requested once. Those that no reader
 * wants are evicted first, then those not used for the longest time, also while a reader is in the middle of one: so a
 * slow reader holds no memory, and requests its block again.
 */
export class BlockCache {
  readonly #bytesMax: number
  /** In the order of use. */
  readonly #entries = new Map<string, Entry>()
  #heldBytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  get heldBytes(): number {
    return this.#heldBytes
  }

  want(hash: Uint8Array, obtain: Obtain): WantedBlock {
    const key = hashKey(hash)
    let entry: Entry | undefined = this.#begin(key, obtain)
    return {
      data: async (signal) => {
        signal.throwIfAborted()
        if (entry === undefined) throw new Error('the block is not wanted any longer')
        if (entry.data === undefined && entry.arriving === undefined) entry = this.#begin(key, obtain)
        const isOwn = entry.obtain === obtain
        try {
          return await this.#dataOf(entry, signal)
        } catch (error) {
          if (isOwn || signal.aborted) throw error
          // It was requested for another file, which fewer devices may have.
          entry = this.#begin(key, obtain)
          return await this.#dataOf(entry, signal)
        }
      },
      [Symbol.dispose]: () => {
        if (entry !== undefined) release(entry)
        entry = undefined
      },
    }
  }

  #begin(key: string, obtain: Obtain): Entry {
    const known = this.#entries.get(key)
    if (known !== undefined && !known.stop.signal.aborted) {
      known.wanted++
      return known
    }
    const entry: Entry = { key, obtain, data: undefined, arriving: undefined, wanted: 1, stop: new AbortController() }
    this.#entries.set(key, entry)
    entry.arriving = this.#fill(entry)
    entry.arriving.catch(() => {}) // a block read ahead may fail before anybody waits for it
    return entry
  }

  async #fill(entry: Entry): Promise<Uint8Array> {
    try {
      const data = await entry.obtain(entry.stop.signal)
      if (this.#entries.get(entry.key) === entry) this.#keep(entry, data)
      return data
    } catch (error) {
      if (this.#entries.get(entry.key) === entry) this.#entries.delete(entry.key)
      throw error
    } finally {
      entry.arriving = undefined
    }
  }

  #keep(entry: Entry, data: Uint8Array): void {
    entry.data = data
    this.#heldBytes += data.length + ENTRY_BYTES
    this.#touch(entry)
    this.#evict((oldest) => oldest !== entry && oldest.wanted === 0)
    this.#evict((oldest) => oldest !== entry)
  }

  /** Those not used for the longest time first. */
  #evict(mayGo: (entry: Entry) => boolean): void {
    for (const oldest of this.#entries.values()) {
      if (this.#heldBytes <= this.#bytesMax) return
      if (oldest.data === undefined || !mayGo(oldest)) continue
      this.#entries.delete(oldest.key)
      this.#heldBytes -= oldest.data.length + ENTRY_BYTES
      oldest.data = undefined
    }
  }

  /** The promise has the data: the entry may be evicted before its reader runs. */
  async #dataOf(entry: Entry, signal: AbortSignal): Promise<Uint8Array> {
    if (entry.arriving !== undefined) return await untilAborted(entry.arriving, signal)
    if (entry.data === undefined) throw new Error('the block is neither here nor on its way')
    this.#touch(entry)
    return entry.data
  }

  #touch(entry: Entry): void {
    if (this.#entries.get(entry.key) !== entry) return
    this.#entries.delete(entry.key)
    this.#entries.set(entry.key, entry)
  }
}

function release(entry: Entry): void {
  entry.wanted--
  if (entry.wanted === 0 && entry.arriving !== undefined)
    entry.stop.abort(new Error('no reader wants the block any longer'))
}
