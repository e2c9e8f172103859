import { isWithin, networkAround, parseIp } from '../core/network/ip.ts'
import type { Logger } from '../events/types.ts'
import type { InterfaceAddress, Platform } from '../platform/platform.ts'
import { openIgd } from './igd-gateway.ts'
import { searchIgds, type FoundIgd } from './igd-search.ts'
import { findPortControl } from './port-control.ts'
import type { Gateway } from './types.ts'

/** More addresses than a usual machine has; every search costs a few packets. */
const SEARCHED_ADDRESSES_MAX = 8
const IGDS_MAX = 16
/** As long as a search by UPnP takes: a router that answers at all does so at once. */
const PROBE_MS_MAX = 3_000

export interface FindDeps {
  readonly platform: Pick<Platform, 'clock' | 'udp' | 'httpClient' | 'system'>
  readonly log: Logger
}

export interface FindOptions {
  readonly timeoutMs: number
  readonly secret: string
}

/** All gateways of the local networks that map ports, PCP and NAT-PMP first. Rejects only when the signal aborts. */
export async function findGateways(
  deps: FindDeps,
  options: FindOptions,
  signal: AbortSignal,
): Promise<readonly Gateway[]> {
  const found = await Promise.all([portControls(deps, options, signal), igds(deps, options, signal)])
  return found.flat()
}

async function portControls(deps: FindDeps, options: FindOptions, signal: AbortSignal): Promise<readonly Gateway[]> {
  const { system } = deps.platform
  const networks = system.networks()
  const found = (await system.gateways()).map(async (host) => {
    const local = networks.find((network) => isNeighbour(host, network))
    if (local === undefined) return undefined
    const probeMs = Math.min(options.timeoutMs, PROBE_MS_MAX)
    return await findPortControl(deps.platform, { ...options, host, local }, probeMs, signal)
  })
  return (await Promise.all(found)).filter((gateway) => gateway !== undefined)
}

async function igds(deps: FindDeps, { timeoutMs }: FindOptions, signal: AbortSignal): Promise<readonly Gateway[]> {
  const { clock, udp, httpClient, system } = deps.platform
  const addresses = system.networks().filter(isSearched).slice(0, SEARCHED_ADDRESSES_MAX)
  const searches = addresses.map((local) => searchIgds({ clock, udp, log: deps.log }, local, timeoutMs, signal))
  const found: readonly FoundIgd[] = (await Promise.all(searches)).flat().slice(0, IGDS_MAX)
  const opened = found.map((igd) => openIgd({ http: httpClient, log: deps.log }, igd, timeoutMs, signal))
  return (await Promise.all(opened)).flat()
}

function isNeighbour(host: string, { address, prefixLength, isLoopback }: InterfaceAddress): boolean {
  const [ip, own] = [parseIp(host), parseIp(address)]
  return !isLoopback && ip !== undefined && own !== undefined && isWithin(ip, networkAround(own, prefixLength))
}

/** IPv4, and global IPv6 addresses: only these need a hole in a firewall. */
function isSearched({ address, isLoopback }: InterfaceAddress): boolean {
  const ip = parseIp(address)
  return !isLoopback && ip !== undefined && (ip.family === 4 || ip.value >> 125n === 1n)
}
