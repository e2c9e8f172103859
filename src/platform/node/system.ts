import { availableParallelism, endianness, hostname, networkInterfaces, totalmem } from 'node:os'
import type { InterfaceAddress, System } from '../platform.ts'
import { whyNoPosix } from './native/posix.ts'
import { nodeProcess } from './process.ts'

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
  environment: (name) => process.env[name],
  whyNoNativeCalls: whyNoPosix,
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
