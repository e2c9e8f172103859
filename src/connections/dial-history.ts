import type { Clock } from '../platform/clock.ts'
import type { DialStatus } from './types.ts'

const ADDRESSES_MAX = 500

/** The latest attempt at each address, of the addresses tried last. */
export class DialHistory {
  readonly #clock: Clock
  readonly #latest = new Map<string, DialStatus>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  all(): ReadonlyMap<string, DialStatus> {
    return new Map(this.#latest)
  }

  /** `error` is null for a connection. */
  record(address: string, error: string | null): void {
    this.#latest.delete(address) // insertion order is the order of the attempts
    this.#latest.set(address, { whenMs: this.#clock.nowMs(), error })
    const [oldest] = this.#latest.keys()
    if (oldest !== undefined && this.#latest.size > ADDRESSES_MAX) this.#latest.delete(oldest)
  }
}
