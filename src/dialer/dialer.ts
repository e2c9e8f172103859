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

/** From an address to a stream: through the proxy that the environment names, or straight. */
export class Dialer {
  readonly #deps: DialerDeps
  readonly #identity: Identity
  readonly #proxy: ProxySettings | undefined

  constructor(deps: DialerDeps, options: { readonly identity: Identity }) {
    this.#deps = deps
    this.#identity = options.identity
    this.#proxy = proxyFromEnvironment(deps.environment, (words) => deps.log.warn(words))
    const { kind, host, port } = this.#proxy ?? {}
    if (this.#proxy !== undefined) deps.log.info(`other devices are reached through the ${kind} proxy ${host}:${port}`)
  }

  /** Rejects after ten seconds at the latest, with the signal's reason when it aborts. Who answers is not checked. */
  async dial(
    address: TcpAddress,
    signal: AbortSignal,
    settings: { readonly allowTls12?: boolean } = {},
  ): Promise<TlsStream> {
    if (address.host === '' || address.port === 0) throw new NetError('EINVAL', 'an address to listen on, not to dial')
    const proxy = this.#proxy === undefined || isExempt(address.host, this.#proxy.exceptions) ? undefined : this.#proxy
    const straight: DialOptions = {
      host: address.host,
      port: address.port,
      identity: this.#identity,
      ...(address.family !== undefined && { family: address.family }),
      ...settings,
    }
    if (proxy === undefined) return await this.#inTime(straight, signal)
    try {
      return await this.#inTime({ ...straight, proxy }, signal)
    } catch (error) {
      if (proxy.noFallback || signal.aborted) throw error
      this.#deps.log.debug(() => `dialling ${address.text} without the proxy, which failed: ${messageOf(error)}`)
      return await this.#inTime(straight, signal)
    }
  }

  async #inTime(options: DialOptions, signal: AbortSignal): Promise<TlsStream> {
    const { clock, net } = this.#deps
    const late = new AbortController()
    const done = new AbortController()
    clock.sleep(DIAL_MS_MAX, done.signal).then(
      () => late.abort(new NetError('ETIMEDOUT', 'no answer')),
      () => {}, // answered in time
    )
    try {
      return await net.dialTls(options, AbortSignal.any([signal, late.signal]))
    } finally {
      done.abort()
    }
  }
}
