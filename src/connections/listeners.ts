import { formatTcp, parseAddress } from '../core/network/address.ts'
import type { OptionsConfig } from '../core/config/config.ts'
import { messageOf } from '../core/errors.ts'
import { parseIp } from '../core/network/ip.ts'
import type { Logger } from '../events/types.ts'
import type { Service } from '../sync/supervisor.ts'
import type { Clock } from '../platform/clock.ts'
import type { Identity, Net, TlsStream } from '../platform/net.ts'
import type { System } from '../platform/platform.ts'
import type { TcpAddress } from '../dialer/dialer.ts'
import type { ListenerStatus, OpenListener } from './types.ts'

const DEFAULT_LISTEN = 'tcp://0.0.0.0:22000'
const RETRY_MS_MIN = 1_000
const RETRY_MS_MAX = 60_000

export interface ListenerDeps {
  readonly clock: Clock
  readonly net: Net
  readonly log: Logger
  readonly system: Pick<System, 'networks'>
  /** The external addresses of a listener at routers that map its port. */
  mapped(listener: string): readonly string[]
  onStream(stream: TlsStream): void
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
  /** Unusable addresses are logged once, not with every configuration change. */
  readonly #reported = new Set<string>()

  constructor(deps: ListenerDeps, options: { readonly identity: Identity }) {
    this.#deps = deps
    this.#identity = options.identity
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
    const bad = new Set<string>()
    for (const text of expand(options.listenAddresses)) {
      const address = parseAddress(text)
      if (address.kind === 'tcp') {
        const allowTls12 = options.insecureAllowOldTLSVersions
        const name = `listen ${address.text}${allowTls12 ? ' with TLS 1.2' : ''}`
        wanted.set(name, () => ({ name, run: (signal) => this.#listen(address, allowTls12, signal) }))
        continue
      }
      const reason = address.kind === 'bad' ? address.reason : 'not supported by Twinfold'
      if (address.kind === 'bad') bad.add(text)
      if (address.kind === 'bad') this.#status.set(text, failed(reason))
      this.#logOnce(
        text,
        address.kind === 'bad' ? `cannot listen on ${text}: ${reason}` : `not listening on ${text}: ${reason}`,
      )
    }
    for (const text of this.#status.keys())
      if (parseAddress(text).kind === 'bad' && !bad.has(text)) this.#status.delete(text)
    return wanted
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
    await using listener = await net.listenTls(options, (stream) => this.#deps.onStream(stream))
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

  #update(address: TcpAddress, port: number): void {
    const status = this.#reachable(address, port)
    const isSame = JSON.stringify(this.#status.get(address.text)) === JSON.stringify(status)
    this.#status.set(address.text, status)
    if (!isSame) this.#deps.onListenAddresses(address.text, status)
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
      return ip.family === 4
        ? ip.value >> 24n !== 127n && ip.value >> 16n !== 0xa9fen
        : ip.value !== 1n && ip.value >> 118n !== 0x3fan
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

/** `default` also includes a relay and QUIC in Syncthing; neither is implemented here. */
function expand(addresses: readonly string[]): ReadonlySet<string> {
  return new Set(addresses.flatMap((text) => (text === 'default' ? [DEFAULT_LISTEN] : text === '' ? [] : [text])))
}

function schemeOf(text: string): string {
  return text.split(':')[0] ?? 'tcp'
}

function failed(error: string): ListenerStatus {
  return { error, lanAddresses: [], wanAddresses: [] }
}
