import assert from 'node:assert/strict'
import type { OptionsConfig } from '../../src/core/config/config.ts'
import type { DeviceId } from '../../src/core/ids.ts'
import type { InterfaceAddress } from '../../src/platform/platform.ts'
import { Discovery } from '../../src/discover/discovery.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimNetwork } from '../../src/platform/sim/net.ts'
import { createSimPlatform } from '../../src/platform/sim/platform.ts'
import { configOf, deviceConfig, idOf, simIdentity } from '../connections/machines.ts'
import { quietLogger } from '../support/logger.ts'

export const DISCOVERY_OFF = { localAnnounceEnabled: false, globalAnnounceEnabled: false }
export const MINUTE_MS = 60_000

export async function settle(): Promise<void> {
  for (let round = 0; round < 6; round++) await new Promise((resolve) => setImmediate(resolve))
}

/** A clock and a network for several devices. */
export class Lan implements AsyncDisposable {
  readonly clock = new SimClock()
  readonly network = new SimNetwork(this.clock)
  readonly #stop = new AbortController()
  readonly #running: Promise<void>[] = []

  start(name: string, options: Partial<OptionsConfig>, known: readonly DeviceId[] = []): Finder {
    const finder = new Finder(this, name, { ...DISCOVERY_OFF, ...options }, known)
    this.#running.push(finder.discovery.run(this.#stop.signal))
    return finder
  }

  async advance(ms: number): Promise<void> {
    await settle()
    await this.clock.advance(ms, settle)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#running)
    assert.equal(this.clock.sleepingCount, 0)
  }
}

/** One device, reduced to its discovery. */
export class Finder {
  readonly id: DeviceId
  readonly discovery: Discovery
  readonly found: string[] = []
  readonly announced: DeviceId[] = []
  readonly connected = new Set<DeviceId>()
  readonly lookedUp: DeviceId[] = []
  readonly log = quietLogger('discover')
  networkChanges = 0
  /** The addresses of the machine, if they are not the usual ones. */
  networks: readonly InterfaceAddress[] | undefined
  addresses: string[]

  constructor(lan: Lan, name: string, options: Partial<OptionsConfig>, known: readonly DeviceId[]) {
    const identity = simIdentity(name)
    this.id = idOf(identity)
    this.addresses = [`tcp://0.0.0.0:22000`]
    const platform = createSimPlatform(1, { hostName: name, clock: lan.clock, network: lan.network })
    const system = { ...platform.system, networks: () => this.networks ?? platform.system.networks() }
    const devices = known.map((id) => deviceConfig(id))
    this.discovery = new Discovery(
      {
        platform: { ...platform, system },
        logger: (facility) => (facility === 'discover' ? this.log : quietLogger(facility)),
        addresses: () => ({ lan: this.addresses, wan: this.addresses }),
        onFound: (device, addresses) => void this.found.push(`${device} ${addresses.join(' ')}`),
        isConnected: (device) => this.connected.has(device),
        onAnnounced: (device) => void this.announced.push(device),
        onLookedUp: (device) => void this.lookedUp.push(device),
        onMethodsChanged: () => {},
        onNetworkChange: () => void this.networkChanges++,
      },
      { config: configOf(this.id, devices, options), ownDevice: this.id, identity },
    )
  }

  /** What is known once the answers to the first question have arrived. */
  async lookup(device: DeviceId): Promise<readonly string[]> {
    this.discovery.lookup(device)
    await settle()
    return [...new Set(this.discovery.lookup(device).flat())].toSorted()
  }
}
