import type { DeviceAddress } from '../core/network/address.ts'
import { messageOf } from '../core/errors.ts'
import { isExempt, proxyFromEnvironment, type ProxySettings } from '../core/network/proxy.ts'
import type { Logger } from '../events/types.ts'
import type { Clock } from '../platform/clock.ts'
import { NetError } from '../platform/net-error.ts'
import type { Identity, Net, PlainStream, Proxy, TlsStream } from '../platform/net.ts'
import { withTimeout } from '../sync/timeout.ts'

const DIAL_MS_MAX = 10_000

export type TcpAddress = Extract<DeviceAddress, { readonly kind: 'tcp' }>

interface Target {
  readonly host: string
  readonly port: number
}

export interface DialerDeps {
  readonly clock: Clock
  readonly net: Net
  readonly log: Logger
  environment(name: string): string | undefined
}

/** Dials addresses, through the proxy of the environment or directly. An attempt takes ten seconds at most. */
export class Dialer {
  readonly #deps: DialerDeps
  readonly #identity: Identity
  readonly #proxy: ProxySettings | undefined

  constructor(deps: DialerDeps, options: { readonly identity: Identity }) {
    this.#deps = deps
    this.#identity = options.identity
    this.#proxy = proxyFromEnvironment(deps.environment, (warning) => deps.log.warn(warning))
    const { kind, host, port } = this.#proxy ?? {}
    if (this.#proxy !== undefined) deps.log.info(`dialling devices through the ${kind} proxy ${host}:${port}`)
  }

  /** The proxy for a host; undefined where it is dialled directly. */
  proxyFor(host: string): Proxy | undefined {
    return this.#proxy === undefined || isExempt(host, this.#proxy.exceptions) ? undefined : this.#proxy
  }

  /** Rejects with the signal's reason when it aborts. Does not authenticate the peer. */
  async dial(
    address: TcpAddress,
    signal: AbortSignal,
    settings: { readonly allowTls12?: boolean } = {},
  ): Promise<TlsStream> {
    const { host, port, family } = address
    const options = { host, port, identity: this.#identity, ...(family !== undefined && { family }), ...settings }
    return await this.#connect(address, signal, (proxy, until) =>
      this.#deps.net.dialTls({ ...options, ...proxy }, until),
    )
  }

  /** A server that is not a device, by its application protocol. Does not authenticate it. */
  async dialServer({ host, port }: Target, protocol: string, signal: AbortSignal): Promise<TlsStream> {
    const options = { host, port, identity: this.#identity, allowTls12: true, protocol, serverName: host }
    return await this.#connect(options, signal, (proxy, until) =>
      this.#deps.net.dialTls({ ...options, ...proxy }, until),
    )
  }

  async dialTcp({ host, port }: Target, signal: AbortSignal): Promise<PlainStream> {
    const options = { host, port }
    return await this.#connect(options, signal, (proxy, until) =>
      this.#deps.net.dialTcp({ ...options, ...proxy }, until),
    )
  }

  /** Through the proxy, and directly if that fails, unless the environment forbids it. */
  async #connect<T>(
    { host, port }: Target,
    signal: AbortSignal,
    dial: (proxy: { readonly proxy?: Proxy }, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    if (host === '' || port === 0) throw new NetError('EINVAL', 'not an address that can be dialled')
    const { clock, log } = this.#deps
    const proxy = this.proxyFor(host)
    const inTime = (way: { readonly proxy?: Proxy }): Promise<T> =>
      withTimeout(clock, DIAL_MS_MAX, signal, (until) => dial(way, until))
    if (proxy === undefined) return await inTime({})
    try {
      return await inTime({ proxy })
    } catch (error) {
      if (this.#proxy?.noFallback === true || signal.aborted) throw error
      log.debug(() => `proxy failed, dialling ${host} directly: ${messageOf(error)}`)
      return await inTime({})
    }
  }
}
