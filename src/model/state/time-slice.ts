import type { Clock } from '../../platform/clock.ts'

/** As long as anybody else in the program may have to wait. */
const TURN_MS_MAX = 5

/** For work of unknown length: lets the rest of the program go on in between, and knows how long it has taken itself. */
export class Turns {
  readonly #clock: Clock
  readonly #signal: AbortSignal
  #begunMs: number
  #spentMs = 0

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock
    this.#signal = signal
    this.#begunMs = clock.monotonicMs()
  }

  /** The work alone, without the turns of others. */
  get workedMs(): number {
    return this.#spentMs + this.#clock.monotonicMs() - this.#begunMs
  }

  /** To be asked often: waiting for nothing has its price, too. */
  get isDue(): boolean {
    return this.#clock.monotonicMs() - this.#begunMs >= TURN_MS_MAX
  }

  /** Rejects when nobody wants the result any more. */
  async give(): Promise<void> {
    this.#spentMs += this.#clock.monotonicMs() - this.#begunMs
    await this.#clock.sleep(0, this.#signal)
    this.#begunMs = this.#clock.monotonicMs()
  }
}
