import { isWithin, networkAround, parseIp, parseNetwork, type IpAddress, type IpNetwork } from './ip.ts'

const ALWAYS_LOCAL = networks('127.0.0.0/8', '::1/128', '169.254.0.0/16', 'fe80::/10')
const PRIVATE = networks('10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7')

/** Says of an address whether it is in our own networks. A name is not: nobody knows where it leads. */
export type LanCheck = (host: string) => boolean

/**
 * Ours are loopback, link-local, what the user says, and what the interfaces of the machine belong to. Where these
 * cannot be listed, the ranges that nobody routes.
 */
export function lanCheck(
  interfaces: readonly { readonly address: string; readonly prefixLength: number }[],
  alwaysLocalNets: readonly string[],
): LanCheck {
  const own = interfaces.flatMap(({ address, prefixLength }) => {
    const ip = parseIp(address)
    return ip === undefined ? [] : [networkAround(ip, prefixLength)]
  })
  const all = [...ALWAYS_LOCAL, ...networks(...alwaysLocalNets), ...(interfaces.length === 0 ? PRIVATE : own)]
  return (host) => {
    const ip = parseIp(host)
    return ip !== undefined && isInAny(ip, all)
  }
}

/**
 * Whether a device may talk from this address. The first entry that fits decides, one with a leading `!` against it;
 * an empty list allows everybody, any other list nobody whom it does not name.
 */
export function isAllowedNetwork(host: string, allowedNetworks: readonly string[]): boolean {
  if (allowedNetworks.length === 0) return true
  const ip = parseIp(host)
  if (ip === undefined) return false
  for (const entry of allowedNetworks) {
    const refuses = entry.startsWith('!')
    const network = parseNetwork(refuses ? entry.slice(1) : entry)
    if (network !== undefined && isWithin(ip, network)) return !refuses
  }
  return false
}

function isInAny(ip: IpAddress, list: readonly IpNetwork[]): boolean {
  return list.some((network) => isWithin(ip, network))
}

/** What is no network is left out: a typing mistake must not make strangers local. */
function networks(...texts: readonly string[]): readonly IpNetwork[] {
  return texts.flatMap((text) => parseNetwork(text) ?? [])
}
