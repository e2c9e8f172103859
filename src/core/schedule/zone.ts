/** A time zone: what its clocks show. */
export interface Zone {
  readonly name: string
  /** What is added to UTC for the time that the clocks show at this moment. */
  offsetMs(timeMs: number): number
}

const DAY_MS = 86_400_000
const OFFSET = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?/

/** A zone by its IANA name; undefined for a name that is not known. */
export function openZone(name: string): Zone | undefined {
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' })
    return { name, offsetMs: (timeMs) => parseOffset(format.format(timeMs)) }
  } catch {
    return undefined
  }
}

export const UTC_ZONE: Zone = { name: 'UTC', offsetMs: () => 0 }

function parseOffset(text: string): number {
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = OFFSET.exec(text) ?? []
  const offsetMs = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000
  return sign === '-' ? -offsetMs : offsetMs
}

/** What the clocks show at this moment, as if it were UTC. */
export function localMs(zone: Zone, timeMs: number): number {
  return timeMs + zone.offsetMs(timeMs)
}

/**
 * When the clocks show this: once, twice where they were set back, and where they were set forward over it, the moment
 * of that change.
 */
export function instantsOf(zone: Zone, shownMs: number): { readonly firstMs: number; readonly lastMs: number } {
  // A day before and after lies beyond any offset, so these are the offsets before and after a change, if there is one.
  const [before, after] = [zone.offsetMs(shownMs - DAY_MS), zone.offsetMs(shownMs + DAY_MS)]
  const found = [shownMs - before, shownMs - after].filter((timeMs) => localMs(zone, timeMs) === shownMs)
  if (found.length > 0)
    return { firstMs: Math.min(found[0]!, found.at(-1)!), lastMs: Math.max(found[0]!, found.at(-1)!) }
  const changeMs = changeBetween(zone, shownMs - Math.max(before, after), shownMs - Math.min(before, after))
  return { firstMs: changeMs, lastMs: changeMs }
}

/** The first moment with the offset of the later one. */
function changeBetween(zone: Zone, fromMs: number, toMs: number): number {
  const later = zone.offsetMs(toMs)
  let [low, high] = [fromMs, toMs]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (zone.offsetMs(middle) === later) high = middle
    else low = middle
  }
  return high
}
