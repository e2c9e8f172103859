import { parseIp } from './ip.ts'

const DEFAULT_PORT = 22_000
const ADDRESS_LENGTH_MAX = 512

/** An address to dial or to listen on. */
export type DeviceAddress =
  | {
      readonly kind: 'tcp'
      readonly text: string
      readonly host: string
      readonly port: number
      readonly family?: 4 | 6
    }
  /** Resolved by discovery. */
  | { readonly kind: 'dynamic' }
  /** Known schemes that are not implemented. */
  | { readonly kind: 'unsupported'; readonly scheme: string }
  | { readonly kind: 'bad'; readonly reason: string }

const FAMILIES: Readonly<Record<string, { readonly family?: 4 | 6 }>> = {
  tcp: {},
  tcp4: { family: 4 },
  tcp6: { family: 6 },
}
const KNOWN_ELSEWHERE = new Set(['quic', 'quic4', 'quic6', 'relay', 'dynamic+http', 'dynamic+https'])

/**
 * Parses an address of the configuration or from the network: `dynamic`, or `tcp://host:port` with port 22000 as the
 * default. A zone (`%eth0`) is accepted on link-local IPv6 addresses only, because it has no meaning elsewhere.
 */
export function parseAddress(text: string): DeviceAddress {
  if (text === 'dynamic') return { kind: 'dynamic' }
  if (text.length > ADDRESS_LENGTH_MAX) return bad('it is too long')
  const match = /^([a-z0-9+]+):\/\/([^/?#]*)(\/?)(.*)$/i.exec(text)
  if (match === null) return bad('it has no scheme, such as tcp://')
  const [, schemeText = '', authority = '', , rest = ''] = match
  const scheme = schemeText.toLowerCase()
  if (KNOWN_ELSEWHERE.has(scheme)) return { kind: 'unsupported', scheme }
  const family = Object.hasOwn(FAMILIES, scheme) ? FAMILIES[scheme] : undefined
  if (family === undefined) return bad('its scheme is unknown')
  if (rest !== '') return bad('it has a path')
  const place = parseHostAndPort(authority)
  if ('reason' in place) return bad(place.reason)
  const ip = parseIp(place.host)
  if (ip !== undefined && family.family !== undefined && ip.family !== family.family)
    return bad(`it is no ${scheme} address`)
  return { kind: 'tcp', text: formatTcp(scheme, place.host, place.port), ...place, ...family }
}

/** The canonical text of an address. */
export function formatTcp(scheme: string, host: string, port: number): string {
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Host names, IPv4, IPv6 in brackets. Rejects characters that are special to a shell, a log or a proxy. */
function parseHostAndPort(authority: string): { host: string; port: number } | { reason: string } {
  if (authority.includes('@')) return { reason: 'it has a user in it' }
  const match = /^(?:\[([0-9a-f:.]+)(?:%(?:25)?([a-z0-9_.-]{1,64}))?\]|([a-z0-9_.-]*))(?::(\d{0,5}))?$/i.exec(authority)
  if (match === null) return { reason: 'its host or port cannot be read' }
  const [, ipv6, zone, name = '', portText = ''] = match
  const port = portText === '' ? DEFAULT_PORT : Number(portText)
  if (port > 65_535) return { reason: 'its port is too large' }
  if (ipv6 === undefined) return { host: name, port }
  const ip = parseIp(ipv6)
  if (ip === undefined || (ip.family !== 6 && !ipv6.includes(':'))) return { reason: 'its host is no IPv6 address' }
  if (zone === undefined) return { host: ipv6, port }
  if (ip.family !== 6 || ip.value >> 118n !== 0x3fan) return { reason: 'a zone goes with a link-local address only' }
  return { host: `${ipv6}%${zone}`, port }
}

function bad(reason: string): DeviceAddress {
  return { kind: 'bad', reason }
}
