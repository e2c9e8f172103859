import type { Config } from '../core/config/config.ts'
import { messageOf, TwinfoldError } from '../core/errors.ts'
import type { Facility } from '../core/facilities.ts'
import type { DeviceId } from '../core/ids.ts'
import { Dialer } from '../dialer/dialer.ts'
import { RelayDialer } from '../relay/relay-dialer.ts'
import type { Logger } from '../events/types.ts'
import type { Connection } from '../protocol/types.ts'
import { Semaphore } from '../sync/semaphore.ts'
import { supervise, type Service } from '../sync/supervisor.ts'
import { Wakeup } from '../sync/wakeup.ts'
import type { Identity, TlsStream } from '../platform/net.ts'
import type { Platform } from '../platform/platform.ts'
import { Activities } from '../sync/activities.ts'
import { closeReason, helloChange } from './close-reason.ts'
import { DialHistory } from './dial-history.ts'
import { addressSettings, DialLoop } from './dial-loop.ts'
import { Listeners } from './listeners.ts'
import { RateLimits } from './rate.ts'
import { Handshaker, type HandshakerOptions, type StreamOrigin } from './handshaker.ts'
import { LocalHosts } from './local-hosts.ts'
import { LocalNetworks } from './local-networks.ts'
import { NetworkWatch } from './network-watch.ts'
import { Registry } from './registry.ts'
import type { ConnectionsStatus, ConnectionsView, ListenerStatus, UnknownDevice } from './types.ts'

const DIALS_MAX = 64

export interface ConnectionsDeps {
  readonly platform: Pick<Platform, 'clock' | 'random' | 'net' | 'httpClient' | 'system'>
  logger(facility: Facility): Logger
  /** A device has connected; it may have other connections already. The receiver calls `run` to start reading. */
  onConnection(connection: Connection): void
  /** An unknown device requests a connection. May be called often: the receiver must bound any list it keeps. */
  onUnknownDevice(device: UnknownDevice): void
  /** Addresses of a device configured as `dynamic`. */
  lookup(device: DeviceId, signal: AbortSignal): Promise<readonly string[]>
  /** The external addresses of a listener at routers that map its port. */
  mapped(listener: string): readonly string[]
  /** The addresses of the machine have changed. */
  onNetworkChange(): void
  /** The addresses on which a listener can be reached have changed. */
  onListenAddresses(listener: string, status: ListenerStatus): void
}

export interface ConnectionsOptions extends HandshakerOptions {
  readonly config: Config
  readonly identity: Identity
}

/**
 * Connects devices: listens, dials, authenticates the peer and decides which connections to keep.
 *
 * A stream comes from `Listeners` or a `DialLoop`. `Handshaker` checks it (`core/network/admission.ts`), applies the
 * `RateLimits` of the device and exchanges Hellos. The resulting `Connection` is added to the `Registry`, which may
 * replace another.
 */
export class Connections implements Service, ConnectionsView {
  readonly name = 'connections'
  readonly #deps: ConnectionsDeps
  readonly #log: Logger
  readonly #options: ConnectionsOptions
  readonly #listeners: Listeners
  readonly #dialer: Dialer
  readonly #relayDialer: RelayDialer
  readonly #handshaker: Handshaker
  readonly #limits: RateLimits
  readonly #registry: Registry
  readonly #dialSlots = new Semaphore(DIALS_MAX)
  readonly #loops = new Map<DeviceId, DialLoop>()
  readonly #dials: DialHistory
  readonly #changed = new Wakeup()
  /** Work besides the loops: handshakes and closing connections. */
  readonly #pendingWork = new Set<Promise<void>>()
  #config: Config
  readonly #lan: LocalNetworks
  readonly #networkWatch: NetworkWatch
  readonly #localHosts = new LocalHosts()
  #stop = new AbortController()

