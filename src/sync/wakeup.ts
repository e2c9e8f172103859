/**
 * Many rings, one waking: a thousand file events while a scan runs lead to one
 * more scan, not to a thousand. Work is done at our pace, not at that of the callers.
 */
export class Wakeup {
  #rung = false
  #sleeper: (() => void) | undefined

  ring(): void {
    this.#rung = true
    this.#sleeper?.()
  }

  /** Returns at once when it rang since the last wait. One waiter at a time. */
  async wait(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (!this.#rung) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const onAbort = () => reject(signal.reason)
      signal.addEventListener('abort', onAbort, { once: true })
      this.#sleeper = resolve
      try {
        await promise
      } finally {
        this.#sleeper = undefined
        signal.removeEventListener('abort', onAbort)
      }
    }
    this.#rung = false
  }
}
