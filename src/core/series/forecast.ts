/** A free space at a moment. */
export interface FreePoint {
  readonly timeMs: number
  readonly freeBytes: number
}

export interface Forecast {
  /** Free space lost by day. */
  readonly bytesPerDay: number
  readonly daysLeft: number
  /** The days that the rate was taken from. */
  readonly ofDays: number
}

const DAY_MS = 86_400_000
/** The rate of the last two weeks. */
const WINDOW_DAYS = 14
/** Fewer days show no trend. */
const DAYS_MIN = 5
/** Further ahead everything will be different. */
const DAYS_LEFT_MAX = 365
/** Of the days, so many have to lose space for a trend: a disk that is cleaned every week has none. */
const LOSING_SHARE_MIN = 0.6

/**
 * When a disk is full at the rate of the last two weeks; undefined without a trend. The rate is the median of the rates
 * between all pairs of days (Theil–Sen), so that one large copy, or one clean-up, does not make it.
 */
export function forecastFull(points: readonly FreePoint[], nowMs: number): Forecast | undefined {
  const today = dayOf(nowMs)
  const days = lastOfDays(points.filter(({ timeMs }) => timeMs <= nowMs && dayOf(timeMs) > today - WINDOW_DAYS))
  const [first, last] = [days[0], days.at(-1)]
  if (first === undefined || last === undefined || days.length < DAYS_MIN) return undefined
  const steps = days.slice(1).map((day, at) => day.freeBytes - (days[at]?.freeBytes ?? 0))
  if (steps.filter((step) => step < 0).length < steps.length * LOSING_SHARE_MIN) return undefined
  const bytesPerDay = -medianSlope(days)
  const daysLeft = last.freeBytes / bytesPerDay
  if (!(bytesPerDay > 0) || daysLeft > DAYS_LEFT_MAX) return undefined
  return { bytesPerDay, daysLeft, ofDays: dayOf(last.timeMs) - dayOf(first.timeMs) + 1 }
}

function lastOfDays(points: readonly FreePoint[]): readonly FreePoint[] {
  const days = new Map<number, FreePoint>()
  for (const point of [...points].sort((a, b) => a.timeMs - b.timeMs)) days.set(dayOf(point.timeMs), point)
  return [...days.values()]
}

/** The number of a day in UTC: a window that begins at the hour of now would contain a part of a fifteenth day. */
function dayOf(timeMs: number): number {
  return Math.floor(timeMs / DAY_MS)
}

/** At most 14 points: 91 pairs. */
function medianSlope(days: readonly FreePoint[]): number {
  const slopes = days.flatMap((from, at) =>
    days.slice(at + 1).map((to) => ((to.freeBytes - from.freeBytes) * DAY_MS) / (to.timeMs - from.timeMs)),
  )
  slopes.sort((a, b) => a - b)
  const middle = slopes.length / 2
  return ((slopes[Math.ceil(middle) - 1] ?? 0) + (slopes[Math.floor(middle)] ?? 0)) / 2
}
