import type { Config } from '../core/config/config.ts'
import { messageOf, TwinfoldError } from '../core/errors.ts'
import { deviceIdFromCertificate } from '../core/device-id.ts'
import { DialError } from '../core/network/dial-failure.ts'
import type { Facility } from '../core/facilities.ts'
import type { DeviceId } from '../core/ids.ts'
import { Dialer } from '../dialer/dialer.ts'
import { RelayDialer } from '../relay/relay-dialer.ts'
import type { Logger } from '../events/types.ts'
import type { Connection } from '../protocol/types.ts'
import { supervise, type Service } from '../sync/supervisor.ts'
import { Wakeup } from '../sync/wakeup.ts'
import type { Identity, TlsStream } from '../platform/net.ts'
import type { Platform } from '../platform/platform.ts'
import { Activities } from '../sync/activities.ts'
import { closeReason, helloChange } from './close-reason.ts'
import { DialLoops } from './dial-loops.ts'
import { Listeners } from './listeners.ts'
import { RateLimits } from './rate.ts'
import { Handshaker, type HandshakerOptions, type StreamOrigin } from './handshaker.ts'
import { LocalHosts } from './local-hosts.ts'
import { LocalNetworks } from './local-networks.ts'
import { NetworkWatch } from './network-watch.ts'
import { Registry } from './registry.ts'
import { RefusalLog } from './refusal-log.ts'
import type { ConnectionsStatus, ConnectionsView, InvitationGate, ListenerStatus, UnknownDevice } from './types.ts'
import { TaskSet } from '../sync/task-set.ts'

export interface ConnectionsDeps {
  readonly platform: Pick<Platform, 'clock' | 'random' | 'net' | 'httpClient' | 'system'>
  logger(facility: Facility): Logger
  /** A device has connected; it may have other connections already. The receiver calls `run` to start reading. */
  onConnection(connection: Connection): void
  /** An unknown device requests a connection. May be called often: the receiver must bound any list it keeps. */
  onUnknownDevice(device: UnknownDevice): void
  /** Absent in a daemon without invitations. */
  readonly invitations?: InvitationGate | undefined
  /** The addresses that are known now of a device configured as `dynamic`, by source. */
  lookup(device: DeviceId): readonly (readonly string[])[]
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
  readonly #handshaker: Handshaker
  readonly #limits: RateLimits
  readonly #registry: Registry
  readonly #loops: DialLoops
  readonly #changed = new Wakeup()
  /** Work besides the loops: handshakes and closing connections. */
  readonly #pendingWork = new TaskSet()
  #config: Config
  readonly #lan: LocalNetworks
  readonly #networkWatch: NetworkWatch
  readonly #localHosts = new LocalHosts()
  readonly #refusals: RefusalLog
  #stop = new AbortController()

