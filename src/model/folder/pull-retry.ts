const PAUSE_MS_DEFAULT = 60_000
/** Limit of the growth of the pause, as a multiple of the first. */
const GROWTH_MAX = 60

/** Schedules retries of failed pulls. Time is a parameter: monotonic milliseconds. */
export class PullRetry {
  readonly #baseMs: number
  #pauseMs: number
  #dueMs = Number.POSITIVE_INFINITY

  /** 0 is the default of one minute. */
  constructor(pauseMs: number) {
    this.#baseMs = pauseMs > 0 ? pauseMs : PAUSE_MS_DEFAULT
    this.#pauseMs = this.#baseMs
  }

  /** Infinity when no retry is scheduled; 0 or less when one is due. */
  delayMs(nowMs: number): number {
    return this.#dueMs - nowMs
  }

  succeeded(): void {
    this.#pauseMs = this.#baseMs
    this.#dueMs = Number.POSITIVE_INFINITY
  }

  /**
   * Long pulls are retried less often. The pause grows only when a retry failed, not when an update caused an earlier
   * pull.
   */
  failed(nowMs: number, tookMs: number): void {
    const wasRetry = this.#dueMs <= nowMs
    if (wasRetry && this.#pauseMs < this.#baseMs * GROWTH_MAX) this.#pauseMs *= 2
    this.#dueMs = nowMs + this.#pauseMs + tookMs
  }
}
