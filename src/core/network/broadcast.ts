import { formatIpv4, parseIp } from './ip.ts'

interface NetworkAddress {
  readonly address: string
  readonly prefixLength: number
  /** Name of the network interface. */
  readonly interface: string
  readonly isLoopback: boolean
}

const EVERYWHERE = '255.255.255.255'

/** The broadcast address of every IPv4 network of the machine; the limited broadcast address where there is none. */
export function broadcastAddresses(networks: readonly NetworkAddress[]): readonly string[] {
  const addresses = networks.flatMap(({ address, prefixLength, isLoopback }) => {
    const ip = parseIp(address)
    // A network of one or two addresses has no broadcast address.
    if (ip?.family !== 4 || isLoopback || prefixLength > 30) return []
    return [formatIpv4(ip.value | ((1n << BigInt(32 - prefixLength)) - 1n))]
  })
  return addresses.length === 0 ? [EVERYWHERE] : [...new Set(addresses)]
}

/** The interfaces with an IPv6 address, loopback excepted. */
export function multicastInterfaces(networks: readonly NetworkAddress[]): readonly string[] {
  const names = networks.flatMap((network) =>
    !network.isLoopback && parseIp(network.address)?.family === 6 && network.address.includes(':')
      ? [network.interface]
      : [],
  )
  return [...new Set(names)]
}
