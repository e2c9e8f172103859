import { Gate } from './gate.ts'

/**
 * Read-write lock: many shared holders, or one exclusive holder. First in, first out: an exclusive request waits only
 * for the current holders, and later requests queue behind it. Hold it with `using`.
 */
export class SharedMutex {
  #sharedCount = 0
  #isExclusive = false
  readonly #gate = new Gate<'shared' | 'exclusive'>({
    isFree: (mode) => !this.#isExclusive && (mode === 'shared' || this.#sharedCount === 0),
    acquire: (mode) => {
      if (mode === 'exclusive') this.#isExclusive = true
      else this.#sharedCount++
    },
    release: (mode) => {
      if (mode === 'exclusive') this.#isExclusive = false
      else this.#sharedCount--
    },
  })

  /** Rejects with `signal.reason` as soon as the signal aborts; then it is not held. */
  shared(signal: AbortSignal): Promise<Disposable> {
    return this.#gate.acquire('shared', signal)
  }

  exclusive(signal: AbortSignal): Promise<Disposable> {
    return this.#gate.acquire('exclusive', signal)
  }
}
