import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../clock.ts'

/** Node turns a longer delay into one of a millisecond. */
const TIMER_MS_MAX = 2 ** 31 - 1

export const nodeClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),

  async sleep(delayMs, signal) {
    signal.throwIfAborted()
    let leftMs = Math.max(0, delayMs)
    try {
      // One round even for 0 ms: every sleep yields to other tasks.
      do {
        const partMs = Math.min(leftMs, TIMER_MS_MAX)
        await sleep(partMs, undefined, { signal })
        leftMs -= partMs
      } while (leftMs > 0)
    } catch (error) {
      // Node rejects with its own AbortError; the contract requires the caller's reason.
      signal.throwIfAborted()
      throw error
    }
  },
}
