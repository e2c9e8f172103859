import type { Config, OptionsConfig } from '../core/config/config.ts'
import { messageOf } from '../core/errors.ts'
import type { Facility } from '../core/facilities.ts'
import type { DeviceId } from '../core/ids.ts'
import { expandServers, parseDiscoveryServer } from '../core/network/discovery-server.ts'
import { addressLabel } from '../core/redact-address.ts'
import { proxyFromEnvironment } from '../core/network/proxy.ts'
import type { Logger } from '../events/types.ts'
import type { Identity } from '../platform/net.ts'
import type { Platform } from '../platform/platform.ts'
import { Activities } from '../sync/activities.ts'
import { supervise, type Service } from '../sync/supervisor.ts'
import { Wakeup } from '../sync/wakeup.ts'
import { GlobalDiscovery } from './global.ts'
import { LocalDiscovery } from './local.ts'
import type { DiscoveryMethod, DiscoveryView, OwnAddresses } from './types.ts'

const GLOBAL_SERVERS_MAX = 32

export interface DiscoveryDeps {
  readonly platform: Pick<Platform, 'clock' | 'random' | 'udp' | 'httpClient' | 'system'>
  logger(facility: Facility): Logger
  addresses(): OwnAddresses
  /** A device has appeared in the local network. */
  onFound(device: DeviceId, addresses: readonly string[]): void
  /** A configured device has appeared there, announces other addresses, or is there and not connected. */
  onAnnounced(device: DeviceId): void
  isConnected(device: DeviceId): boolean
  /** A discovery server was asked for a device: lookups may find more than before. */
  onLookedUp(device: DeviceId): void
  /** The same for all devices. */
  onMethodsChanged(): void
  /** The addresses of the machine have changed. */
  onNetworkChange(): void
}

export interface DiscoveryOptions {
  readonly config: Config
  readonly ownDevice: DeviceId
  readonly identity: Identity
}

/** All ways to find devices that the configuration enables. A method that fails does not affect the others. */
export class Discovery implements Service, DiscoveryView {
  readonly name = 'discover'
  readonly #deps: DiscoveryDeps
  readonly #options: DiscoveryOptions
  readonly #log: Logger
  readonly #methods = new Map<string, DiscoveryMethod>()
  /** Servers of the configuration that cannot be used, with the reason. */
  #refused: ReadonlyMap<string, string> = new Map()
  readonly #changed = new Wakeup()
  /** Drawn when local discovery is first enabled. */
  #instanceId: bigint | undefined
  #config: Config

  constructor(deps: DiscoveryDeps, options: DiscoveryOptions) {
    this.#deps = deps
    this.#options = options
    this.#config = options.config
    this.#log = deps.logger('discover')
  }

