import type { DeviceAddress } from '../core/network/address.ts'
import { messageOf } from '../core/errors.ts'
import { isExempt, proxyFromEnvironment, type ProxySettings } from '../core/network/proxy.ts'
import type { Logger } from '../events/types.ts'
import type { Clock } from '../platform/clock.ts'
import { NetError } from '../platform/net-error.ts'
import type { DialOptions, Identity, Net, TlsStream } from '../platform/net.ts'

const DIAL_MS_MAX = 10_000

export type TcpAddress = Extract<DeviceAddress, { readonly kind: 'tcp' }>

export interface DialerDeps {
  readonly clock: Clock
  readonly net: Net
  readonly log: Logger
  environment(name: string): string | undefined
}

/** Dials an address, through the proxy configured in the environment or directly. */
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

  /** Times out after ten seconds; rejects with the signal's reason when it aborts. Does not authenticate the peer. */
  async dial(
    address: TcpAddress,
    signal: AbortSignal,
    settings: { readonly allowTls12?: boolean } = {},
  ): Promise<TlsStream> {
    if (address.host === '' || address.port === 0) throw new NetError('EINVAL', 'not an address that can be dialled')
    const proxy = this.#proxy === undefined || isExempt(address.host, this.#proxy.exceptions) ? undefined : this.#proxy
    const direct: DialOptions = {
      host: address.host,
      port: address.port,
      identity: this.#identity,
      ...(address.family !== undefined && { family: address.family }),
      ...settings,
    }
    if (proxy === undefined) return await this.#dialWithTimeout(direct, signal)
    try {
      return await this.#dialWithTimeout({ ...direct, proxy }, signal)
    } catch (error) {
      if (proxy.noFallback || signal.aborted) throw error
      this.#deps.log.debug(() => `proxy failed, dialling ${address.text} directly: ${messageOf(error)}`)
      return await this.#dialWithTimeout(direct, signal)
    }
  }

  async #dialWithTimeout(options: DialOptions, signal: AbortSignal): Promise<TlsStream> {
    const { clock, net } = this.#deps
    const timeout = new AbortController()
    const done = new AbortController()
    clock.sleep(DIAL_MS_MAX, done.signal).then(
      () => timeout.abort(new NetError('ETIMEDOUT', 'timed out')),
      () => {}, // the dial ended first
    )
    try {
      return await net.dialTls(options, AbortSignal.any([signal, timeout.signal]))
    } finally {
      done.abort()
    }
  }
}
