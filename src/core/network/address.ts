import { parseDeviceId } from '../device-id.ts'
import type { DeviceId } from '../ids.ts'
import { withoutRelayToken } from './announced-address.ts'
import { isLinkLocal, parseIp } from './ip.ts'

const DEVICE_PORT = 22_000
const RELAY_PORT = 22_067
const ADDRESS_LENGTH_MAX = 512
/** The address of a relay may contain remarks of its owner. */
const RELAY_LENGTH_MAX = 2_048

/** An address to dial or to listen on. */
export type DeviceAddress =
  | {
      readonly kind: 'tcp'
      readonly text: string
      readonly host: string
      readonly port: number
      readonly family?: 4 | 6
    }
  | RelayAddress
  | RelayPoolAddress
  /** Resolved by discovery. */
  | { readonly kind: 'dynamic' }
  /** Known schemes that are not implemented. */
  | { readonly kind: 'unsupported'; readonly scheme: string }
  | { readonly kind: 'bad'; readonly reason: string }

export interface RelayAddress {
  readonly kind: 'relay'
  /** For display and announcements: without the token. */
  readonly text: string
  readonly host: string
  readonly port: number
  /** The certificate that the relay has to present; without it any one is accepted. */
  readonly id?: DeviceId
  /** Secret, admits clients to a private relay; empty for none. */
  readonly token: string
}

/** A server that lists relays. */
export interface RelayPoolAddress {
  readonly kind: 'relay-pool'
  /** For display: without the query, which may hold a key. */
  readonly text: string
  /** Where the list is: `http:` or `https:`. */
  readonly url: string
}

const FAMILIES: Readonly<Record<string, { readonly family?: 4 | 6 }>> = {
  tcp: {},
  tcp4: { family: 4 },
  tcp6: { family: 6 },
}
const KNOWN_ELSEWHERE = new Set(['quic', 'quic4', 'quic6'])

/**
 * Parses an address of the configuration or from the network: `dynamic`, `tcp://host:port` with port 22000 as the
 * default, a relay or a pool of relays. A zone (`%eth0`) is accepted on link-local IPv6 addresses only, because it has
 * no meaning elsewhere.
 */
export function parseAddress(text: string): DeviceAddress {
  if (text === 'dynamic') return { kind: 'dynamic' }
  if (text.length > (/^relay:/i.test(text) ? RELAY_LENGTH_MAX : ADDRESS_LENGTH_MAX)) return bad('it is too long')
  const match = /^([a-z0-9+]+):\/\/([^/?#]*)(\/?)(.*)$/i.exec(text)
  if (match === null) return bad('it has no scheme, such as tcp://')
  const [, schemeText = '', authority = '', , rest = ''] = match
  const scheme = schemeText.toLowerCase()
  if (KNOWN_ELSEWHERE.has(scheme)) return { kind: 'unsupported', scheme }
  if (scheme === 'relay') return parseRelay(text, authority)
  if (scheme === 'dynamic+http' || scheme === 'dynamic+https') return parsePool(text)
  const family = Object.hasOwn(FAMILIES, scheme) ? FAMILIES[scheme] : undefined
  if (family === undefined) return bad('its scheme is unknown')
  if (rest !== '') return bad('it has a path')
  const place = parseHostAndPort(authority, DEVICE_PORT)
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

/** Parameters other than the identity and the token are remarks. */
function parseRelay(text: string, authority: string): DeviceAddress {
  const place = parseHostAndPort(authority, RELAY_PORT)
  if ('reason' in place) return bad(place.reason)
  if (place.host === '' || place.port === 0) return bad('it has no host or no port')
  const parameters = new URLSearchParams(/\?([^#]*)/.exec(text)?.[1] ?? '')
  const token = parameters.get('token') ?? ''
  const id = parameters.get('id')
  const clean = withoutRelayToken(text)
  if (id === null || id === '') return { kind: 'relay', text: clean, ...place, token }
  try {
    return { kind: 'relay', text: clean, ...place, id: parseDeviceId(id), token }
  } catch {
    return bad('the ID of the relay is wrong')
  }
}

function parsePool(text: string): DeviceAddress {
  const url = text.slice('dynamic+'.length)
  if (!URL.canParse(url)) return bad('it is not a URL')
  const { username, password, href, origin, pathname } = new URL(url)
  if (username !== '' || password !== '') return bad('it has a user in it')
  return { kind: 'relay-pool', text: `dynamic+${origin}${pathname}`, url: href }
}

/** Host names, IPv4, IPv6 in brackets. Rejects characters that are special to a shell, a log or a proxy. */
function parseHostAndPort(authority: string, defaultPort: number): { host: string; port: number } | { reason: string } {
  if (authority.includes('@')) return { reason: 'it has a user in it' }
  const match = /^(?:\[([0-9a-f:.]+)(?:%(?:25)?([a-z0-9_.-]{1,64}))?\]|([a-z0-9_.-]*))(?::(\d{0,5}))?$/i.exec(authority)
  if (match === null) return { reason: 'its host or port cannot be read' }
  const [, ipv6, zone, name = '', portText = ''] = match
  const port = portText === '' ? defaultPort : Number(portText)
  if (port > 65_535) return { reason: 'its port is too large' }
  if (ipv6 === undefined) return { host: name, port }
  const ip = parseIp(ipv6)
  if (ip === undefined || (ip.family !== 6 && !ipv6.includes(':'))) return { reason: 'its host is no IPv6 address' }
  if (zone === undefined) return { host: ipv6, port }
  if (ip.family !== 6 || !isLinkLocal(ip)) return { reason: 'a zone goes with a link-local address only' }
  return { host: `${ipv6}%${zone}`, port }
}

function bad(reason: string): DeviceAddress {
  return { kind: 'bad', reason }
}
