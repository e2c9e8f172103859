/**
 * Notices that the system's queue of events was full, from the number that comes at once: Node itself drops the word
 * about it. All watched trees of a process share one queue.
 */
export class QueueGauge {
  readonly #suspiciousCount: number
  readonly #listeners = new Set<() => void>()
  #count = 0

  /** `queueLength` is what the system holds; undefined where that is unknown, and then nothing is ever noticed. */
  constructor(queueLength: number | undefined) {
    // Half, because not every entry of the queue reaches us. A scan too many harms nobody.
    this.#suspiciousCount = queueLength === undefined ? Number.POSITIVE_INFINITY : Math.max(1, queueLength / 2)
  }

  onFull(listener: () => void): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }

  /** To be called for each event as it comes: those of one reading of the queue come in one turn. */
  heard(): void {
    if (this.#count++ === 0) setImmediate(() => (this.#count = 0))
    if (this.#count === Math.ceil(this.#suspiciousCount)) for (const listener of this.#listeners) listener()
  }
}
