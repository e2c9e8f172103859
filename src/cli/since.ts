import { parseDuration } from '../core/duration.ts'
import { TwinfoldError } from '../core/errors.ts'

/**
 * A time of the command line as the daemon reads it (RFC 3339). Understands times with a zone, dates and times of day
 * in the local zone, `today`, `yesterday`, and ages such as `30m`, `2d` or `2h ago`. Throws `usage` for anything else.
 */
export function parseSince(text: string, nowMs: number, flag = '--since'): string {
  const timeMs = sinceMs(text.trim().toLowerCase(), nowMs)
  if (!Number.isNaN(timeMs)) return new Date(timeMs).toISOString()
  throw new TwinfoldError(
    'usage',
    `flag ${flag}: '${text}' is invalid; use a time (2026-11-15T10:00:00Z), a date (2026-11-15), a time of day ` +
      '(10:00), today, yesterday, or an age (30m, 2h, 1d)',
  )
}

function sinceMs(text: string, nowMs: number): number {
  const ageMs = parseDuration(text.replace(/\s?ago$/, '').replace(/^(\d+)\s/, '$1'), 'smhdw')
  if (ageMs !== undefined) return nowMs - ageMs
  if (text === 'today' || text === 'yesterday') return midnight(nowMs, text === 'today' ? 0 : 1)
  const [, hours, minutes, seconds = '0'] = /^(\d{1,2}):(\d\d)(?::(\d\d))?$/.exec(text) ?? []
  if (hours !== undefined) return timeOfDay(nowMs, Number(hours), Number(minutes), Number(seconds))
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return Date.parse(`${text}T00:00:00`)
  return /^\d{4}-\d\d-\d\d[t ]\d\d:\d\d/.test(text) ? Date.parse(text.replace(' ', 'T').toUpperCase()) : Number.NaN
}

function midnight(nowMs: number, daysAgo: number): number {
  const day = new Date(nowMs)
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() - daysAgo).getTime()
}

/** The last time that the clock showed this. */
function timeOfDay(nowMs: number, hours: number, minutes: number, seconds: number): number {
  if (hours > 23 || minutes > 59 || seconds > 59) return Number.NaN
  const day = new Date(nowMs)
  const at = (daysAgo: number) =>
    new Date(day.getFullYear(), day.getMonth(), day.getDate() - daysAgo, hours, minutes, seconds).getTime()
  return at(0) <= nowMs ? at(0) : at(1)
}
