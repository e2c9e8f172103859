/** An HTTP date has a year of four digits. */
const LAST_DATE_MS = Date.UTC(9999, 11, 31, 23, 59, 59)

/** A time in a header of HTTP. Times from other devices may be any number. */
export function httpDate(timeMs: number): string {
  const ms = Number.isFinite(timeMs) ? Math.min(Math.max(0, timeMs), LAST_DATE_MS) : 0
  return new Date(ms).toUTCString()
}
