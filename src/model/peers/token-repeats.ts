import type { Clock } from '../../platform/clock.ts'
import { slept } from '../../sync/slept.ts'
import type { Link } from './peer-links.ts'

/** The first follows a received cluster config at once. */
const DELAYS_MS = [0, 5_000, 15_000, 30_000, 60_000, 60_000] as const

/**
 * Repeats the cluster config to a device that does not announce a folder which is encrypted for it. A Syncthing that
 * adds such a folder has forgotten the token it was sent before, and would request it only over a new connection.
 */
export class TokenRepeats {
  readonly #clock: Pick<Clock, 'sleep'>
  #last: AbortController | undefined

  constructor(clock: Pick<Clock, 'sleep'>) {
    this.#clock = clock
  }

  /** Begins anew. `repeat` returns false if no token is missing; rejects as `repeat` does. */
  async begin(link: Link, repeat: () => Promise<boolean>): Promise<void> {
    this.#last?.abort()
    const stop = new AbortController()
    this.#last = stop
    const signal = AbortSignal.any([stop.signal, link.connection.closed])
    for (const delayMs of DELAYS_MS) {
      if (delayMs > 0 && !(await slept(this.#clock, delayMs, signal))) return
      if (link.repeatsLeft === 0 || signal.aborted || !(await repeat())) return
      link.repeatsLeft--
    }
  }
}
