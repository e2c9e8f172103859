import type { ProcessView } from '../process.ts'
import type { System } from '../platform.ts'

/** A process without resource usage and profiles. */
export const simProcess: ProcessView = {
  figures: () => ({
    cpuS: 0,
    cpuSystemS: 0,
    residentBytes: 0,
    heapUsedBytes: 0,
    heapTotalBytes: 0,
    externalBytes: 0,
    openFiles: 0,
    loopBusyS: 0,
    loopIdleS: 0,
    loopCount: 0,
    unhandledRejections: 0,
    unhandledExceptions: 0,
  }),
  onUnhandled: () => ({ [Symbol.dispose]: () => {} }),
  profile: async (kind, durationMs) => ({ kind, durationMs, nodes: [] }),
}

/** A machine with two cores and default values. */
export function simSystem(
  hostName: string,
  network: Partial<Pick<System, 'networks' | 'gateways' | 'timeZone' | 'powerSupplies'>> = {},
): System {
  return {
    platform: 'linux',
    architecture: 'x64',
    endianness: 'LE',
    hostName,
    cpuCount: 2,
    memorySizeBytes: 2 ** 32,
    memoryBytes: () => ({ usedBytes: 0, reservedBytes: 0 }),
    networks: () => [],
    gateways: async () => [],
    timeZone: async () => 'UTC',
    powerSupplies: async () => undefined,
    environment: () => undefined,
    whyNoNativeCalls: () => undefined,
    userId: 1000,
    isRoot: false,
    processId: 1,
    process: simProcess,
    ...network,
  }
}
