import { WORK_ENDED } from '../core/never.ts'
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
    await this.#wait(signal)
  }

  /** Waits at most this long: true when `ring` was called, false when the time is over. Rejects when it aborts. */
  async waitAtMost(clock: Clock, delayMs: number, signal: AbortSignal): Promise<boolean> {
    const alarm = new AbortController()
    // A rejection is our own abort below: `ring` was called first.
    clock.sleep(delayMs, alarm.signal).then(
      () => this.#sleeper?.(),
      () => {},
    )
    try {
      return await this.#wait(signal)
    } finally {
      alarm.abort(WORK_ENDED)
    }
  }

  /** Whether `ring` was called, rather than the sleeper alone. */
  async #wait(signal: AbortSignal): Promise<boolean> {
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
    const isRung = this.#rung
    this.#rung = false
    return isRung
  }
}
