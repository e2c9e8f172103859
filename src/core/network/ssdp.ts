import { isWithin, networkAround, parseIp } from './ip.ts'

export const SSDP_PORT = 1_900
export const SSDP_GROUP_V4 = '239.255.255.250'
/** The link-local group: gateways are neighbours. */
export const SSDP_GROUP_V6 = 'ff02::c'

/** Gateways with the second version answer to the first, too; those with the first only do not answer to the second. */
export const GATEWAY_TYPES = [
  'urn:schemas-upnp-org:device:InternetGatewayDevice:2',
  'urn:schemas-upnp-org:device:InternetGatewayDevice:1',
] as const

const PACKET_BYTES_MAX = 4_096
const LOCATION_LENGTH_MAX = 1_024
const ID_LENGTH_MAX = 200

export interface SsdpReply {
  /** Where the description of the gateway is. */
  readonly location: string
  /** The same for all replies of one gateway. */
  readonly id: string
}

/** UPnP: a search in the local network; gateways answer within `waitS` seconds. */
export function ssdpSearch(type: string, group: string, waitS: number): Uint8Array {
  const host = group.includes(':') ? `[${group}]` : group
  const lines = [
    'M-SEARCH * HTTP/1.1',
    `HOST: ${host}:${SSDP_PORT}`,
    'MAN: "ssdp:discover"',
    `MX: ${waitS}`,
    `ST: ${type}`,
  ]
  return new TextEncoder().encode(`${lines.join('\r\n')}\r\n\r\n`)
}

/** Undefined for anything that is no reply of an Internet gateway. Anybody in the local network can send one. */
export function parseSsdpReply(packet: Uint8Array): SsdpReply | undefined {
  if (packet.length > PACKET_BYTES_MAX) return undefined
  const [first = '', ...lines] = Buffer.from(packet).toString('latin1').split(/\r?\n/)
  if (!/^HTTP\/1\.[01] 200\b/.test(first)) return undefined
  const fields = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    if (colon > 0) fields.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim())
  }
  const [type = '', location = '', usn = ''] = ['st', 'location', 'usn'].map((name) => fields.get(name))
  if (!(GATEWAY_TYPES as readonly string[]).includes(type)) return undefined
  if (location === '' || location.length > LOCATION_LENGTH_MAX || !/^[\x21-\x7e]+$/.test(location)) return undefined
  const id = usn.split('::')[0] ?? ''
  return { location, id: /^[\x21-\x7e]+$/.test(id) ? id.slice(0, ID_LENGTH_MAX) : location }
}

/**
 * Whether a gateway may name this address for requests to it. A forged reply must not make this device send requests to
 * other hosts: over IPv4 the address is the sender's. Over IPv6 a gateway has several, so it is a neighbour of this
 * device and not this device itself.
 */
export function isGatewayUrl(
  url: string,
  sender: string,
  local: { readonly address: string; readonly prefixLength: number },
): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, hostname, username, password } = new URL(url)
  if (protocol !== 'http:' || username !== '' || password !== '') return false
  const ip = parseIp(hostname.replace(/^\[|\]$/g, ''))
  const [from, own] = [parseIp(sender), parseIp(local.address)]
  if (ip === undefined || from === undefined || own === undefined || ip.value === own.value) return false
  if (ip.family === 4) return from.family === 4 && ip.value === from.value
  return ip.value === from.value || isWithin(ip, networkAround(own, Math.min(local.prefixLength, 64)))
}
