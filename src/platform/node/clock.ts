import type { Clock } from '../clock.ts'

/** Node turns a longer delay into one of a millisecond. */
const TIMER_MS_MAX = 2 ** 31 - 1

/** Without `timers/promises`: an abort, which ends most waits, costs an error of its own with its stack there. */
export const nodeClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),

  async sleep(delayMs, signal) {
    signal.throwIfAborted()
    // Every sleep yields to other tasks; a timer of 0 ms would take one more millisecond.
    if (delayMs <= 0) await nextTurn(signal)
    for (let leftMs = delayMs; leftMs > 0; leftMs -= TIMER_MS_MAX) await timer(Math.min(leftMs, TIMER_MS_MAX), signal)
  },
}

function nextTurn(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const immediate = setImmediate(() => {
      signal.removeEventListener('abort', onAbort)
      resolve()
    })
    const onAbort = () => {
      clearImmediate(immediate)
      reject(signal.reason)
    }
    signal.addEventListener('abort', onAbort, { once: true })
  })
}

function timer(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timeout = setTimeout(() => {
      signal.removeEventListener('abort', onAbort)
      resolve()
    }, delayMs)
    const onAbort = () => {
      clearTimeout(timeout)
      reject(signal.reason)
    }
    signal.addEventListener('abort', onAbort, { once: true })
  })
}
