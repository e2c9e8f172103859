interface Waiter {
  readonly sizeBytes: number
  readonly admit: () => void
}

/**
 * Lets a limited number of bytes be under way at a time, first come, first served. One that is larger than the whole
 * window gets in when nothing else is. Hold the room with `using`.
 */
export class ByteWindow {
  readonly #limitBytes: number
  readonly #waiting = new Set<Waiter>()
  #heldBytes = 0

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  get heldBytes(): number {
    return this.#heldBytes
  }

  /** Rejects with `signal.reason` as soon as the signal aborts; then nothing is held. */
  async acquire(sizeBytes: number, signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted()
    if (this.#waiting.size === 0 && this.#fits(sizeBytes)) this.#heldBytes += sizeBytes
    else await this.#wait(sizeBytes, signal)
    let released = false
    return {
      [Symbol.dispose]: () => {
        if (released) return
        released = true
        this.#heldBytes -= sizeBytes
        this.#admit()
      },
    }
  }

  #fits(sizeBytes: number): boolean {
    return this.#heldBytes === 0 || this.#heldBytes + sizeBytes <= this.#limitBytes
  }

  async #wait(sizeBytes: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter: Waiter = { sizeBytes, admit: resolve }
    const onAbort = (): void => {
      if (!this.#waiting.delete(waiter)) return
      reject(signal.reason)
      this.#admit() // a smaller one behind it may fit
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
      if (!this.#fits(waiter.sizeBytes)) return
      this.#waiting.delete(waiter)
      this.#heldBytes += waiter.sizeBytes
      waiter.admit()
    }
  }
}
