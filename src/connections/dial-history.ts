import type { DialFailure } from '../core/network/dial-failure.ts'
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

  /** `failure` is null for a connection; `retryMs` is the time until the address is dialled again. */
  record(address: string, failure: DialFailure | null, retryMs?: number): void {
    const nowMs = this.#clock.nowMs()
    this.#latest.delete(address) // insertion order is the order of the attempts
    this.#latest.set(address, {
      whenMs: nowMs,
      error: failure?.text ?? null,
      ...(failure !== null && { reason: failure.reason }),
      ...(retryMs !== undefined && { nextMs: nowMs + retryMs }),
    })
    const [oldest] = this.#latest.keys()
    if (oldest !== undefined && this.#latest.size > ADDRESSES_MAX) this.#latest.delete(oldest)
  }
}
