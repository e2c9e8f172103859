import type { Clock } from '../platform/clock.ts'

export interface PacedTaskOptions {
  /** From the end of one run to the beginning of the next, at least. */
  readonly pauseMs: number
  /** Never rejects. */
  run(): Promise<void>
}

/**
 * Work that follows what happens, but not at its pace: the first time at once, then with a pause after every run. What
 * is asked for while it waits is one run.
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

  /** Something happened: it will run. */
  want(): void {
    this.#wanted = true
    this.#running ??= this.#runAll()
  }

  /** Resolves when everything that was wanted so far has been done. Nobody pauses meanwhile. */
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
    await this.#clock.sleep(restMs, this.#pause.signal).catch(() => {}) // somebody cannot wait
  }
}
