import { isWithin, networkAround, parseIp, parseNetwork, type IpAddress, type IpNetwork } from './ip.ts'

const ALWAYS_LOCAL = networks(['127.0.0.0/8', '::1/128', '169.254.0.0/16', 'fe80::/10'])
const PRIVATE = networks(['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'])

/** Returns whether an address is in a local network. A host name is not, because it is not resolved here. */
export type LanCheck = (host: string) => boolean

/**
 * Local are loopback, link-local, the configured networks, and the networks of the machine's interfaces, or the private
 * ranges where the interfaces cannot be listed.
 */
export function lanCheck(
  interfaces: readonly { readonly address: string; readonly prefixLength: number }[],
  alwaysLocalNets: readonly string[],
): LanCheck {
  const own = interfaces.flatMap(({ address, prefixLength }) => {
    const ip = parseIp(address)
    return ip === undefined ? [] : [networkAround(ip, prefixLength)]
  })
  const all = [...ALWAYS_LOCAL, ...networks(alwaysLocalNets), ...(interfaces.length === 0 ? PRIVATE : own)]
  return (host) => {
    const ip = parseIp(host)
    return ip !== undefined && isInAny(ip, all)
  }
}

/**
 * Whether a device may connect from this address. The first matching entry decides; a leading `!` denies. An empty list
 * allows all addresses, any other list denies those that match no entry.
 */
export function isAllowedNetwork(host: string, allowedNetworks: readonly string[]): boolean {
  if (allowedNetworks.length === 0) return true
  const ip = parseIp(host)
  if (ip === undefined) return false
  for (const entry of allowedNetworks) {
    const denies = entry.startsWith('!')
    const network = parseNetwork(denies ? entry.slice(1) : entry)
    if (network !== undefined && isWithin(ip, network)) return !denies
  }
  return false
}

function isInAny(ip: IpAddress, list: readonly IpNetwork[]): boolean {
  return list.some((network) => isWithin(ip, network))
}

/** Invalid networks are left out: a typing mistake must not make remote addresses local. */
function networks(texts: readonly string[]): readonly IpNetwork[] {
  return texts.flatMap((text) => parseNetwork(text) ?? [])
}
