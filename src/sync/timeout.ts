import type { Clock } from '../platform/clock.ts'
import { NetError } from '../platform/net-error.ts'

/** Runs work that obeys its signal, for at most this long. Then the signal aborts with code `ETIMEDOUT`. */
export async function withTimeout<T>(
  clock: Clock,
  limitMs: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timeout = new AbortController()
  const done = new AbortController()
  clock.sleep(limitMs, done.signal).then(
    () => timeout.abort(new NetError('ETIMEDOUT', `timed out after ${limitMs / 1_000} s`)),
    () => {}, // the work ended first
  )
  try {
    return await work(AbortSignal.any([signal, timeout.signal]))
  } finally {
    done.abort()
  }
}
