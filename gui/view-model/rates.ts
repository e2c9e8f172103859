import type { Rate, RatePoint } from '../live/state.ts'

/** Ten minutes are shown. */
export const SHOWN_S = 600
/** A single reading fluctuates, so the mean of a few is shown. */
const MEAN_POINTS = 5

/** The rate of the last moments. */
export function meanRate(history: readonly RatePoint[]): Rate {
  const points = history.slice(-MEAN_POINTS)
  if (points.length === 0) return { inBps: 0, outBps: 0 }
  const mean = (of: (point: RatePoint) => number) => points.reduce((sum, point) => sum + of(point), 0) / points.length
  return { inBps: mean(({ inBps }) => inBps), outBps: mean(({ outBps }) => outBps) }
}

/** How long something takes at a rate, a second at least; undefined when nothing is transferred. */
export function secondsLeft(bytesLeft: number, bytesPerSecond: number): number | undefined {
  return bytesPerSecond < 1 ? undefined : Math.max(1, bytesLeft / bytesPerSecond)
}

/** What a plot draws: times in seconds, what came in, what went out. */
export type RateSeries = readonly [
  atS: readonly number[],
  inBps: readonly (number | null)[],
  outBps: readonly (number | null)[],
]

/** Further apart than this there was no reading, as while the machine slept: the line has a gap there. */
const GAP_MS = 10_000

export function seriesOf(history: readonly RatePoint[]): RateSeries {
  const [atS, inBps, outBps]: [number[], (number | null)[], (number | null)[]] = [[], [], []]
  let lastMs = history[0]?.atMs ?? 0
  for (const point of history) {
    if (point.atMs - lastMs > GAP_MS) {
      atS.push((lastMs + 1) / 1_000)
      inBps.push(null)
      outBps.push(null)
    }
    atS.push(point.atMs / 1_000)
    inBps.push(point.inBps)
    outBps.push(point.outBps)
    lastMs = point.atMs
  }
  return [atS, inBps, outBps]
}

/** The highest rates of the time shown, for screen readers. */
export function peakRate(history: readonly RatePoint[]): Rate {
  const peak = (of: (point: RatePoint) => number) => history.reduce((most, point) => Math.max(most, of(point)), 0)
  return { inBps: peak(({ inBps }) => inBps), outBps: peak(({ outBps }) => outBps) }
}
