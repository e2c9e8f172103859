import { networkAround, parseIp } from '../../core/network/ip.ts'
import { isTrustedProxy, type TrustedProxies } from '../../core/network/trusted-proxies.ts'
import type { HttpRequest } from '../../platform/http.ts'
import { headerOf } from './credentials.ts'

/** The addresses of one network of a provider's customer: counting single ones would not limit anybody. */
const IPV6_SOURCE_BITS = 64
/** More than any chain of proxies. */
const FORWARDED_MAX = 20

/** Where a request comes from. */
export interface ClientAddress {
  readonly remoteAddress: string
  /** The proxy that forwarded it. */
  readonly proxy?: string
  /** It has an `X-Forwarded-For` that was not believed. */
  readonly isProxyUnknown?: true
}

/**
 * The address of the client. `X-Forwarded-For` is believed from configured proxies only, and of its entries the last
 * that is not such a proxy: a client can send any entries before that.
 */
export function clientOf(request: HttpRequest, proxies: TrustedProxies): ClientAddress {
  const peer = request.unixSocket ? '' : request.remoteAddress
  const header = headerOf(request, 'x-forwarded-for')
  if (header === undefined) return { remoteAddress: peer }
  if (!isTrustedProxy(peer, proxies)) return { remoteAddress: peer, isProxyUnknown: true }
  let client = peer
  for (const entry of header.split(',').slice(-FORWARDED_MAX).reverse()) {
    const address = entry.trim()
    if (parseIp(address) === undefined) break
    client = address
    if (!isTrustedProxy(address, proxies)) break
  }
  return client === peer ? { remoteAddress: peer } : { remoteAddress: client, proxy: peer }
}

/** The unit by which attempts are counted: an IPv4 address, or an IPv6 network. */
export function sourceOf(address: string): string {
  const parsed = parseIp(address)
  if (parsed === undefined) return address
  const bits = parsed.family === 6 ? IPV6_SOURCE_BITS : 32
  return `${parsed.family} ${networkAround(parsed, bits).prefix.toString(16)}`
}
