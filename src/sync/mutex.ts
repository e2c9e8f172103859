import { Semaphore } from './semaphore.ts'
import { NEVER } from '../core/never.ts'

/** First in, first out. Hold it with `using`, so that every path releases it. */
export class Mutex {
  readonly #slot = new Semaphore(1)

  get locked(): boolean {
    return this.#slot.heldCount > 0
  }

  /** Rejects with `signal.reason` as soon as the signal aborts; then it is not held. */
  lock(signal: AbortSignal = NEVER): Promise<Disposable> {
    return this.#slot.acquire(signal)
  }
}
