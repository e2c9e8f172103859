/** `20260131-235959`, in local time, as in file names. */
export function compactTime(timeMs: number): string {
  const time = new Date(timeMs)
  const year = String(time.getFullYear()).padStart(4, '0')
  const day = `${year}${twoDigits(time.getMonth() + 1)}${twoDigits(time.getDate())}`
  return `${day}-${twoDigits(time.getHours())}${twoDigits(time.getMinutes())}${twoDigits(time.getSeconds())}`
}

const COMPACT = /^(\d{4})(\d{2})(\d{2})-(\d{2})(\d{2})(\d{2})$/

/**
 * Parses a local time; undefined when it is invalid. A local time that occurs twice when the clock is set back resolves
 * to the system's choice.
 */
export function parseCompactTime(text: string): number | undefined {
  const parts = COMPACT.exec(text)?.slice(1).map(Number)
  if (parts === undefined) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
  const time = new Date(0)
  time.setFullYear(year, month - 1, day)
  time.setHours(hour, minute, second, 0)
  // A 31st of February rolls over into March and is invalid; so is an hour that summer time skips.
  const isReal = time.getMonth() === month - 1 && time.getDate() === day && hour < 24 && minute < 60 && second < 60
  return isReal ? time.getTime() : undefined
}

/** `2026-01-31T23:59:59+01:00`, in local time with its offset. */
export function rfc3339(timeMs: number): string {
  const time = new Date(timeMs)
  const offsetMinutes = -time.getTimezoneOffset()
  const local = new Date(timeMs + offsetMinutes * 60_000).toISOString().slice(0, 19)
  if (offsetMinutes === 0) return `${local}Z`
  const sign = offsetMinutes < 0 ? '-' : '+'
  const size = Math.abs(offsetMinutes)
  return `${local}${sign}${twoDigits(Math.floor(size / 60))}:${twoDigits(size % 60)}`
}

export function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}
