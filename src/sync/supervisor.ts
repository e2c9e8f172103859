import type { Clock } from '../platform/clock.ts'

/** Runs until the signal aborts, then ends: a rejection after that is no failure. One before requests a restart. */
export interface Service {
  readonly name: string
  run(signal: AbortSignal): Promise<void>
}

const RESTART_DELAY_MS_MIN = 1_000
const RESTART_DELAY_MS_MAX = 60_000
/** A run of this length resets the restart delay. */
const STABLE_RUN_MS_MIN = 2 * RESTART_DELAY_MS_MAX

/**
 * Runs a service and restarts it after a failure, with a delay that doubles each time. Resolves only once the service
 * has returned; never rejects. A service that returns by itself is not restarted.
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
      if (clock.monotonicMs() - startedMs >= STABLE_RUN_MS_MIN) delayMs = RESTART_DELAY_MS_MIN
      await clock.sleep(delayMs, signal).catch(() => {}) // an abort ends the loop above
      delayMs = Math.min(delayMs * 2, RESTART_DELAY_MS_MAX)
    }
  }
}
