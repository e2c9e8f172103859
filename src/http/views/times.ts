/** The time that means "never" in Syncthing's replies. */
export const TIME_ZERO = '0001-01-01T00:00:00Z'

/** RFC 3339 in UTC, without trailing zeros of the fraction. A time before 1970 or none is "never". */
export function formatMs(timeMs: number): string {
  return timeMs > 0 ? trimFraction(new Date(timeMs).toISOString()) : TIME_ZERO
}

/** Whole seconds, for states and statistics. */
export function formatWholeSeconds(timeMs: number): string {
  return formatMs(Math.floor(timeMs / 1_000) * 1_000)
}

function wholeSeconds(seconds: number): string | undefined {
  const date = new Date(seconds * 1_000)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().slice(0, -5)
}

/** Cached, because neighbours in a list of files often have the same second. */
let latest = { seconds: 0, whole: wholeSeconds(0) }

/** A modification time with all its nanoseconds. */
export function formatNs(seconds: number, nanoseconds: number): string {
  if (seconds !== latest.seconds) latest = { seconds, whole: wholeSeconds(seconds) }
  const { whole } = latest
  if (whole === undefined) return TIME_ZERO
  return nanoseconds === 0 ? `${whole}Z` : trimFraction(`${whole}.${String(nanoseconds).padStart(9, '0')}Z`)
}

/** Takes a time with a fraction. */
function trimFraction(time: string): string {
  return time.replace(/\.?0*Z$/, 'Z')
}