  constructor(deps: ConnectionsDeps, options: ConnectionsOptions) {
    const { clock, random, net, system } = deps.platform
    const { identity, config } = options
    this.#deps = deps
    this.#log = deps.logger('connections')
    this.#options = options
    this.#config = config
    this.#refusals = new RefusalLog(this.#log)
    this.#registry = new Registry()
    this.#lan = new LocalNetworks(clock, system)
    this.#networkWatch = new NetworkWatch({ clock, system, onChange: () => this.#networkChanged() })
    this.#limits = new RateLimits(clock, config)
    this.#handshaker = new Handshaker(
      {
        ...deps,
        limits: this.#limits,
        config: () => this.#config,
        isLan: () => this.#lan.check(this.#config.options),
        present: (device, host) =>
          this.#registry.present(device, this.#config, host === undefined ? undefined : { host, nowMs: clock.nowMs() }),
        onSeenDevice: (unknown) => this.#loops.unknownSeen(unknown),
      },
      options,
    )
    const dialer = new Dialer({ ...system, clock, net, log: deps.logger('dialer') }, { identity })
    this.#loops = new DialLoops(
      {
        clock,
        random,
        dialer,
        relayDialer: new RelayDialer({ clock, dialer, identity }),
        log: this.#log,
        config: () => this.#config,
        isLan: () => this.#lan.check(this.#config.options),
        present: (device) => this.#registry.present(device, this.#config),
        lookup: (device) => deps.lookup(device),
        accept: (stream, origin, signal) => this.#receive(stream, origin, signal),
      },
      options,
    )
    this.#listeners = new Listeners(
      {
        ...deps,
        ...deps.platform,
        http: deps.platform.httpClient,
        dialer,
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
        await running.follow(this.#wanted())
        await this.#changed.wait(signal).catch(() => {}) // an abort ends the loop
      }
    } finally {
      this.#stop.abort(new TwinfoldError('stopped', 'stopping'))
      // Sending stops before the limits are lifted: Close messages are short, and no write may keep waiting on a limit.
      const closing = this.#registry.all().map((connection) => connection.close('shutting down'))
      this.#limits.lift()
      await running.follow(new Map())
      await Promise.all(closing)
      await this.#pendingWork.ended()
    }
  }

  /** Takes effect immediately for existing connections; listeners and dials follow. */
  apply(from: Config, to: Config): void {
    this.#config = to
    this.#lan.forget()
    this.#limits.apply(to)
    this.#refusals.reset()
    for (const connection of this.#registry.all()) {
      const reason = closeReason(this.#config, connection) ?? helloChange(from, to, connection.device)
      if (reason !== undefined) this.#track(connection.close(reason))
    }
    this.#loops.apply(from, to)
    this.#changed.ring()
  }

  isConnected(device: DeviceId): boolean {
    return this.#registry.of(device).length > 0
  }

  /** Our next Hello to this device has something new to say. */
  reconnect(device: DeviceId): void {
    for (const connection of this.#registry.of(device)) this.#track(connection.close('connecting again'))
  }

  /** Discovery has new addresses of a device. */
  deviceFound(device: DeviceId): void {
    this.#loops.found(device)
  }

  /** A discovery server has answered. */
  deviceLookedUp(device: DeviceId): void {
    this.#loops.ring(device)
  }

  /** Discovery has other methods than before. */
  discoveryChanged(): void {
    this.#loops.ringAll()
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
    this.#loops.resetAll()
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
      lastDials: this.#loops.history,
      devices: this.#registry.figures(),
      ...this.#registry.totals(),
    }
  }

  async #supervise(service: Service, signal: AbortSignal): Promise<void> {
    const failed = (error: unknown) => this.#log.error(`${service.name} failed, restarting: ${messageOf(error)}`)
    await supervise(service, this.#deps.platform.clock, failed, signal)
  }

  #wanted(): ReadonlyMap<string, () => Service> {
    const dials = this.#loops.wanted()
    const watch: [string, () => Service] = [this.#networkWatch.name, () => this.#networkWatch]
    return new Map([...this.#listeners.wanted(this.#config.options), ...dials, ...(dials.size > 0 ? [watch] : [])])
  }

  async #onStream(stream: TlsStream, origin: StreamOrigin): Promise<void> {
    try {
      await this.#receive(stream, origin, this.#stop.signal)
    } catch (error) {
      const device = deviceIdFromCertificate(stream.peerCertificate)
      const isConnected = this.#registry.of(device).length > 0 // one connection too many is no news
      const isNews = error instanceof DialError && !isConnected && device !== this.#options.ownDevice
      this.#refusals.log(isNews ? device : undefined, stream.remoteAddress, messageOf(error))
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
    const isStopping = this.#stop.signal.aborted
    const refusal = isStopping ? 'stopping' : closeReason(this.#config, connection)
    const added = refusal === undefined ? this.#registry.add(connection, this.#config, clock.nowMs()) : undefined
    if (added?.kind !== 'added') {
      const reason = refusal ?? added?.reason ?? ''
      await connection.close(reason)
      throw new TwinfoldError(isStopping ? 'stopped' : 'refused', reason)
    }
    for (const old of added.replaced) this.#track(old.close('replacing connection'))
    const onClosed = (): void => this.#ended(connection)
    const { device, remoteAddress, transport, crypto } = connection
    const text = `connected to ${device} at ${remoteAddress} (${transport}, ${crypto})`
    // Additional connections to the same device are no news, a better one in place of another is.
    const isAdditional = this.#registry.of(device).length > 1 && added.replaced.length === 0
    if (isAdditional) this.#log.debug(() => `additionally ${text}`)
    else this.#log.info(text)
    this.#deps.onConnection(connection)
    if (connection.closed.aborted) onClosed()
    else connection.closed.addEventListener('abort', onClosed, { once: true }) // the signal ends with the connection
  }

  #ended(connection: Connection): void {
    if (!this.#registry.remove(connection)) return
    const { device, remoteAddress, closed } = connection
    const text = `connection to ${device} at ${remoteAddress} ended: ${messageOf(closed.reason)}`
    if (this.#registry.of(device).length > 0) this.#log.debug(() => `additional ${text}`)
    else this.#log.info(text)
    this.#loops.lost(device)
  }

  /** `run` waits for this work before it returns. */
  #track(work: Promise<void>): void {
    this.#pendingWork.add(work.catch((error: unknown) => this.#log.debug(() => messageOf(error))))
  }
}
