/**
 * Settles as the work does, or rejects with the reason of the signal as soon as it aborts, whatever the work does. A
 * result that comes after that is handed to `discard`.
 */
export async function untilAborted<T>(
  work: Promise<T>,
  signal: AbortSignal,
  discard: (late: T) => void = () => {},
): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const onAbort = (): void => aborted.reject(signal.reason)
  signal.addEventListener('abort', onAbort)
  let isLate = false
  work.then(
    (late) => isLate && discard(late),
    () => {}, // reported by the race, or later than anybody waits for it
  )
  try {
    if (signal.aborted) onAbort()
    return await Promise.race([work, aborted.promise])
  } catch (error) {
    isLate = true
    throw error
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
