import {
  formatTcp,
  parseAddress,
  type DeviceAddress,
  type RelayAddress,
  type RelayPoolAddress,
} from '../core/network/address.ts'
import type { Transport } from '../core/network/admission.ts'
import { addressLabel } from '../core/redact-address.ts'
import type { OptionsConfig } from '../core/config/config.ts'
import { messageOf } from '../core/errors.ts'
import { isLinkLocal, isLoopback, parseIp } from '../core/network/ip.ts'
import type { Logger } from '../events/types.ts'
import type { Service } from '../sync/supervisor.ts'
import type { Clock } from '../platform/clock.ts'
import type { Identity, Net, TlsStream } from '../platform/net.ts'
import type { System } from '../platform/platform.ts'
import type { Dialer, TcpAddress } from '../dialer/dialer.ts'
import type { HttpClient } from '../platform/http-client.ts'
import type { Random } from '../platform/random.ts'
import { AvoidedRelays } from '../relay/avoided-relays.ts'
import { RelayListener } from '../relay/relay-listener.ts'
import type { ListenerStatus, OpenListener } from './types.ts'

const DEFAULT_LISTEN = 'tcp://0.0.0.0:22000'
/** The pool of public relays that the Syncthing project lists. */
const DEFAULT_RELAYS = 'dynamic+https://relays.syncthing.net/endpoint'
const RETRY_MS_MIN = 1_000
const RETRY_MS_MAX = 60_000

export interface ListenerDeps {
  readonly clock: Clock
  readonly random: Random
  readonly net: Net
  readonly http: HttpClient
  readonly dialer: Dialer
  readonly log: Logger
  readonly relayLog: Logger
  readonly system: Pick<System, 'networks'>
  /** The external addresses of a listener at routers that map its port. */
  mapped(listener: string): readonly string[]
  onStream(stream: TlsStream, transport: Transport): void
  /** The addresses on which this device can be reached have changed. */
  onListenAddresses(listener: string, status: ListenerStatus): void
}

/** The listeners and their status. */
export class Listeners {
  readonly #deps: ListenerDeps
  readonly #identity: Identity
  readonly #status = new Map<string, ListenerStatus>()
  /** Open listeners by the text of their address, with the port in use. */
  readonly #open = new Map<string, { readonly address: TcpAddress; readonly port: number }>()
  readonly #relays = new Map<string, RelayListener>()
  /** Beyond changes of the configuration. */
  readonly #avoidedRelays: AvoidedRelays
  /** Configured addresses that are not listened on. */
  #unused: ReadonlySet<string> = new Set()
  #allowTls12 = false
  /** Unusable addresses are logged once, not with every configuration change. */
  readonly #reported = new Set<string>()

  constructor(deps: ListenerDeps, options: { readonly identity: Identity }) {
    this.#deps = deps
    this.#identity = options.identity
    this.#avoidedRelays = new AvoidedRelays(deps.clock)
  }

  get status(): ReadonlyMap<string, ListenerStatus> {
    return this.#status
  }

