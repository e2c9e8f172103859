/** What a pace needs of the time. */
export interface PaceClock {
  nowMs(): number
  later(run: () => void, delayMs: number): void
}

/**
 * Does something whenever asked to, but never twice at once and never sooner than a while after the last time ended.
 * What is asked for meanwhile is done once, afterwards: the last word is never lost.
 */
export class Pace {
  readonly #run: () => Promise<void>
  readonly #everyMs: number
  readonly #clock: PaceClock
  #freeAtMs = -Infinity
  #running = false
  #planned = false
  #wanted = false
  #isUrgent = false

  constructor(run: () => Promise<void>, everyMs: number, clock: PaceClock) {
    this.#run = run
    this.#everyMs = everyMs
    this.#clock = clock
  }

  ask(): void {
    this.#wanted = true
    this.#plan()
  }

  /** For a person who waits: at once, or right after what is running. */
  askNow(): void {
    this.#freeAtMs = -Infinity
    this.#isUrgent = this.#running
    this.ask()
  }

  #plan(): void {
    if (!this.#wanted || this.#running) return
    const waitMs = this.#freeAtMs - this.#clock.nowMs()
    if (waitMs <= 0) return void this.#go()
    if (this.#planned) return
    this.#planned = true
    this.#clock.later(() => {
      this.#planned = false
      this.#plan()
    }, waitMs)
  }

  async #go(): Promise<void> {
    this.#wanted = false
    this.#running = true
    await this.#run()
    this.#running = false
    this.#freeAtMs = this.#isUrgent ? -Infinity : this.#clock.nowMs() + this.#everyMs
    this.#isUrgent = false
    this.#plan()
  }
}
