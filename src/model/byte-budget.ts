interface Waiter {
  readonly bytes: number
  readonly admit: () => void
}

/**
 * Lets so many bytes be in use at a time, first come, first served. Something larger than the whole budget is let in
 * when nothing else is: it must not wait for ever.
 */
export class ByteBudget {
  #limitBytes: number
  #usedBytes = 0
  readonly #waiting = new Set<Waiter>()

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  get usedBytes(): number {
    return this.#usedBytes
  }

  setLimit(limitBytes: number): void {
    this.#limitBytes = limitBytes
    this.#admit()
  }

  /** Rejects with `signal.reason` as soon as the signal aborts; then nothing is held. */
  async take(bytes: number, signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted()
    if (this.#waiting.size === 0 && this.#fits(bytes)) this.#usedBytes += bytes
    else await this.#wait(bytes, signal)
    let released = false
    return {
      [Symbol.dispose]: () => {
        if (released) return
        released = true
        this.#usedBytes -= bytes
        this.#admit()
      },
    }
  }

  async #wait(bytes: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter: Waiter = { bytes, admit: resolve }
    const onAbort = (): void => {
      // Once admitted the bytes are ours and the abort comes too late: the caller gets them and gives them back.
      if (!this.#waiting.delete(waiter)) return
      reject(signal.reason)
      this.#admit()
    }
    this.#waiting.add(waiter)
    signal.addEventListener('abort', onAbort)
    try {
      await promise
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  #fits(bytes: number): boolean {
    return this.#usedBytes === 0 || this.#usedBytes + bytes <= this.#limitBytes
  }

  /** Counts the bytes here, not when the waiter wakes: between the two a newcomer would overtake. */
  #admit(): void {
    for (const waiter of this.#waiting) {
      if (!this.#fits(waiter.bytes)) return
      this.#waiting.delete(waiter)
      this.#usedBytes += waiter.bytes
      waiter.admit()
    }
  }
}
