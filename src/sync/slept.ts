import type { Clock } from '../platform/clock.ts'

/** Whether the time has passed: false as soon as the signal aborts. */
export async function slept(clock: Pick<Clock, 'sleep'>, delayMs: number, signal: AbortSignal): Promise<boolean> {
  return await clock.sleep(delayMs, signal).then(
    () => true,
    () => false,
  )
}
