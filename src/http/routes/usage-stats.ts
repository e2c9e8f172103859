import type { ConnectionFigures, ConnectionsStatus } from '../../connections/types.ts'
import type { FolderWork } from '../../stats/work-counters.ts'

type Stats = Readonly<Record<string, number>>

/** Blocks of the least size by where they came from, with Syncthing's names. */
export function blockStats(works: Iterable<FolderWork>): Stats {
  const found = { total: 0, reused: 0, pulled: 0, copyOrigin: 0, copyElsewhere: 0 }
  for (const { pulledBlocks } of works) {
    found.reused += pulledBlocks.skipped
    found.pulled += pulledBlocks.network
    found.copyOrigin += pulledBlocks.local_origin
    found.copyElsewhere += pulledBlocks.local_other
  }
  found.total = found.reused + found.pulled + found.copyOrigin + found.copyElsewhere
  return withoutZeros(found)
}

/** Connections by transport and address family, as `tcp4`. */
export function transportStats(status: ConnectionsStatus | undefined): Stats {
  const found: Record<string, number> = {}
  for (const { primary, secondary } of status?.devices.values() ?? []) {
    for (const connection of [primary, ...secondary]) {
      const transport = transportOf(connection)
      found[transport] = (found[transport] ?? 0) + 1
    }
  }
  return found
}

function transportOf({ type, address }: ConnectionFigures): string {
  const transport = type.split('-')[0] ?? ''
  if (/^\d+\.\d+\.\d+\.\d+:/.test(address)) return `${transport}4`
  return address.startsWith('[') ? `${transport}6` : transport
}

/** The kinds of ignore patterns, by line. */
export function ignoreStats(lines: readonly string[]): Stats {
  const found = {
    lines: lines.length,
    inverts: 0,
    folded: 0,
    deletable: 0,
    rooted: 0,
    includes: 0,
    escapedIncludes: 0,
    doubleStars: 0,
    stars: 0,
  }
  for (const line of lines) {
    const prefixes = /^(?:!|\(\?[di]\))*/.exec(line)?.[0] ?? ''
    // A leading or trailing pair of stars has no effect.
    const pattern = line
      .slice(prefixes.length)
      .replace(/\*\*$/, '')
      .replace(/^\*\*\//, '')
    const isInclude = pattern.startsWith('#include ')
    found.inverts += Number(prefixes.includes('!'))
    found.folded += Number(prefixes.includes('(?i)'))
    found.deletable += Number(prefixes.includes('(?d)'))
    found.rooted += Number(pattern.startsWith('/'))
    found.includes += Number(isInclude)
    found.escapedIncludes += Number(isInclude && pattern.includes('..'))
    found.doubleStars += Number(pattern.includes('**'))
    found.stars += Number(pattern.replaceAll('**', '').includes('*'))
  }
  return withoutZeros(found)
}

function withoutZeros(stats: Stats): Stats {
  return Object.fromEntries(Object.entries(stats).filter(([, count]) => count > 0))
}
