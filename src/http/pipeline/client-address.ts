import { isWithin, networkAround, parseIp, parseNetwork, type IpNetwork } from '../../core/network/ip.ts'
import type { HttpRequest } from '../../platform/http.ts'
import { headerOf } from './credentials.ts'
import { isLoopbackHost } from './address.ts'

/** The addresses of one network of a provider's customer: counting single ones would not limit anybody. */
const IPV6_SOURCE_BITS = 64
/** More than any chain of proxies. */
const FORWARDED_MAX = 20

/** Where a request comes from. */
export interface ClientAddress {
  readonly remoteAddress: string
  /** The proxy that forwarded it. */
  readonly proxy?: string
}

/** Addresses and networks, separated by commas; invalid ones are ignored. */
export function parseProxies(text: string): readonly IpNetwork[] {
  return text.split(',').flatMap((part) => {
    const address = parseIp(part.trim())
    return (address === undefined ? parseNetwork(part) : networkAround(address, 128)) ?? []
  })
}

/**
 * The address of the client. `X-Forwarded-For` is trusted only from proxies of this machine and configured ones, and
 * of its entries the last that is not such a proxy: a client can send any entries before that.
 */
export function clientOf(request: HttpRequest, proxies: readonly IpNetwork[]): ClientAddress {
  const peer = request.remoteAddress
  if (!request.unixSocket && !isProxy(peer, proxies)) return { remoteAddress: peer }
  const entries = headerOf(request, 'x-forwarded-for')?.split(',').slice(-FORWARDED_MAX) ?? []
  let client = peer
  for (const entry of entries.reverse()) {
    const address = entry.trim()
    if (parseIp(address) === undefined) break
    client = address
    if (!isProxy(address, proxies)) break
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

function isProxy(address: string, proxies: readonly IpNetwork[]): boolean {
  if (isLoopbackHost(address)) return true
  if (proxies.length === 0) return false
  const parsed = parseIp(address)
  return parsed !== undefined && proxies.some((network) => isWithin(parsed, network))
}
