import type { Clock } from '../platform/clock.ts'

/** An activity: runs until the signal aborts, then returns. A throw means "restart me". */
export interface Service {
  readonly name: string
  run(signal: AbortSignal): Promise<void>
}

const RESTART_DELAY_MS_MIN = 1_000
const RESTART_DELAY_MS_MAX = 60_000
/** One that has run this long counts as well again: its next failure is a first one. */
const RUN_WELL_MS_MIN = 2 * RESTART_DELAY_MS_MAX

/**
 * Keeps one service alive: starts it again after a failure, waiting twice as long each time. Resolves once the service
 * has returned, and never before it has; never rejects. A service that returns by itself is done.
 */
export async function supervise(
  service: Service,
  clock: Clock,
  onFailure: (error: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  let delayMs = RESTART_DELAY_MS_MIN
  while (!signal.aborted) {
    const startedMs = clock.monotonicMs()
    try {
      await service.run(signal)
      return
    } catch (error) {
      if (signal.aborted) return
      onFailure(error)
      if (clock.monotonicMs() - startedMs >= RUN_WELL_MS_MIN) delayMs = RESTART_DELAY_MS_MIN
      await clock.sleep(delayMs, signal).catch(() => {}) // an abort ends the loop above
      delayMs = Math.min(delayMs * 2, RESTART_DELAY_MS_MAX)
    }
  }
}
