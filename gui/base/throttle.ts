import { detach } from '../../src/core/errors.ts'

/** What a throttle needs of the time. */
export interface ThrottleClock {
  nowMs(): number
  schedule(run: () => void, delayMs: number): void
}

/**
 * Runs something on request, but never twice at once and not before `everyMs` after the last run ended.
 * Requests made meanwhile lead to one run afterwards, so that the last request is never lost.
 */
export class Throttle {
  readonly #run: () => Promise<void>
  readonly #everyMs: number
  readonly #clock: ThrottleClock
  #freeAtMs = -Infinity
  #running = false
  #planned = false
  #wanted = false
  #isUrgent = false

  constructor(run: () => Promise<void>, everyMs: number, clock: ThrottleClock) {
    this.#run = run
    this.#everyMs = everyMs
    this.#clock = clock
  }

  request(): void {
    this.#wanted = true
    this.#plan()
  }

  /** For a user action: immediately, or right after the current run. */
  requestNow(): void {
    this.#freeAtMs = -Infinity
    this.#isUrgent = this.#running
    this.request()
  }

  #plan(): void {
    if (!this.#wanted || this.#running) return
    const waitMs = this.#freeAtMs - this.#clock.nowMs()
    if (waitMs <= 0) return detach(this.#go()) // `#run` does not reject
    if (this.#planned) return
    this.#planned = true
    this.#clock.schedule(() => {
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
