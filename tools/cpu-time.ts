import { readFileSync } from 'node:fs'

/** Linux counts in hundredths of a second for all programs. */
const TICK_MS = 10

/**
 * Processor time of this process and of all below it that have ended, as their parents waited for them; outside of
 * Linux only that of this process.
 */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000 + endedChildrenMs()
}

function endedChildrenMs(): number {
  if (process.platform !== 'linux') return 0
  const line = readFileSync('/proc/self/stat', 'utf8')
  // The second field is the name of the program, in brackets, with any characters.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
  const [userTicks, systemTicks] = fields.slice(13, 15).map(Number)
  return ((userTicks ?? 0) + (systemTicks ?? 0)) * TICK_MS
}
