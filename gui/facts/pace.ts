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

  constructor(run: () => Promise<void>, everyMs: number, clock: PaceClock) {
    this.#run = run
    this.#everyMs = everyMs
    this.#clock = clock
  }

  ask(): void {
    this.#wanted = true
    this.#plan()
  }

  #plan(): void {
    if (!this.#wanted || this.#running || this.#planned) return
    const waitMs = this.#freeAtMs - this.#clock.nowMs()
    if (waitMs <= 0) return void this.#go()
    this.#planned = true
    this.#clock.later(() => {
      this.#planned = false
      void this.#go()
    }, waitMs)
  }

  async #go(): Promise<void> {
    this.#wanted = false
    this.#running = true
    await this.#run()
    this.#running = false
    this.#freeAtMs = this.#clock.nowMs() + this.#everyMs
    this.#plan()
  }
}
