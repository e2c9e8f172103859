import { messageOf } from '../core/errors.ts'
import { isAddressGone } from '../core/network/local-address.ts'
import { MESSAGES_PER_S_MAX } from '../core/network/message-rate.ts'
import type { RelayAddress, RelayPoolAddress } from '../core/network/address.ts'
import { relayError } from '../platform/net-error.ts'
import type { InterfaceAddress } from '../platform/platform.ts'
import type { Service } from '../sync/supervisor.ts'
import { Wakeup } from '../sync/wakeup.ts'
import { findRelays, type PoolDeps } from './pool.ts'
import { RelayClient, type RelayClientDeps } from './relay-client.ts'
import type { RelayListenerStatus } from './types.ts'

const RETRY_MS_MIN = 1_000
/** A pool is asked less often: it is shared by many devices. */
const POOL_RETRY_MS_MIN = 30_000
const RETRY_MS_MAX = 60_000

export interface RelayListenerDeps extends Omit<RelayClientDeps, 'onJoined' | 'onFlood'>, PoolDeps {
  onStatus(status: RelayListenerStatus): void
}

/** Keeps this device reachable through a relay: the one of its address, or the nearest of a pool. */
export class RelayListener implements Service {
  readonly name: string
  readonly #deps: RelayListenerDeps
  readonly #address: RelayAddress | RelayPoolAddress
  readonly #client: RelayClient
  readonly #retry = new Wakeup()
  #attempt = new AbortController()
  #joined: RelayAddress | undefined

  constructor(deps: RelayListenerDeps, address: RelayAddress | RelayPoolAddress) {
    this.name = `listen ${address.text}`
    this.#deps = deps
    this.#address = address
    this.#client = new RelayClient({
      ...deps,
      onJoined: (relay) => this.#onJoined(relay),
      onFlood: (relay) => this.#onFlood(relay),
    })
  }

  /**
   * Joins again at once, unless the joined relay is still reachable from the same address: leaving it would end all
   * connections through it.
   */
  networkChanged(networks: readonly InterfaceAddress[]): void {
    const isKept = this.#joined !== undefined && !isAddressGone(this.#client.localHost, networks)
    if (isKept) return
    this.#attempt.abort(new Error('the network has changed'))
    this.#retry.ring()
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps
    const minimumMs = this.#address.kind === 'relay' ? RETRY_MS_MIN : POOL_RETRY_MS_MIN
    let delayMs = minimumMs
    this.#deps.onStatus({ error: 'not joined yet', joined: undefined })
    while (!signal.aborted) {
      const error = await this.#serve(signal)
      if (signal.aborted) return
      if (this.#joined !== undefined) delayMs = minimumMs
      this.#joined = undefined
      this.#deps.onStatus({ error: messageOf(error), joined: undefined })
      const waitMs = Math.max(delayMs, this.#avoidedMs())
      log.info(`${this.#address.text}: ${messageOf(error)} (retrying in ${Math.ceil(waitMs / 1_000)} s)`)
      await this.#retry.waitAtMost(clock, waitMs, signal).catch(() => {}) // an abort ends the loop
      delayMs = Math.min(delayMs * 2, RETRY_MS_MAX)
    }
  }

  /** Until a joined relay is lost, or none can be joined: the reason. */
  async #serve(signal: AbortSignal): Promise<unknown> {
    this.#attempt = new AbortController()
    const either = AbortSignal.any([signal, this.#attempt.signal])
    let reason: unknown
    try {
      if (this.#avoidedMs() > 0) throw relayError('EBUSY', 'the relay was left for now: it sent too many messages')
      const relays =
        this.#address.kind === 'relay' ? [this.#address] : await findRelays(this.#deps, this.#address, either)
      for (const relay of relays) {
        reason = await this.#client.serve(relay, either).catch((error: unknown) => error)
        if (either.aborted || this.#joined === relay) return reason
        this.#deps.log.debug(() => `${relay.text}: ${messageOf(reason)}`)
      }
      return reason
    } catch (error) {
      return error
    }
  }

  /** How long the relay of the address is not joined; a pool has others. */
  #avoidedMs(): number {
    return this.#address.kind === 'relay' ? this.#deps.avoided.remainingMs(this.#address) : 0
  }

  #onFlood(relay: RelayAddress): void {
    const { avoided, log } = this.#deps
    avoided.avoid(relay)
    const minutes = Math.round(avoided.remainingMs(relay) / 60_000)
    log.warn(
      `left the relay ${relay.text}, which sends more than ${MESSAGES_PER_S_MAX} messages a second; ` +
        `it is not joined again for ${minutes} minutes`,
    )
  }

  #onJoined(relay: RelayAddress): void {
    this.#joined = relay
    this.#deps.onStatus({ error: null, joined: relay.text })
    const warning = relay.id === undefined ? ', whose identity is not checked' : ''
    this.#deps.log.info(`joined the relay ${relay.text}${warning}`)
  }
}
