import { formatTcp } from './address.ts'
import { isLinkLocal, isLoopback, parseIp } from './ip.ts'

const PORTS_MAX = 10
const PORT_MIN = 1_024
const PORT_MAX = 65_534
const FNV_OFFSET = 0xcbf2_9ce4_8422_2325n
const FNV_PRIME = 0x100_0000_01b3n
const BITS_64 = (1n << 64n) - 1n

/**
 * External ports to try, in this order. They depend on device, port and gateway only, so that a restarted device gets
 * the same mapping again and devices behind one gateway rarely want the same port.
 */
export function externalPorts(device: string, internalPort: number, gateway: string): readonly number[] {
  const ports = new Set<number>()
  for (let i = 0; ports.size < PORTS_MAX; i++) {
    ports.add(PORT_MIN + Number(fnv1a(`${device} ${internalPort} ${gateway} ${i}`) % BigInt(PORT_MAX - PORT_MIN + 1)))
  }
  return [...ports]
}

/** An external address that others may be able to dial; undefined for one that no gateway can have. */
export function usableExternalHost(host: string | undefined): string | undefined {
  const ip = parseIp(host ?? '')
  if (ip === undefined || ip.value === 0n) return undefined
  const isOdd =
    ip.family === 4 ? ip.value >> 24n === 0n || ip.value >> 28n >= 0xen : ip.value >> 120n === 0xffn || isLinkLocal(ip)
  return isOdd || isLoopback(ip) ? undefined : host
}

/**
 * The addresses to announce for a mapped port: with the external host, and without a host, which a discovery server
 * replaces by the address that it sees. An IPv6 pinhole has the address of this device, so the second has no use.
 */
export function mappedAddresses(scheme: string, host: string | undefined, port: number): readonly string[] {
  if (host?.includes(':')) return [formatTcp(scheme, host, port)]
  return [...(host === undefined ? [] : [formatTcp(scheme, host, port)]), formatTcp(scheme, '', port)]
}

function fnv1a(text: string): bigint {
  let hash = FNV_OFFSET
  for (const byte of new TextEncoder().encode(text)) hash = ((hash ^ BigInt(byte)) * FNV_PRIME) & BITS_64
  return hash
}
