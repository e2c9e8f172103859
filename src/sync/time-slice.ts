import type { Clock } from '../platform/clock.ts'

/** The longest time that other work has to wait. */
const SLICE_MS_MAX = 5

/** Splits long work into time slices, so that the event loop runs other work in between, and measures its own time. */
export class TimeSlice {
  readonly #clock: Clock
  readonly #signal: AbortSignal
  #begunMs: number
  #spentMs = 0

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock
    this.#signal = signal
    this.#begunMs = clock.monotonicMs()
  }

  /** Own working time, without the time of other work. */
  get workedMs(): number {
    return this.#spentMs + this.#clock.monotonicMs() - this.#begunMs
  }

  /** To be checked often: a needless `yield` has a cost too. */
  get isDue(): boolean {
    return this.#clock.monotonicMs() - this.#begunMs >= SLICE_MS_MAX
  }

  /** Lets other work run. Rejects when the signal aborts. */
  async yield(): Promise<void> {
    this.#spentMs += this.#clock.monotonicMs() - this.#begunMs
    await this.#clock.sleep(0, this.#signal)
    this.#begunMs = this.#clock.monotonicMs()
  }
}
