import { readFile } from 'node:fs/promises'
import { availableParallelism, endianness, hostname, networkInterfaces, totalmem } from 'node:os'
import { promisify } from 'node:util'
import { gatewaysFromProc, gatewaysFromRoutes } from '../../core/network/default-gateway.ts'
import type { InterfaceAddress, System } from '../platform.ts'
import { whyNoPosix } from './native/posix.ts'
import { readPowerSupplies } from './power-supplies.ts'
import { nodeProcess } from './process.ts'
import { readTimeZone } from './time-zone.ts'

export const nodeSystem: System = {
  platform: process.platform,
  architecture: process.arch,
  endianness: endianness(),
  hostName: hostname(),
  cpuCount: availableParallelism(),
  memorySizeBytes: totalmem(),
  memoryBytes() {
    const usage = process.memoryUsage()
    return { usedBytes: usage.heapUsed + usage.external, reservedBytes: usage.rss }
  },
  networks,
  gateways,
  timeZone: () => readTimeZone(process.env['TZ'], '/etc/localtime'),
  powerSupplies: () => readPowerSupplies('/sys/class/power_supply'),
  environment: (name) => process.env[name],
  whyNoNativeCalls: whyNoPosix,
  userId: process.getuid?.(),
  isRoot: process.getuid?.() === 0,
  processId: process.pid,
  process: nodeProcess,
}

function networks(): readonly InterfaceAddress[] {
  try {
    return Object.entries(networkInterfaces()).flatMap(([name, addresses]) =>
      (addresses ?? []).map(({ address, cidr, internal }) => ({
        address,
        prefixLength: Number(cidr?.split('/')[1] ?? 128),
        interface: name,
        isLoopback: internal,
      })),
    )
  } catch {
    return [] // forbidden in sandboxes; callers handle an empty list
  }
}

/** Programs that list the routes where the system has no file with them. */
const ROUTE_PROGRAMS: Readonly<Record<string, readonly [program: string, ...args: string[]]>> = {
  darwin: ['/usr/sbin/netstat', '-rn', '-f', 'inet'],
  win32: ['route.exe', 'print', '-4', '0.0.0.0'],
}
const ROUTE_PROGRAM_MS_MAX = 5_000

async function gateways(): Promise<readonly string[]> {
  try {
    if (process.platform === 'linux') return gatewaysFromProc(await readFile('/proc/net/route', 'latin1'))
    const [program, ...args] = ROUTE_PROGRAMS[process.platform] ?? []
    if (program === undefined) return []
    const options = { timeout: ROUTE_PROGRAM_MS_MAX, windowsHide: true }
    const { execFile } = process.getBuiltinModule('node:child_process')
    return gatewaysFromRoutes((await promisify(execFile)(program, args, options)).stdout)
  } catch {
    return [] // forbidden in sandboxes; callers handle an empty list
  }
}