  async run(signal: AbortSignal): Promise<void> {
    const running = new Activities((service, stop) => this.#supervise(service, stop))
    try {
      while (!signal.aborted) {
        const wanted = this.#wanted()
        for (const key of this.#methods.keys()) if (!wanted.has(key)) this.#methods.delete(key)
        await running.follow(wanted)
        this.#deps.onMethodsChanged()
        await this.#changed.wait(signal).catch(() => {}) // an abort ends the loop
      }
    } finally {
      this.#methods.clear()
      await running.follow(new Map())
    }
  }

  apply(to: Config): void {
    this.#config = to
    this.#changed.ring()
  }

  addressesChanged(): void {
    for (const method of this.#methods.values()) method.addressesChanged()
  }

  /** What each method knows now; no method waits for another. Later answers are reported by `onLookedUp`. */
  lookup(device: DeviceId): readonly (readonly string[])[] {
    return [...this.#methods.values()].map((each) => each.lookup(device))
  }

  status(): ReadonlyMap<string, string | null> {
    const working = [...this.#methods.values()].map(({ name, error }) => [name, error] as const)
    return new Map([...working, ...this.#refused])
  }

  found(): ReadonlyMap<DeviceId, readonly string[]> {
    const all = new Map<DeviceId, readonly string[]>()
    for (const method of this.#methods.values()) {
      for (const [device, addresses] of method.found()) {
        all.set(device, [...new Set([...(all.get(device) ?? []), ...addresses])])
      }
    }
    return all
  }

  async #supervise(service: Service, signal: AbortSignal): Promise<void> {
    const failed = (error: unknown) => this.#log.error(`${service.name} failed, restarting: ${messageOf(error)}`)
    await supervise(service, this.#deps.platform.clock, failed, signal)
  }

  /** The methods of the present configuration, by a key that changes with their settings. */
  #wanted(): ReadonlyMap<string, () => Service> {
    const { options } = this.#config
    const wanted = new Map<string, () => Service>()
    const add = (key: string, make: () => DiscoveryMethod): void => {
      wanted.set(key, () => {
        const method = make()
        this.#methods.set(key, method)
        return method
      })
    }
    if (options.localAnnounceEnabled) this.#addLocal(options, add)
    this.#refused = options.globalAnnounceEnabled ? this.#addGlobal(options, add) : new Map()
    return wanted
  }

  #addLocal(options: OptionsConfig, add: (key: string, make: () => DiscoveryMethod) => void): void {
    const { localAnnouncePort: port, localAnnounceMCAddr: multicast } = options
    add(`IPv4 ${port}`, () => this.#local({ name: 'IPv4 local', port }))
    const match = /^\[([0-9a-f:]+)\]:(\d{1,5})$/i.exec(multicast)
    if (match === null) return
    const group = { name: 'IPv6 local', group: match[1] ?? '', port: Number(match[2]) }
    add(`IPv6 ${multicast}`, () => this.#local(group))
  }

  #local(options: { readonly name: string; readonly port: number; readonly group?: string }): LocalDiscovery {
    const { platform, logger, addresses, onFound, onAnnounced, onNetworkChange, isConnected } = this.#deps
    const { clock, udp, system } = platform
    this.#instanceId ??= Buffer.from(platform.random.bytes(8)).readBigUInt64BE() >> 1n
    return new LocalDiscovery(
      {
        clock,
        udp,
        log: this.#log,
        beaconLog: logger('beacon'),
        networks: () => system.networks(),
        addresses,
        isKnown: (device) => this.#config.devices.some(({ deviceID }) => deviceID === device),
        isConnected,
        onFound,
        onAnnounced,
        onNetworkChange,
      },
      { ...options, ownDevice: this.#options.ownDevice, instanceId: this.#instanceId },
    )
  }

  /** The entries that cannot be used, with the reason. */
  #addGlobal(
    options: OptionsConfig,
    add: (key: string, make: () => DiscoveryMethod) => void,
  ): ReadonlyMap<string, string> {
    const refused = new Map<string, string>()
    for (const text of expandServers(options.globalAnnounceServers).slice(0, GLOBAL_SERVERS_MAX)) {
      try {
        const server = parseDiscoveryServer(text)
        add(text, () => new GlobalDiscovery(this.#globalDeps(), server))
      } catch (error) {
        refused.set(`global@${addressLabel(text)}`, messageOf(error))
      }
    }
    for (const [name, reason] of refused) {
      if (this.#refused.get(name) !== reason) this.#log.warn(`${name} cannot be used: ${reason}`)
    }
    return refused
  }

  #globalDeps(): ConstructorParameters<typeof GlobalDiscovery>[0] {
    const { platform, addresses, onLookedUp } = this.#deps
    const { clock, httpClient, system } = platform
    return {
      clock,
      log: this.#log,
      http: httpClient,
      onLookedUp,
      identity: this.#options.identity,
      proxy: proxyFromEnvironment(
        (name) => system.environment(name),
        (warning) => this.#log.warn(warning),
      ),
      addresses: () => {
        const { lan, wan } = addresses()
        return this.#config.options.announceLANAddresses ? [...lan, ...wan] : wan
      },
    }
  }
}
