/**
 * Coalesces signals: a thousand file events during a scan cause one more scan, not a thousand.
 */
export class Wakeup {
  #rung = false
  #sleeper: (() => void) | undefined

  ring(): void {
    this.#rung = true
    this.#sleeper?.()
  }

  /** Returns immediately when `ring` was called since the last wait. One waiter at a time. */
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
