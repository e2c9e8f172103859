import { isWithin, networkAround, parseIp, parseNetwork, type IpAddress, type IpNetwork } from './ip.ts'

const ALWAYS_LOCAL_TEXTS = ['127.0.0.0/8', '::1/128', '169.254.0.0/16', 'fe80::/10']
const PRIVATE_TEXTS = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']
const ALWAYS_LOCAL = networks(ALWAYS_LOCAL_TEXTS)
const PRIVATE = networks(PRIVATE_TEXTS)

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

/** The same, without addresses that are neither private nor in one of these networks. */
export function onlyLocalNetworks(
  allowedNetworks: readonly string[],
  alwaysLocalNets: readonly string[],
): readonly string[] {
  const local = [...ALWAYS_LOCAL_TEXTS, ...PRIVATE_TEXTS, ...alwaysLocalNets]
  const entries = allowedNetworks.length === 0 ? ['0.0.0.0/0', '::/0'] : allowedNetworks
  const both = entries.flatMap((entry) => (entry.startsWith('!') ? [entry] : local.flatMap((one) => inner(entry, one))))
  // Without an entry all addresses would be allowed.
  return [...both, '!0.0.0.0/0', '!::/0']
}

/** The one of two networks that lies in the other; none if they have no address in common. */
function inner(one: string, other: string): readonly string[] {
  const [a, b] = [parseNetwork(one), parseNetwork(other)]
  if (a === undefined || b === undefined || a.family !== b.family) return []
  const [small, large, text] = a.freeBits <= b.freeBits ? [a, b, one] : [b, a, other]
  return small.prefix >> (large.freeBits - small.freeBits) === large.prefix ? [text] : []
}

function isInAny(ip: IpAddress, list: readonly IpNetwork[]): boolean {
  return list.some((network) => isWithin(ip, network))
}

/** Invalid networks are left out: a typing mistake must not make remote addresses local. */
function networks(texts: readonly string[]): readonly IpNetwork[] {
  return texts.flatMap((text) => parseNetwork(text) ?? [])
}
