import type { Config } from '../core/config/config.ts'
import type { DeviceId } from '../core/ids.ts'
import type { Logger } from '../events/types.ts'
import type { Platform } from '../platform/platform.ts'
import type { Service } from '../sync/supervisor.ts'
import { Wakeup } from '../sync/wakeup.ts'
import { findGateways } from './find-gateways.ts'
import { Mappings } from './mappings.ts'
import type { Gateway, MappedListener, MappingStatus, PortMappingView } from './types.ts'

const MINUTE_MS = 60_000
/** When no router was found, or one refused. */
const RETRY_MS = 5 * MINUTE_MS
const RENEWAL_MS_MIN = MINUTE_MS
const TIMEOUT_S_MAX = 60
/** Bounds the end of the daemon. */
const REMOVAL_MS_MAX = 3_000
const NO_ROUTER = 'no router was found that maps ports'

export interface PortMappingDeps {
  readonly platform: Pick<Platform, 'clock' | 'udp' | 'httpClient' | 'system'>
  readonly log: Logger
  listeners(): readonly MappedListener[]
  /** The external addresses have changed. */
  onChanged(): void
}

export interface PortMappingOptions {
  readonly config: Config
  readonly ownDevice: DeviceId
  /** Known to this device only. */
  readonly secret: string
}

/** Maps the ports of the listeners at the routers of the local network while it is switched on. */
export class PortMapping implements Service, PortMappingView {
  readonly name = 'upnp'
  readonly #deps: PortMappingDeps
  readonly #secret: string
  readonly #mappings: Mappings
  readonly #changed = new Wakeup()
  #config: Config
  #listeners = ''
  #addresses = '[]'
  #error: string | null = null

  constructor(deps: PortMappingDeps, { config, ownDevice, secret }: PortMappingOptions) {
    this.#deps = deps
    this.#config = config
    this.#secret = secret
    this.#mappings = new Mappings({ clock: deps.platform.clock, log: deps.log }, ownDevice)
  }

  get error(): string | null {
    return this.#error
  }

  mappings(): readonly MappingStatus[] {
    return this.#mappings.status()
  }

  /** The external addresses of a listener. */
  addressesOf(listener: string): readonly string[] {
    return this.#mappings.addressesOf(listener)
  }

  async run(signal: AbortSignal): Promise<void> {
    try {
      while (!signal.aborted) {
        const listeners = this.#config.options.natEnabled ? this.#deps.listeners() : []
        const waitMs = listeners.length === 0 ? await this.#switchOff() : await this.#refresh(listeners, signal)
        const waiting =
          waitMs === undefined
            ? this.#changed.wait(signal)
            : this.#changed.waitAtMost(this.#deps.platform.clock, waitMs, signal)
        await waiting.catch(() => {}) // an abort ends the loop
      }
    } catch (error) {
      if (!signal.aborted) throw error
    } finally {
      await this.#removeAll()
    }
  }

  apply(to: Config): void {
    const isSame = natSettings(this.#config) === natSettings(to)
    this.#config = to
    if (!isSame) this.#changed.ring()
  }

  /** Also called for changes of the mapped addresses themselves, which need no other mapping. */
  listenersChanged(): void {
    if (this.#listeners !== JSON.stringify(this.#deps.listeners())) this.#changed.ring()
  }

  networkChanged(): void {
    this.#changed.ring()
  }

  /** The time until the next renewal. */
  async #refresh(listeners: readonly MappedListener[], signal: AbortSignal): Promise<number> {
    const { natLeaseMinutes, natRenewalMinutes, natTimeoutSeconds } = this.#config.options
    const timeoutMs = Math.min(Math.max(natTimeoutSeconds, 1), TIMEOUT_S_MAX) * 1_000
    const renewalMs = Math.max(natRenewalMinutes * MINUTE_MS, RENEWAL_MS_MIN)
    this.#listeners = JSON.stringify(listeners)
    const { platform, log } = this.#deps
    const found = await findGateways({ platform, log }, { timeoutMs, secret: this.#secret }, signal)
    const gateways = this.#withPresent(found)
    const leaseS = Math.max(0, natLeaseMinutes) * 60
    await this.#mappings.follow(listeners, gateways, { leaseS, renewalS: renewalMs / 1_000 }, signal)
    this.#setError(gateways.length === 0 ? NO_ROUTER : null)
    this.#publish()
    const { shortestLeaseS, hasFailures } = this.#mappings
    const leaseMs = shortestLeaseS === undefined ? renewalMs : Math.max((shortestLeaseS * 1_000) / 2, RENEWAL_MS_MIN)
    return Math.min(renewalMs, leaseMs, gateways.length === 0 || hasFailures ? RETRY_MS : renewalMs)
  }

  /** A gateway in use whose reply to the search was lost is still asked, if this machine is still in its network. */
  #withPresent(found: readonly Gateway[]): readonly Gateway[] {
    const own = new Set(this.#deps.platform.system.networks().map(({ address }) => address))
    const lost = this.#mappings.gateways.filter(
      ({ id, local }) =>
        own.has(local.address) && !found.some((one) => one.id === id && one.local.address === local.address),
    )
    return [...found, ...lost]
  }

  /** Also while there is no listener: nothing has to be mapped, and no router is asked. */
  async #switchOff(): Promise<undefined> {
    this.#listeners = '[]'
    await this.#removeAll()
    this.#setError(null)
    this.#publish()
  }

  /** Does not use the signal of the service, which has aborted at the end of the daemon. */
  async #removeAll(): Promise<void> {
    const [late, done] = [new AbortController(), new AbortController()]
    const limit = this.#deps.platform.clock.sleep(REMOVAL_MS_MAX, done.signal).then(
      () => late.abort(new Error('no reply in time')),
      () => {}, // all were removed
    )
    await this.#mappings.removeAll(late.signal)
    done.abort()
    await limit
  }

  #setError(error: string | null): void {
    if (error !== null && error !== this.#error) this.#deps.log.info(error)
    this.#error = error
  }

  #publish(): void {
    const addresses = JSON.stringify(
      this.#mappings.status().map(({ externalHost, externalPort }) => [externalHost, externalPort]),
    )
    if (addresses === this.#addresses) return
    this.#addresses = addresses
    this.#deps.onChanged()
  }
}

function natSettings({ options }: Config): string {
  const { natEnabled, natLeaseMinutes, natRenewalMinutes, natTimeoutSeconds } = options
  return [natEnabled, natLeaseMinutes, natRenewalMinutes, natTimeoutSeconds].join(' ')
}
