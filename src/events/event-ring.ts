import { WORK_ENDED } from '../core/never.ts'
import type { Clock } from '../platform/clock.ts'
import { Ring } from './ring.ts'
import type { Event, EventBuffer, EventRow, EventSequence } from './types.ts'

const ROWS_MAX = 1_000
/** Rows of one read: a reader that does not take them holds no more, whatever the ring holds. */
const READ_ROWS_MAX = 256
/** Bounds memory when a thousand events carry a thousand names each, or names chosen by a peer. */
const BYTES_MAX = 16 * 1024 * 1024
/** Estimates of the memory of a row, and of a value besides its characters. */
const ROW_BYTES = 128
const VALUE_BYTES = 16

interface Waiter {
  readonly since: number
  readonly wake: () => void
}

/** The events of one selection, with ids for polling. */
export class EventRing implements EventBuffer, EventSequence {
  readonly #clock: Clock
  /** Their ids follow one another: rows are made when they are read, which most never are. */
  readonly #events: Ring<Event>
  /** The size of each event. */
  readonly #sizes: Ring<number>
  readonly #waiters = new Set<Waiter>()
  #newestId: number
  #bytes = 0

  /**
   * Begins with earlier events, oldest first. New ids continue after `lastId`, and those of earlier events are not
   * above it: a client that has polled up to it gets none of them again.
   */
  constructor(clock: Clock, lastId: number, earlier: readonly Event[] = [], rowsMax = ROWS_MAX) {
    this.#clock = clock
    this.#events = new Ring(rowsMax)
    this.#sizes = new Ring(rowsMax)
    this.#newestId = Math.max(lastId - earlier.length, 0)
    for (const event of earlier) this.push(event)
  }

  get newestId(): number {
    return this.#newestId
  }

  get events(): readonly Event[] {
    return this.#events.filter(() => true)
  }

  /** Whether the oldest events are no longer here. */
  get hasDropped(): boolean {
    return this.#newestId > this.#events.size
  }

  get waiting(): boolean {
    return this.#waiters.size > 0
  }

  push(event: Event): void {
    const bytes = ROW_BYTES + sizeOf(event.data)
    this.#newestId++
    this.#events.push(event)
    this.#bytes += bytes - (this.#sizes.push(bytes) ?? 0)
    while (this.#bytes > BYTES_MAX && this.#events.size > 1) {
      this.#events.dropOldest()
      this.#bytes -= this.#sizes.dropOldest() ?? 0
    }
    if (this.#waiters.size === 0) return // an iterator for each file of a first scan is saved
    for (const waiter of this.#waiters) if (this.#newestId > waiter.since) waiter.wake()
  }

  async since(since: number, timeoutMs: number, signal: AbortSignal): Promise<readonly EventRow[]> {
    if (this.#newestId <= since && timeoutMs > 0 && !signal.aborted) await this.#wait(since, timeoutMs, signal)
    return signal.aborted ? [] : this.#rows(since, Infinity)
  }

  async next(after: number, timeoutMs: number, signal: AbortSignal): Promise<readonly EventRow[]> {
    if (this.#newestId <= after && !signal.aborted) await this.#wait(after, timeoutMs, signal)
    return signal.aborted ? [] : this.#rows(after, READ_ROWS_MAX)
  }

  #rows(after: number, limit: number): readonly EventRow[] {
    const wanted = Math.min(this.#newestId - after, this.#events.size)
    const first = this.#newestId - wanted + 1
    return this.#events.last(wanted, limit).map((event, i) => ({ ...event, id: first + i }))
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
      timer.abort(WORK_ENDED)
    }
  }
}

/** The estimated memory of a value. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return VALUE_BYTES + 2 * value.length
  if (typeof value !== 'object' || value === null) return VALUE_BYTES
  let bytes = VALUE_BYTES
  if (Array.isArray(value)) for (const element of value) bytes += sizeOf(element)
  // Without an array of entries: there is an event for each file of a first scan.
  else for (const key in value) bytes += 2 * key.length + sizeOf((value as Readonly<Record<string, unknown>>)[key])
  return bytes
}
