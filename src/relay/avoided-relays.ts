import type { RelayAddress } from '../core/network/address.ts'
import type { Clock } from '../platform/clock.ts'

const AVOIDED_MS = 30 * 60_000
/** More relays than can be left in that time. */
const AVOIDED_MAX = 1_000

/** Relays that have misused their connection. They are not joined again for half an hour. */
export class AvoidedRelays {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  /** When each may be joined again, the earliest first. */
  readonly #untilMs = new Map<string, number>()

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock
  }

  avoid(relay: RelayAddress): void {
    const key = placeOf(relay)
    this.#untilMs.delete(key)
    this.#untilMs.set(key, this.#clock.monotonicMs() + AVOIDED_MS)
    if (this.#untilMs.size > AVOIDED_MAX) this.#untilMs.delete(this.#untilMs.keys().next().value!)
  }

  /** The time until it may be joined; 0 if it may be joined now. */
  remainingMs(relay: RelayAddress): number {
    return Math.max(0, (this.#untilMs.get(placeOf(relay)) ?? 0) - this.#clock.monotonicMs())
  }
}

/** The same for every ID and token that a pool may name with it. */
function placeOf({ host, port }: RelayAddress): string {
  return `${host.toLowerCase()} ${port}`
}
