/** An IP address as a number; IPv4-mapped IPv6 addresses are IPv4. */
export interface IpAddress {
  readonly family: 4 | 6
  readonly value: bigint
}

export interface IpNetwork {
  readonly family: 4 | 6
  readonly prefix: bigint
  /** Number of host bits. */
  readonly freeBits: bigint
}

/** Undefined for anything that is not an address, host names included. A zone (`%eth0`) is ignored. */
export function parseIp(text: string): IpAddress | undefined {
  if (text.length > 100) return undefined
  const bare = text.replace(/%.*$/, '')
  if (!bare.includes(':')) {
    const value = parseIpv4(bare)
    return value === undefined ? undefined : { family: 4, value }
  }
  const value = parseIpv6(bare)
  if (value === undefined) return undefined
  return value >> 32n === 0xffffn ? { family: 4, value: value & 0xffff_ffffn } : { family: 6, value }
}

/** `10.0.0.0/8`, `fe80::/10`. Host bits are ignored. Undefined for an invalid network. */
export function parseNetwork(text: string): IpNetwork | undefined {
  const match = /^([^/]+)\/(\d{1,3})$/.exec(text.trim())
  const address = parseIp(match?.[1] ?? '')
  if (match === null || address === undefined) return undefined
  const bits = address.family === 4 ? 32 : 128
  const length = Number(match[2])
  if (length > bits) return undefined
  return networkAround(address, length)
}

export function networkAround(address: IpAddress, prefixLength: number): IpNetwork {
  const bits = address.family === 4 ? 32 : 128
  const freeBits = BigInt(bits - Math.min(Math.max(prefixLength, 0), bits))
  return { family: address.family, prefix: address.value >> freeBits, freeBits }
}

export function isWithin(address: IpAddress, network: IpNetwork): boolean {
  return address.family === network.family && address.value >> network.freeBits === network.prefix
}

/** The addresses of the machine itself: `127.0.0.0/8` and `::1`. */
export function isLoopback({ family, value }: IpAddress): boolean {
  return family === 4 ? value >> 24n === 127n : value === 1n
}

/** `169.254.0.0/16` and `fe80::/10`. */
export function isLinkLocal({ family, value }: IpAddress): boolean {
  return family === 4 ? value >> 16n === 0xa9fen : value >> 118n === 0x3fan
}

export function formatIpv4(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.')
}

/** The host of `host:port` or `[host]:port`; the whole text when there is no port. */
export function hostOf(address: string): string {
  const bracketed = /^\[([^\]]*)\]/.exec(address)
  if (bracketed !== null) return bracketed[1] ?? ''
  const colon = address.lastIndexOf(':')
  return colon < 0 || address.indexOf(':') !== colon ? address : address.slice(0, colon)
}

function parseIpv4(text: string): bigint | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)
  if (match === null) return undefined
  let value = 0n
  for (const part of match.slice(1)) {
    if (Number(part) > 255 || (part.length > 1 && part.startsWith('0'))) return undefined
    value = (value << 8n) | BigInt(part)
  }
  return value
}

function parseIpv6(text: string): bigint | undefined {
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const head = parseGroups(halves[0] ?? '', halves.length === 1)
  const tail = halves.length === 2 ? parseGroups(halves[1] ?? '', true) : []
  if (head === undefined || tail === undefined) return undefined
  const missing = 8 - head.length - tail.length
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined
  const groups = [...head, ...Array.from({ length: missing }, () => 0n), ...tail]
  return groups.reduce((value, group) => (value << 16n) | group, 0n)
}

/** The last group may be an IPv4 address, which counts as two groups. */
function parseGroups(text: string, isEnd: boolean): readonly bigint[] | undefined {
  if (text === '') return []
  const parts = text.split(':')
  const groups: bigint[] = []
  for (const [i, part] of parts.entries()) {
    const ipv4 = isEnd && i === parts.length - 1 && part.includes('.') ? parseIpv4(part) : undefined
    if (ipv4 !== undefined) groups.push(ipv4 >> 16n, ipv4 & 0xffffn)
    else if (/^[0-9a-f]{1,4}$/i.test(part)) groups.push(BigInt(`0x${part}`))
    else return undefined
  }
  return groups
}
