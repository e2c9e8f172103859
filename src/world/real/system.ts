import { availableParallelism, hostname } from 'node:os'
import type { System } from '../world.ts'

export const realSystem: System = {
  platform: process.platform,
  architecture: process.arch,
  hostName: hostname(),
  cpuCount: availableParallelism(),
  memoryBytes() {
    const usage = process.memoryUsage()
    return { usedBytes: usage.heapUsed + usage.external, reservedBytes: usage.rss }
  },
}
