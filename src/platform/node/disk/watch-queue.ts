/**
 * Detects an overflow of the system's event queue from the number of events in one turn: Node drops the notification.
 * All watched trees of a process share one queue.
 */
export class QueueGauge {
  readonly #suspiciousCount: number
  readonly #listeners = new Set<() => void>()
  #count = 0

  /** `queueLength` of the system; undefined where unknown: then no overflow is detected. */
  constructor(queueLength: number | undefined) {
    // Half, because not every entry of the queue is delivered. A redundant scan does no harm.
    this.#suspiciousCount = queueLength === undefined ? Number.POSITIVE_INFINITY : Math.max(1, queueLength / 2)
  }

  onFull(listener: () => void): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }

  /** To be called for each event: those of one read of the queue arrive in one turn of the event loop. */
  count(): void {
    if (this.#count++ === 0) setImmediate(() => (this.#count = 0))
    if (this.#count === Math.ceil(this.#suspiciousCount)) for (const listener of this.#listeners) listener()
  }
}
