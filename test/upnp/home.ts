import assert from 'node:assert/strict'
import type { OptionsConfig } from '../../src/core/config/config.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimNetwork } from '../../src/platform/sim/net.ts'
import { createSimPlatform } from '../../src/platform/sim/platform.ts'
import { simSystem } from '../../src/platform/sim/system.ts'
import { PortMapping } from '../../src/upnp/port-mapping.ts'
import type { MappedListener } from '../../src/upnp/types.ts'
import { configOf, idOf, simIdentity } from '../connections/machines.ts'
import { settle } from '../discover/lan.ts'
import { quietLogger } from '../support/logger.ts'
import { SimRouter, type RouterOptions } from './sim-router.ts'

export const ROUTER = '192.168.1.1'
export const LOCAL_ADDRESS = '192.168.1.10'
export const LISTENER = { listener: 'tcp://0.0.0.0:22000', scheme: 'tcp', host: '0.0.0.0', port: 22_000 }
export const DEVICE = idOf(simIdentity('device'))
export const MINUTE_MS = 60_000

/** A device with port mapping, on a simulated network with routers. */
export class Home implements AsyncDisposable {
  readonly clock = new SimClock()
  readonly network = new SimNetwork(this.clock)
  readonly log = quietLogger('upnp')
  readonly mapping: PortMapping
  readonly routers: SimRouter[] = []
  gateways = [ROUTER]
  networks = [{ address: LOCAL_ADDRESS, prefixLength: 24, interface: 'eth0', isLoopback: false }]
  listeners: readonly MappedListener[] = [LISTENER]
  changes = 0
  readonly #stop = new AbortController()
  #running: Promise<void> | undefined

  constructor(options: Partial<OptionsConfig> = {}) {
    const platform = createSimPlatform(1, { hostName: LOCAL_ADDRESS, clock: this.clock, network: this.network })
    const system = simSystem(LOCAL_ADDRESS, { networks: () => this.networks, gateways: async () => this.gateways })
    this.mapping = new PortMapping(
      {
        platform: { ...platform, system },
        log: this.log,
        listeners: () => this.listeners,
        onChanged: () => void this.changes++,
      },
      { config: this.config(options), ownDevice: DEVICE, secret: 'secret' },
    )
  }

  config(options: Partial<OptionsConfig> = {}) {
    return configOf(DEVICE, [], { natEnabled: true, ...options })
  }

  async addRouter(options: Partial<RouterOptions> & Pick<RouterOptions, 'speaks'>): Promise<SimRouter> {
    const router = await SimRouter.start(this.network, { host: ROUTER, ...options })
    this.routers.push(router)
    return router
  }

  async run(ms = 15_000): Promise<void> {
    this.#running ??= this.mapping.run(this.#stop.signal)
    await settle()
    await this.clock.advance(ms, settle)
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await settle()
    await this.clock.advance(5_000, settle)
    await this.#running
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    for (const router of this.routers) await router[Symbol.asyncDispose]()
    assert.equal(this.clock.sleepingCount, 0)
  }
}
