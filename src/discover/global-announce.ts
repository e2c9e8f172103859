import { headerSeconds } from '../core/network/discovery-reply.ts'
import { messageOf } from '../core/errors.ts'
import type { Logger } from '../events/types.ts'
import type { Clock } from '../platform/clock.ts'
import type { ClientResponse } from '../platform/http-client.ts'
import { Wakeup } from '../sync/wakeup.ts'

const FIRST_MS = 5_000
/** Addresses often change several times in a row. */
const SETTLE_MS = 2_000
const AGAIN_MS = 30 * 60_000
const RETRY_MS = 5 * 60_000
/** Consecutive early announcements after which the addresses count as unstable. */
const EARLY_MAX = 10

export interface AnnounceDeps {
  readonly clock: Clock
  readonly log: Logger
  addresses(): readonly string[]
  request(body: string, signal: AbortSignal): Promise<ClientResponse>
}

/** Announces the addresses of this device to one discovery server. */
export class GlobalAnnounce {
  readonly #deps: AnnounceDeps
  readonly #changed = new Wakeup()
  readonly #name: string
  #error: string | null = 'not announced'

  constructor(deps: AnnounceDeps, options: { readonly name: string }) {
    this.#deps = deps
    this.#name = options.name
  }

  get error(): string | null {
    return this.#error
  }

  addressesChanged(): void {
    this.#changed.ring()
  }

  async run(signal: AbortSignal): Promise<void> {
    let delayMs = FIRST_MS
    let early = 0
    while (!signal.aborted) {
      const isEarly = await this.#changed.waitAtMost(this.#deps.clock, delayMs, signal).catch(() => false)
      if (signal.aborted) return
      early = isEarly ? early + 1 : 0
      if (early > EARLY_MAX) {
        this.#fail('the listen addresses change too often')
        early = 0
        await this.#deps.clock.sleep(RETRY_MS, signal).catch(() => {}) // an abort ends the loop
      } else if (isEarly) await this.#deps.clock.sleep(SETTLE_MS, signal).catch(() => {}) // an abort ends the loop
      if (!signal.aborted) delayMs = await this.#announce(signal)
    }
  }

  /** Sends one announcement; the delay until the next. */
  async #announce(signal: AbortSignal): Promise<number> {
    const { log, request } = this.#deps
    const addresses = this.#deps.addresses()
    if (addresses.length === 0) return RETRY_MS
    try {
      const { status, headers } = await request(JSON.stringify({ addresses }), signal)
      if (status >= 200 && status < 300) {
        if (this.#error !== null) log.info(`${this.#name}: announced ${addresses.join(', ')}`)
        this.#error = null
        return seconds(headers['reannounce-after']) ?? AGAIN_MS
      }
      this.#fail(`announce: status ${status}`)
      return seconds(headers['retry-after']) ?? RETRY_MS
    } catch (error) {
      if (!signal.aborted) this.#fail(`announce: ${messageOf(error)}`)
      return RETRY_MS
    }
  }

  #fail(reason: string): void {
    if (this.#error !== reason) this.#deps.log.info(`${this.#name}: ${reason}`)
    this.#error = reason
  }
}

function seconds(header: string | undefined): number | undefined {
  const value = headerSeconds(header)
  return value === undefined ? undefined : value * 1_000
}
