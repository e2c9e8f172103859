import { WORK_ENDED } from '../core/never.ts'
import type { Clock } from '../platform/clock.ts'
import { NetError } from '../platform/net-error.ts'
import { untilAborted } from '../platform/until-aborted.ts'

/**
 * Runs work for at most this long; then its signal aborts with code `ETIMEDOUT`. Rejects at that moment, also if the
 * work does not obey; a stream that it returns later is closed.
 */
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
    const either = AbortSignal.any([signal, timeout.signal])
    return await untilAborted(work(either), either, dispose)
  } finally {
    done.abort(WORK_ENDED)
  }
}

function dispose(late: unknown): void {
  if (typeof late !== 'object' || late === null || !(Symbol.asyncDispose in late)) return
  const close = late[Symbol.asyncDispose]
  if (typeof close === 'function') void Promise.resolve(close.call(late)).catch(() => {}) // no caller waits for it
}
