import type { Clock } from '../platform/clock.ts'
import type { Turns } from './turns.ts'

/** The longest time that other work has to wait. */
const SLICE_MS_MAX = 5

/** Splits long work into time slices, so that the event loop runs other work in between, and measures its own time. */
export class TimeSlice {
  readonly #clock: Clock
  readonly #signal: AbortSignal
  readonly #turns: Turns | undefined
  #begunMs: number
  #spentMs = 0

  /** With `turns` it is one of many tasks that share the event loop; `leave` and `enter` enclose work of others. */
  constructor(clock: Clock, signal: AbortSignal, turns?: Turns) {
    this.#clock = clock
    this.#signal = signal
    this.#turns = turns
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
    this.leave()
    await this.#after(this.#turns === undefined ? this.#clock.sleep(0, this.#signal) : this.#turns.next())
  }

  /** Its own time ends. */
  leave(): void {
    const ownMs = this.#clock.monotonicMs() - this.#begunMs
    this.#spentMs += ownMs
    this.#turns?.worked(ownMs)
  }

  /** It begins again, in this turn if the others have left some time. */
  enter(): Promise<void> | undefined {
    const entering = this.#turns?.enter()
    if (entering !== undefined) return this.#after(entering)
    this.#begunMs = this.#clock.monotonicMs()
    return undefined
  }

  async #after(waiting: Promise<void>): Promise<void> {
    await waiting
    this.#signal.throwIfAborted()
    this.#begunMs = this.#clock.monotonicMs()
  }
}
