import type { System } from '../world.ts'

/** A machine with two cores and nothing to say for itself. */
export function simSystem(hostName: string): System {
  return {
    platform: 'linux',
    architecture: 'x64',
    hostName,
    cpuCount: 2,
    memoryBytes: () => ({ usedBytes: 0, reservedBytes: 0 }),
    networks: () => [],
    environment: () => undefined,
  }
}
