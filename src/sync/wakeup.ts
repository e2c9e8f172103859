import type { Clock } from '../platform/clock.ts'

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

  /** Waits at most this long: true when `ring` was called, false when the time is over. Rejects when it aborts. */
  async waitAtMost(clock: Clock, delayMs: number, signal: AbortSignal): Promise<boolean> {
    const over = new AbortController()
    const either = AbortSignal.any([signal, over.signal])
    const waits = [this.wait(either).then(() => true), clock.sleep(delayMs, either).then(() => false)]
    try {
      return await Promise.race(waits)
    } finally {
      over.abort() // cancels the loser of the race
      await Promise.allSettled(waits)
    }
  }
}
