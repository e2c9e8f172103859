import { isWithin, parseNetwork, type IpAddress, type IpNetwork } from './ip.ts'

/** Of this machine, of private and shared networks, and of groups. */
export const LOCAL_IPV4: readonly string[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '224.0.0.0/3',
]
/** Not of one host that everybody can reach (IANA special-purpose registries): private, local, shared, reserved. */
const SPECIAL_IPV4: readonly string[] = [
  ...LOCAL_IPV4,
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
]
/** All global addresses of today; the others are local, of groups, or not assigned. */
const GLOBAL_IPV6: readonly string[] = ['2000::/3']
/** Of them: tunnels that lead to an address inside of the address, benchmarks, documentation. */
const SPECIAL_IPV6: readonly string[] = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']
/** The IPv4 addresses of a network with NAT64. */
const NAT64: readonly string[] = ['64:ff9b::/96']
/** Parsed when they are first used, which is not at a start: that takes a millisecond. */
const parsed = new Map<readonly string[], readonly IpNetwork[]>()

/** Whether an address is one that everybody can reach: not of this machine, a private or a reserved network. */
export function isPublicAddress(address: IpAddress): boolean {
  if (address.family === 4) return !isAmong(address, SPECIAL_IPV4)
  if (isAmong(address, NAT64)) return isPublicAddress({ family: 4, value: address.value & 0xffff_ffffn })
  return isAmong(address, GLOBAL_IPV6) && !isAmong(address, SPECIAL_IPV6)
}

function isAmong(address: IpAddress, texts: readonly string[]): boolean {
  const networks = parsed.get(texts) ?? texts.map(parseNetwork).filter((network) => network !== undefined)
  parsed.set(texts, networks)
  return networks.some((network) => isWithin(address, network))
}
