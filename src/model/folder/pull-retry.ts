const PAUSE_MS_DEFAULT = 60_000
/** How far the pause grows, as a multiple of the first. */
const GROWTH_MAX = 60

/** When to try again what could not be pulled. Time is a parameter: monotonic milliseconds. */
export class PullRetry {
  readonly #baseMs: number
  #pauseMs: number
  #dueMs = Number.POSITIVE_INFINITY

  /** 0 is the usual minute. */
  constructor(pauseMs: number) {
    this.#baseMs = pauseMs > 0 ? pauseMs : PAUSE_MS_DEFAULT
    this.#pauseMs = this.#baseMs
  }

  /** Infinity when nothing is to be tried again; 0 or less when it is time. */
  delayMs(nowMs: number): number {
    return this.#dueMs - nowMs
  }

  succeeded(): void {
    this.#pauseMs = this.#baseMs
    this.#dueMs = Number.POSITIVE_INFINITY
  }

  /** What takes long is tried less often. The pause grows only when a retry failed, not when news made us try earlier. */
  failed(nowMs: number, tookMs: number): void {
    const wasRetry = this.#dueMs <= nowMs
    if (wasRetry && this.#pauseMs < this.#baseMs * GROWTH_MAX) this.#pauseMs *= 2
    this.#dueMs = nowMs + this.#pauseMs + tookMs
  }
}
