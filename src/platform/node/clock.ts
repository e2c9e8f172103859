import { setImmediate as yieldOnce, setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../clock.ts'

/** Node turns a longer delay into one of a millisecond. */
const TIMER_MS_MAX = 2 ** 31 - 1

export const nodeClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),

  async sleep(delayMs, signal) {
    signal.throwIfAborted()
    try {
      // Every sleep yields to other tasks; a timer of 0 ms would take one more millisecond.
      if (delayMs <= 0) await yieldOnce(undefined, { signal })
      for (let leftMs = delayMs; leftMs > 0; leftMs -= TIMER_MS_MAX) {
        await sleep(Math.min(leftMs, TIMER_MS_MAX), undefined, { signal })
      }
    } catch (error) {
      // Node rejects with its own AbortError; the contract requires the caller's reason.
      signal.throwIfAborted()
      throw error
    }
  },
}
