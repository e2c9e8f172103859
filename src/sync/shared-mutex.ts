interface Waiter {
  readonly exclusive: boolean
  readonly admit: () => void
}

/**
 * Many may hold it together, or one alone. First come, first served: whoever wants to be alone waits for those inside
 * only, and nobody who comes later gets in before. Hold it with `using`.
 */
export class SharedMutex {
  #sharing = 0
  #alone = false
  readonly #waiting = new Set<Waiter>()

  /** Rejects with `signal.reason` as soon as the signal aborts; then it is not held. */
  shared(signal: AbortSignal): Promise<Disposable> {
    return this.#acquire(false, signal)
  }

  exclusive(signal: AbortSignal): Promise<Disposable> {
    return this.#acquire(true, signal)
  }

  async #acquire(exclusive: boolean, signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted()
    if (this.#waiting.size === 0 && this.#isFree(exclusive)) this.#enter(exclusive)
    else await this.#wait(exclusive, signal)
    let released = false
    return {
      [Symbol.dispose]: () => {
        if (released) return
        released = true
        if (exclusive) this.#alone = false
        else this.#sharing--
        this.#admit()
      },
    }
  }

  #isFree(exclusive: boolean): boolean {
    return !this.#alone && !(exclusive && this.#sharing > 0)
  }

  #enter(exclusive: boolean): void {
    if (exclusive) this.#alone = true
    else this.#sharing++
  }

  async #wait(exclusive: boolean, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter: Waiter = { exclusive, admit: resolve }
    const onAbort = (): void => {
      // Once admitted it is ours and the abort comes too late: the caller gets it and gives it back.
      if (!this.#waiting.delete(waiter)) return
      reject(signal.reason)
      this.#admit() // those behind one who wanted to be alone may be free to go in
    }
    this.#waiting.add(waiter)
    signal.addEventListener('abort', onAbort)
    try {
      await promise
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  #admit(): void {
    for (const waiter of this.#waiting) {
      if (!this.#isFree(waiter.exclusive)) return
      this.#waiting.delete(waiter)
      this.#enter(waiter.exclusive)
      waiter.admit()
    }
  }
}
