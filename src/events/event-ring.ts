import type { Clock } from '../platform/clock.ts'
import { Ring } from './ring.ts'
import type { Event, EventBuffer, EventRow } from './types.ts'

const ROWS_MAX = 1_000
/** File names in all rows: bounds memory when a thousand events carry a thousand names each. */
const NAMES_MAX = 100_000

interface Waiter {
  readonly since: number
  readonly wake: () => void
}

/** The events of one selection, with ids for polling. */
export class EventRing implements EventBuffer {
  readonly #clock: Clock
  readonly #rows = new Ring<EventRow>(ROWS_MAX)
  readonly #waiters = new Set<Waiter>()
  #newestId: number
  #nameCount = 0

  /** Ids continue after `lastId`: 0 for a first selection. */
  constructor(clock: Clock, lastId: number) {
    this.#clock = clock
    this.#newestId = lastId
  }

  get newestId(): number {
    return this.#newestId
  }

  get waiting(): boolean {
    return this.#waiters.size > 0
  }

  push(event: Event): void {
    const row = { ...event, id: ++this.#newestId }
    this.#nameCount += namesIn(row)
    let dropped = this.#rows.push(row)
    if (dropped !== undefined) this.#nameCount -= namesIn(dropped)
    while (this.#nameCount > NAMES_MAX && this.#rows.size > 1) {
      dropped = this.#rows.dropOldest()
      if (dropped !== undefined) this.#nameCount -= namesIn(dropped)
    }
    for (const waiter of this.#waiters) if (this.#newestId > waiter.since) waiter.wake()
  }

  async since(since: number, timeoutMs: number, signal: AbortSignal): Promise<readonly EventRow[]> {
    if (this.#newestId <= since && timeoutMs > 0 && !signal.aborted) await this.#wait(since, timeoutMs, signal)
    return signal.aborted ? [] : this.#rows.filter((row) => row.id > since)
  }

  /** Ends with an event above `since`, the timeout or the signal, whichever is first. */
  async #wait(since: number, timeoutMs: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const wake = () => resolve()
    const waiter: Waiter = { since, wake }
    const timer = new AbortController()
    this.#waiters.add(waiter)
    signal.addEventListener('abort', wake, { once: true })
    this.#clock.sleep(timeoutMs, timer.signal).then(wake, wake)
    try {
      await promise
    } finally {
      this.#waiters.delete(waiter)
      signal.removeEventListener('abort', wake)
      timer.abort()
    }
  }
}

function namesIn(event: Event): number {
  if (event.type === 'LocalIndexUpdated') return event.data.filenames.length
  return event.type === 'FolderErrors' ? event.data.errors.length : 0
}
