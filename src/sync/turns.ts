import { detach } from '../core/errors.ts'
import { NEVER } from '../core/never.ts'
import type { Clock } from '../platform/clock.ts'

/** What all tasks together may work in one turn of the event loop, besides the one whose turn it is. */
const TURN_MS_MAX = 5

const all = new WeakMap<Clock, Turns>()

/** Those of the event loop that the clock belongs to. */
export function turnsOf(clock: Clock): Turns {
  const known = all.get(clock)
  if (known !== undefined) return known
  const made = new Turns(clock)
  all.set(clock, made)
  return made
}

/**
 * Divides the event loop among many tasks that do the same work: those that wait go on one after the other, each in a
 * turn of its own, and other work runs in between. Without it, as many time slices as there are tasks fill one turn.
 */
export class Turns {
  readonly #clock: Clock
  readonly #waiting: (() => void)[] = []
  #workedMs = 0
  #lastWorkMs = Number.NEGATIVE_INFINITY

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * For the beginning of some work: undefined while there is time left in this turn. Then the work begins at once, and
   * what it took is reported before anything is awaited; otherwise all that begin together find the same time left.
   */
  enter(): Promise<void> | undefined {
    // When none of the tasks has worked for as long as they may, other work has run.
    if (this.#clock.monotonicMs() - this.#lastWorkMs >= TURN_MS_MAX) this.#workedMs = 0
    return this.#workedMs < TURN_MS_MAX ? undefined : this.next()
  }

  /** Resolves in a later turn, after all tasks that wait already. */
  next(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push(resolve)
    if (this.#waiting.length === 1) detach(this.#pass())
    return promise
  }

  /** A task has worked in this turn. */
  worked(ms: number): void {
    this.#workedMs += ms
    this.#lastWorkMs = this.#clock.monotonicMs()
  }

  async #pass(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#clock.sleep(0, NEVER)
      this.#workedMs = 0
      this.#waiting.shift()?.()
    }
  }
}
