import { formatIpv4, parseIp } from './ip.ts'

const GATEWAYS_MAX = 16
const IS_UP = 0x1
const HAS_GATEWAY = 0x2

/** The gateways of the default routes in `/proc/net/route` of Linux. */
export function gatewaysFromProc(text: string): readonly string[] {
  const found = text.split('\n').flatMap((line) => {
    const [, destination, gateway = '', flags = ''] = line.trim().split(/\s+/)
    if (destination !== '00000000' || !/^[0-9A-Fa-f]{8}$/.test(gateway)) return []
    const bits = Number.parseInt(flags, 16)
    if ((bits & IS_UP) === 0 || (bits & HAS_GATEWAY) === 0) return []
    const bytes = gateway.match(/../g) ?? []
    return [formatIpv4(BigInt(`0x${bytes.toReversed().join('')}`))] // printed as a little-endian number
  })
  return bounded(found)
}

/** The gateways of the default routes as `netstat -rn` of macOS and `route print` of Windows print them. */
export function gatewaysFromRoutes(text: string): readonly string[] {
  const found = text.split('\n').flatMap((line) => {
    const host = /^\s*(?:default|0\.0\.0\.0\s+0\.0\.0\.0)\s+(\d[\d.]+)\s/.exec(line)?.[1] ?? ''
    return parseIp(host)?.family === 4 ? [host] : []
  })
  return bounded(found)
}

function bounded(gateways: readonly string[]): readonly string[] {
  return [...new Set(gateways)].slice(0, GATEWAYS_MAX)
}
