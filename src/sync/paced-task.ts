import type { Clock } from '../platform/clock.ts'

export interface PacedTaskOptions {
  /** Minimum time from the end of one run to the start of the next. */
  readonly pauseMs: number
  /** Never rejects. */
  run(): Promise<void>
}

/**
 * Rate-limited work: the first request runs immediately, later ones after a pause. Requests during the pause are merged
 * into one run.
 */
export class PacedTask {
  readonly #clock: Pick<Clock, 'monotonicMs' | 'sleep'>
  readonly #options: PacedTaskOptions
  #wanted = false
  #running: Promise<void> | undefined
  #endedMs = Number.NEGATIVE_INFINITY
  #hurrying = 0
  #pause = new AbortController()

  constructor(clock: Pick<Clock, 'monotonicMs' | 'sleep'>, options: PacedTaskOptions) {
    this.#clock = clock
    this.#options = options
  }

  /** Requests a run. */
  want(): void {
    this.#wanted = true
    this.#running ??= this.#runAll()
  }

  /** Resolves when all requested runs are done. Skips the pause. */
  async settled(): Promise<void> {
    this.#hurrying++
    this.#pause.abort()
    await this.#running
    this.#hurrying--
  }

  async #runAll(): Promise<void> {
    while (this.#wanted) {
      await this.#rest()
      this.#wanted = false
      await this.#options.run()
      this.#endedMs = this.#clock.monotonicMs()
    }
    this.#running = undefined
  }

  async #rest(): Promise<void> {
    const restMs = this.#endedMs + this.#options.pauseMs - this.#clock.monotonicMs()
    if (restMs <= 0 || this.#hurrying > 0) return
    this.#pause = new AbortController()
    await this.#clock.sleep(restMs, this.#pause.signal).catch(() => {}) // `settled` skips the pause
  }
}