  constructor(deps: ConnectionsDeps, options: ConnectionsOptions) {
    const { clock, net, system } = deps.platform
    const { identity, config } = options
    this.#deps = deps
    this.#log = deps.logger('connections')
    this.#options = options
    this.#config = config
    this.#registry = new Registry()
    this.#dials = new DialHistory(clock)
    this.#lan = new LocalNetworks(clock, system)
    this.#networkWatch = new NetworkWatch({ clock, system, onChange: () => this.#networkChanged() })
    this.#limits = new RateLimits(clock, config)
    this.#handshaker = new Handshaker(
      {
        ...deps,
        limits: this.#limits,
        config: () => this.#config,
        isLan: () => this.#lan.check(this.#config.options),
        present: (device) => this.#registry.present(device, this.#config),
      },
      options,
    )
    this.#dialer = new Dialer({ ...system, clock, net, log: deps.logger('dialer') }, { identity })
    this.#relayDialer = new RelayDialer({ clock, dialer: this.#dialer, identity })
    this.#listeners = new Listeners(
      {
        ...deps,
        ...deps.platform,
        http: deps.platform.httpClient,
        dialer: this.#dialer,
        log: this.#log,
        relayLog: deps.logger('relay'),
        onStream: (stream, transport) => this.#track(this.#onStream(stream, { transport })),
      },
      { identity },
    )
  }

  /** Returns when all connections are closed. */
  async run(signal: AbortSignal): Promise<void> {
    this.#stop = new AbortController()
    this.#limits.apply(this.#config)
    const running = new Activities((service, stop) => this.#supervise(service, stop))
    try {
      while (!signal.aborted) {
        await running.follow(new Map([...this.#listeners.wanted(this.#config.options), ...this.#wantedLoops()]))
        await this.#changed.wait(signal).catch(() => {}) // an abort ends the loop
      }
    } finally {
      this.#stop.abort(new TwinfoldError('stopped', 'stopping'))
      // Sending stops before the limits are lifted: Close messages are short, and no write may keep waiting on a limit.
      const closing = this.#registry.all().map((connection) => connection.close('shutting down'))
      this.#limits.lift()
      await running.follow(new Map())
      await Promise.all(closing)
      await Promise.all(this.#pendingWork)
    }
  }

  /** Takes effect immediately for existing connections; listeners and dials follow. */
  apply(from: Config, to: Config): void {
    this.#config = to
    this.#lan.forget()
    this.#limits.apply(to)
    for (const connection of this.#registry.all()) {
      const reason = closeReason(this.#config, connection) ?? helloChange(from, to, connection.device)
      if (reason !== undefined) this.#track(connection.close(reason))
    }
    for (const [device, loop] of this.#loops) {
      if (addressSettings(from, device) === addressSettings(to, device)) loop.ring()
      else loop.resetBackoff()
    }
    this.#changed.ring()
  }

  /** Discovery has new addresses of a device. */
  deviceFound(device: DeviceId): void {
    this.#loops.get(device)?.found()
  }

  /** Discovery has other methods than before. */
  discoveryChanged(): void {
    for (const loop of this.#loops.values()) loop.ring()
  }

  /** The addresses of the machine may have changed. */
  checkNetwork(): void {
    this.#networkWatch.check()
  }

  /** Connections from an address that is gone would last until they time out; other devices may be reachable now. */
  #networkChanged(): void {
    this.#lan.forget()
    const dead = this.#localHosts.dead(this.#registry.all(), this.#deps.platform.system.networks())
    for (const connection of dead) this.#track(connection.close('the network has changed'))
    this.#listeners.networkChanged()
    for (const loop of this.#loops.values()) loop.resetBackoff()
    this.#deps.onNetworkChange()
  }

  get listeners(): Pick<Listeners, 'open' | 'addressesChanged'> {
    return this.#listeners
  }

  /** The addresses on which this device can be reached. */
  addresses(): { readonly lan: readonly string[]; readonly wan: readonly string[] } {
    const all = [...this.#listeners.status.values()]
    return {
      lan: all.flatMap(({ lanAddresses }) => lanAddresses),
      wan: all.flatMap(({ wanAddresses }) => wanAddresses),
    }
  }

  status(): ConnectionsStatus {
    return {
      listeners: new Map(this.#listeners.status),
      lastDials: this.#dials.all(),
      devices: this.#registry.figures(),
      ...this.#registry.totals(),
    }
  }

  async #supervise(service: Service, signal: AbortSignal): Promise<void> {
    const failed = (error: unknown) => this.#log.error(`${service.name} failed, restarting: ${messageOf(error)}`)
    await supervise(service, this.#deps.platform.clock, failed, signal)
  }

  #wantedLoops(): ReadonlyMap<string, () => Service> {
    const wanted = new Map<string, () => Service>()
    const ids = new Set<DeviceId>()
    for (const { deviceID, paused } of this.#config.devices) {
      if (paused || deviceID === this.#options.ownDevice) continue
      ids.add(deviceID)
      wanted.set(`dial ${deviceID}`, () => this.#makeLoop(deviceID))
    }
    for (const id of this.#loops.keys()) if (!ids.has(id)) this.#loops.delete(id)
    if (ids.size > 0) wanted.set(this.#networkWatch.name, () => this.#networkWatch)
    return wanted
  }

  #makeLoop(device: DeviceId): DialLoop {
    const { clock, random } = this.#deps.platform
    const loop = new DialLoop(
      {
        clock,
        random,
        log: this.#log,
        dialer: this.#dialer,
        relayDialer: this.#relayDialer,
        slots: this.#dialSlots,
        device: () => this.#config.devices.find((one) => one.deviceID === device && !one.paused),
        options: () => this.#config.options,
        present: () => this.#registry.present(device, this.#config),
        isLan: () => this.#lan.check(this.#config.options),
        lookup: (id, signal) => this.#deps.lookup(id, signal),
        accept: (stream, { transport }, signal) => this.#receive(stream, { transport, expected: device }, signal),
        onDialed: (address, failure, retryMs) => this.#dials.record(address, failure, retryMs),
      },
      { device },
    )
    this.#loops.set(device, loop)
    return loop
  }

  async #onStream(stream: TlsStream, origin: StreamOrigin): Promise<void> {
    try {
      await this.#receive(stream, origin, this.#stop.signal)
    } catch (error) {
      this.#log.debug(() => `${stream.remoteAddress} was refused: ${messageOf(error)}`)
    }
  }

  /** Turns a stream into a connection. On refusal closes the stream and rejects with the reason. */
  async #receive(stream: TlsStream, origin: StreamOrigin, until: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([this.#stop.signal, until])
    try {
      signal.throwIfAborted()
      const connection = await this.#handshaker.receive(stream, origin, signal)
      if (connection === undefined) return await stream[Symbol.asyncDispose]()
      this.#localHosts.record(connection, stream)
      await this.#admit(connection)
    } catch (error) {
      await stream[Symbol.asyncDispose]()
      throw error
    }
  }

  /** The configuration may have changed during the handshake, so every rule is checked again. */
  async #admit(connection: Connection): Promise<void> {
    const { clock } = this.#deps.platform
    const refusal = this.#stop.signal.aborted ? 'stopping' : closeReason(this.#config, connection)
    const added = refusal === undefined ? this.#registry.add(connection, this.#config, clock.nowMs()) : undefined
    if (added?.kind !== 'added') {
      const reason = refusal ?? added?.reason ?? ''
      await connection.close(reason)
      throw new TwinfoldError('bad-request', reason)
    }
    for (const old of added.replaced) this.#track(old.close('replacing connection'))
    const onClosed = (): void => this.#ended(connection)
    const { device, remoteAddress, transport, crypto } = connection
    this.#log.info(`connected to ${device} at ${remoteAddress} (${transport}, ${crypto})`)
    this.#deps.onConnection(connection)
    if (connection.closed.aborted) onClosed()
    else connection.closed.addEventListener('abort', onClosed, { once: true }) // the signal ends with the connection
  }

  #ended(connection: Connection): void {
    if (!this.#registry.remove(connection)) return
    const reason = messageOf(connection.closed.reason)
    this.#log.info(`connection to ${connection.device} at ${connection.remoteAddress} ended: ${reason}`)
    this.#loops.get(connection.device)?.lost()
  }

  /** `run` waits for this work before it returns. */
  #track(work: Promise<void>): void {
    const kept = work.catch((error: unknown) => this.#log.debug(() => messageOf(error)))
    this.#pendingWork.add(kept)
    void kept.finally(() => this.#pendingWork.delete(kept))
  }
}
