import type { Clock } from '../platform/clock.ts'
import { Ring } from './ring.ts'
import type { Event, EventBuffer, EventRow } from './types.ts'

const ROWS_MAX = 1_000
/** Bounds memory when a thousand events carry a thousand names each, or names chosen by a peer. */
const BYTES_MAX = 16 * 1024 * 1024
/** Estimates of the memory of a row, and of a value besides its characters. */
const ROW_BYTES = 128
const VALUE_BYTES = 16
/** The data of an event is shared by all rings, so that its size is computed once. */
const sizes = new WeakMap<object, number>()

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
  #bytes = 0

  /**
   * Begins with earlier events, oldest first. New ids continue after `lastId`, and those of earlier events are not
   * above it: a client that has polled up to it gets none of them again.
   */
  constructor(clock: Clock, lastId: number, earlier: readonly Event[] = []) {
    this.#clock = clock
    this.#newestId = Math.max(lastId - earlier.length, 0)
    for (const event of earlier) this.push(event)
  }

  get newestId(): number {
    return this.#newestId
  }

  get rows(): readonly EventRow[] {
    return this.#rows.filter(() => true)
  }

  get waiting(): boolean {
    return this.#waiters.size > 0
  }

  push(event: Event): void {
    const row = { ...event, id: ++this.#newestId }
    this.#bytes += bytesOf(row)
    this.#forget(this.#rows.push(row))
    while (this.#bytes > BYTES_MAX && this.#rows.size > 1) this.#forget(this.#rows.dropOldest())
    for (const waiter of this.#waiters) if (this.#newestId > waiter.since) waiter.wake()
  }

  #forget(dropped: EventRow | undefined): void {
    if (dropped !== undefined) this.#bytes -= bytesOf(dropped)
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

/** The estimated memory of an event. */
function bytesOf({ data }: Pick<Event, 'data'>): number {
  if (typeof data !== 'object' || data === null) return ROW_BYTES + sizeOf(data)
  let bytes = sizes.get(data)
  if (bytes === undefined) sizes.set(data, (bytes = ROW_BYTES + sizeOf(data)))
  return bytes
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return VALUE_BYTES + 2 * value.length
  if (typeof value !== 'object' || value === null) return VALUE_BYTES
  let bytes = VALUE_BYTES
  if (Array.isArray(value)) for (const element of value) bytes += sizeOf(element)
  else for (const [key, field] of Object.entries(value)) bytes += 2 * key.length + sizeOf(field)
  return bytes
}
