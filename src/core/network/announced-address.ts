import { isLoopback, parseIp, type IpAddress } from './ip.ts'

const ADDRESS_LENGTH_MAX = 2_048
/** Schemes of addresses that devices announce, and the address family that each demands of its host. */
const SCHEMES: Readonly<Record<string, { readonly family?: 4 | 6 }>> = {
  tcp: {},
  tcp4: { family: 4 },
  tcp6: { family: 6 },
  quic: {},
  quic4: { family: 4 },
  quic6: { family: 6 },
  relay: {},
}

interface AnnouncedAddress {
  readonly scheme: string
  /** Without brackets; may be empty. */
  readonly host: string
  readonly port: number
  /** Path and query of a relay. */
  readonly rest: string
  readonly family?: 4 | 6
}

/**
 * The addresses that a packet of local discovery may contain: with a host that other machines can reach, or the
 * unspecified one, which the receiver replaces by the source of the packet.
 */
export function locallyAnnounced(addresses: readonly string[]): readonly string[] {
  const usable = addresses.filter((text) => {
    const ip = parseIp(parse(text)?.host ?? '')
    return ip !== undefined && !isLoopback(ip) && !isMulticast(ip)
  })
  return [...new Set(usable.map(withoutRelayToken))]
}

/** The addresses for a discovery server, which drops the unusable ones itself. */
export function globallyAnnounced(addresses: readonly string[]): readonly string[] {
  return [...new Set(addresses.filter((text) => parse(text) !== undefined).map(withoutRelayToken))]
}

/**
 * The addresses of a received packet, an unspecified host replaced by its source. Host names are not resolved, because
 * the packet is not authenticated. Unknown schemes and addresses without a port are left out.
 */
export function receivedAddresses(addresses: readonly string[], sourceHost: string): readonly string[] {
  const expanded = addresses.flatMap((text) => {
    const address = parse(text)
    if (address === undefined) return []
    const { scheme, host, port, rest, family } = address
    const ip = parseIp(host)
    if (host !== '' && (ip === undefined || ip.value !== 0n)) return [text]
    const source = parseIp(sourceHost)
    if (source !== undefined && family !== undefined && source.family !== family) return []
    return [`${scheme}://${sourceHost.includes(':') ? `[${sourceHost}]` : sourceHost}:${port}${rest}`]
  })
  return [...new Set(expanded)]
}

/** Only the id of a relay is announced: the token is a secret between the relay and its clients. */
export function withoutRelayToken(text: string): string {
  if (!/^relay:/i.test(text)) return text
  const [base = '', query = ''] = text.split('?', 2)
  const id = new URLSearchParams(query).get('id')
  return id === null ? base : `${base}?id=${encodeURIComponent(id)}`
}

function parse(text: string): AnnouncedAddress | undefined {
  if (text.length > ADDRESS_LENGTH_MAX) return undefined
  const match = /^([a-z0-9]+):\/\/(?:\[([0-9a-f:.%]+)\]|([a-z0-9_.-]*)):(\d{1,5})((?:[/?][\x21-\x7e]*)?)$/i.exec(text)
  if (match === null) return undefined
  const [, schemeText = '', ipv6, name = '', portText = '', rest = ''] = match
  const scheme = schemeText.toLowerCase()
  const known = Object.hasOwn(SCHEMES, scheme) ? SCHEMES[scheme] : undefined
  const port = Number(portText)
  if (known === undefined || port === 0 || port > 65_535) return undefined
  if (rest !== '' && scheme !== 'relay') return undefined
  return { scheme, host: ipv6 ?? name, port, rest, ...known }
}

function isMulticast({ family, value }: IpAddress): boolean {
  return family === 4 ? value >> 28n === 0xen || value === 0xffff_ffffn : value >> 120n === 0xffn
}