  /** The open listeners, for port mapping. */
  get open(): readonly OpenListener[] {
    return [...this.#open].map(([listener, { address, port }]) => {
      const { text, host, family } = address
      return { listener, scheme: schemeOf(text), host, port, ...(family !== undefined && { family }) }
    })
  }

  /** One service per configured address; its name changes with its settings. */
  wanted(options: OptionsConfig): ReadonlyMap<string, () => Service> {
    const wanted = new Map<string, () => Service>()
    const unused = new Map<string, string>()
    this.#allowTls12 = options.insecureAllowOldTLSVersions
    for (const text of expand(options)) {
      const address = parseAddress(text)
      const reason = whyNot(address, options)
      if (reason !== undefined) unused.set(addressLabel(text), reason)
      else if (address.kind === 'tcp') {
        const allowTls12 = this.#allowTls12
        const name = `listen ${address.text}${allowTls12 ? ' with TLS 1.2' : ''}`
        wanted.set(name, () => ({ name, run: (signal) => this.#listen(address, allowTls12, signal) }))
      } else if (address.kind === 'relay' || address.kind === 'relay-pool') {
        wanted.set(`relay ${text}`, () => this.#relayListener(address))
      }
    }
    for (const text of this.#unused) if (!unused.has(text)) this.#status.delete(text)
    for (const [text, reason] of unused) {
      this.#status.set(text, failed(reason))
      this.#logOnce(text, `not listening on ${text}: ${reason}`)
    }
    this.#unused = new Set(unused.keys())
    if (unused.size > 0 && wanted.size === 0) {
      this.#logOnce('none', 'no listen address can be used, so other devices cannot connect to this one')
    }
    return wanted
  }

  #relayListener(address: RelayAddress | RelayPoolAddress): Service {
    const { relayLog: log, onStream } = this.#deps
    const listener = new RelayListener(
      {
        ...this.#deps,
        log,
        identity: this.#identity,
        avoided: this.#avoidedRelays,
        allowTls12: () => this.#allowTls12,
        onStream: (stream) => onStream(stream, 'relay'),
        onStatus: ({ error, joined }) => {
          const addresses = joined === undefined ? [] : [joined]
          this.#change(address.text, { error, lanAddresses: addresses, wanAddresses: addresses })
        },
      },
      address,
    )
    const run = async (signal: AbortSignal): Promise<void> => {
      this.#relays.set(address.text, listener)
      try {
        await listener.run(signal)
      } finally {
        this.#relays.delete(address.text)
        this.#status.delete(address.text)
      }
    }
    return { name: listener.name, run }
  }

  async #listen(address: TcpAddress, allowTls12: boolean, signal: AbortSignal): Promise<void> {
    try {
      for (let delayMs = RETRY_MS_MIN; !signal.aborted; delayMs = Math.min(delayMs * 2, RETRY_MS_MAX)) {
        try {
          return await this.#listenOnce(address, allowTls12, signal)
        } catch (error) {
          this.#status.set(address.text, failed(messageOf(error)))
          this.#deps.log.warn(
            `cannot listen on ${address.text}: ${messageOf(error)} (retrying in ${delayMs / 1_000} s)`,
          )
          await this.#deps.clock.sleep(delayMs, signal).catch(() => {}) // an abort ends the loop
        }
      }
    } finally {
      this.#status.delete(address.text)
    }
  }

  async #listenOnce(address: TcpAddress, allowTls12: boolean, signal: AbortSignal): Promise<void> {
    const { net, log } = this.#deps
    const { host, port, family } = address
    const options = { host, port, identity: this.#identity, allowTls12, ...(family !== undefined && { family }) }
    await using listener = await net.listenTls(options, (stream) => this.#deps.onStream(stream, 'tcp'))
    this.#open.set(address.text, { address, port: listener.port })
    this.#update(address, listener.port)
    log.info(`listening on ${formatTcp(schemeOf(address.text), host, listener.port)}`)
    if (signal.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    signal.addEventListener('abort', () => resolve(), { once: true }) // the signal is this listener's own
    await promise
    this.#open.delete(address.text)
    log.info(`stopped listening on ${address.text}`)
  }

  /** The addresses of the machine or of mapped ports have changed. */
  addressesChanged(): void {
    for (const { address, port } of this.#open.values()) this.#update(address, port)
  }

  networkChanged(): void {
    this.addressesChanged()
    for (const relay of this.#relays.values()) relay.networkChanged(this.#deps.system.networks())
  }

  #update(address: TcpAddress, port: number): void {
    this.#change(address.text, this.#reachable(address, port))
  }

  #change(listener: string, status: ListenerStatus): void {
    const addressesOf = (one: ListenerStatus | undefined): string =>
      JSON.stringify([one?.lanAddresses ?? [], one?.wanAddresses ?? []])
    const isSame = addressesOf(this.#status.get(listener)) === addressesOf(status)
    this.#status.set(listener, status)
    if (!isSame) this.#deps.onListenAddresses(listener, status)
  }

  /** Expands a wildcard to the addresses of the machine that peers can use: not loopback, not link-local. */
  #reachable({ text, host, family }: TcpAddress, port: number): ListenerStatus {
    const scheme = schemeOf(text)
    const self = formatTcp(scheme, host, port)
    const isWildcard = host === '' || host === '0.0.0.0' || host === '::'
    const own = isWildcard ? this.#deps.system.networks().map(({ address }) => address) : []
    const useful = own.filter((address) => {
      const ip = parseIp(address)
      if (ip === undefined || (family !== undefined && ip.family !== family)) return false
      return !isLoopback(ip) && !isLinkLocal(ip)
    })
    return {
      error: null,
      lanAddresses: [self, ...useful.map((address) => formatTcp(scheme, address, port))],
      wanAddresses: [self, ...this.#deps.mapped(text)],
    }
  }

  #logOnce(address: string, message: string): void {
    if (this.#reported.has(address) || this.#reported.size > 100) return
    this.#reported.add(address)
    this.#deps.log.info(message)
  }
}

/** `default` also includes QUIC in Syncthing, which is not implemented here. */
function expand({ listenAddresses, relaysEnabled }: OptionsConfig): ReadonlySet<string> {
  const defaults = relaysEnabled ? [DEFAULT_LISTEN, DEFAULT_RELAYS] : [DEFAULT_LISTEN]
  return new Set(listenAddresses.flatMap((text) => (text === 'default' ? defaults : text === '' ? [] : [text])))
}

/** Why an address is not listened on; undefined for one that is. */
function whyNot(address: DeviceAddress, { relaysEnabled }: OptionsConfig): string | undefined {
  switch (address.kind) {
    case 'bad':
      return `bad address: ${address.reason}`
    case 'dynamic':
      return 'bad address: it is no address to listen on'
    case 'unsupported':
      return 'QUIC is not supported by Twinfold yet'
    case 'relay':
    case 'relay-pool':
      return relaysEnabled ? undefined : 'relays are switched off'
    case 'tcp':
      return undefined
  }
}

function schemeOf(text: string): string {
  return text.split(':')[0] ?? 'tcp'
}

function failed(error: string): ListenerStatus {
  return { error, lanAddresses: [], wanAddresses: [] }
}
