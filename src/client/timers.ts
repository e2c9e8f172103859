/** Timers of a program that uses the client, in Node or in a browser: it has no platform of a daemon. */

/** Calls back once after a time; the returned function prevents it. */
export function startTimer(onEnd: () => void, ms: number): () => void {
  const timer = setTimeout(onEnd, ms)
  return () => clearTimeout(timer)
}

/** Ends early, without an error, on abort. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const stop = startTimer(resolve, ms)
  signal.addEventListener('abort', () => resolve(), { once: true })
  try {
    await promise
  } finally {
    stop()
  }
}
