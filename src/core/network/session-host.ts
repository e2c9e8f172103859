import { isWithin, parseIp, parseNetwork, type IpAddress, type IpNetwork } from './ip.ts'
import { LOCAL_IPV4 } from './public-address.ts'

const NOT_GLOBAL: readonly IpNetwork[] = LOCAL_IPV4.flatMap((text) => parseNetwork(text) ?? [])
const GLOBAL_IPV6 = parseNetwork('2000::/3')

/**
 * The host of a session: the invited address where anybody can reach it, otherwise the relay's own. A relay must not
 * be able to direct connections into the networks of its clients.
 */
export function sessionHost(invited: Uint8Array, relayHost: string): string {
  const text = formatIp(invited)
  const ip = parseIp(text)
  return ip !== undefined && isGlobal(ip) ? text : relayHost
}

function isGlobal(ip: IpAddress): boolean {
  if (ip.family === 6) return GLOBAL_IPV6 !== undefined && isWithin(ip, GLOBAL_IPV6)
  return !NOT_GLOBAL.some((network) => isWithin(ip, network))
}

/** Empty for bytes that are not an address. IPv4-mapped addresses become IPv4. */
function formatIp(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.')
  if (bytes.length !== 16) return ''
  const isMapped = bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff
  if (isMapped) return bytes.subarray(12).join('.')
  return (Buffer.from(bytes).toString('hex').match(/.{4}/g) ?? []).join(':')
}
