import { isWithin, networkAround, parseIp, parseNetwork, type IpNetwork } from './ip.ts'

/** Stands for whoever connects to a UNIX socket. */
const UNIX = 'unix'

/** Reverse proxies whose `X-Forwarded-For` is believed. */
export interface TrustedProxies {
  /** As configured. */
  readonly names: readonly string[]
  readonly networks: readonly IpNetwork[]
  readonly unixSocket: boolean
}

export const NO_PROXIES: TrustedProxies = { names: [], networks: [], unixSocket: false }

/** Addresses, networks and `unix`. The entry that is none of them as a text. */
export function parseTrustedProxies(names: readonly string[]): TrustedProxies | string {
  const networks: IpNetwork[] = []
  for (const name of names) {
    if (name === UNIX) continue
    const address = parseIp(name)
    const network = address === undefined ? parseNetwork(name) : networkAround(address, 128)
    if (network === undefined) return name
    networks.push(network)
  }
  return { names, networks, unixSocket: names.includes(UNIX) }
}

/** `address` is empty for a UNIX socket. */
export function isTrustedProxy(address: string, { networks, unixSocket }: TrustedProxies): boolean {
  if (address === '') return unixSocket
  if (networks.length === 0) return false
  const parsed = parseIp(address)
  return parsed !== undefined && networks.some((network) => isWithin(parsed, network))
}
