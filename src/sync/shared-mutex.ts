import { WaitingLine } from './waiting-line.ts'

/**
 * Many may hold it together, or one alone. First come, first served: whoever wants to be alone waits for those inside
 * only, and nobody who comes later gets in before. Hold it with `using`.
 */
export class SharedMutex {
  #sharing = 0
  #alone = false
  readonly #line = new WaitingLine<'shared' | 'alone'>({
    isFree: (how) => !this.#alone && (how === 'shared' || this.#sharing === 0),
    enter: (how) => {
      if (how === 'alone') this.#alone = true
      else this.#sharing++
    },
    leave: (how) => {
      if (how === 'alone') this.#alone = false
      else this.#sharing--
    },
  })

  /** Rejects with `signal.reason` as soon as the signal aborts; then it is not held. */
  shared(signal: AbortSignal): Promise<Disposable> {
    return this.#line.acquire('shared', signal)
  }

  exclusive(signal: AbortSignal): Promise<Disposable> {
    return this.#line.acquire('alone', signal)
  }
}
