import type { SeriesJson } from '../../src/rest/series.ts'
import type { RatePoint } from '../live/state.ts'

/** A line of points this far apart has no gaps. */
const POINT_MS = 10_000
/** Buckets of this plot are minutes; another reply must not make more points. */
const STEP_MS_MAX = 60_000

/** Rates before the page was opened, as points of its plot; none where nothing is known. */
export function pastRates({ start, stepS, series }: SeriesJson): readonly RatePoint[] {
  const [inBps, outBps] = (['in', 'out'] as const).map((kind) => series.find((each) => each.kind === kind)?.values)
  const points: RatePoint[] = []
  const stepMs = Math.min(stepS * 1_000, STEP_MS_MAX)
  for (const [bucket, value] of (inBps ?? []).slice(0, POINTS_MAX).entries()) {
    const startMs = Date.parse(start) + bucket * stepMs
    if (value === null) continue
    for (let ms = 0; ms < stepMs; ms += POINT_MS) {
      points.push({ atMs: startMs + ms, inBps: value, outBps: outBps?.[bucket] ?? 0 })
    }
  }
  return points
}

/** What was recorded before, then what the page has seen itself. */
export function withPast(past: readonly RatePoint[], history: readonly RatePoint[]): readonly RatePoint[] {
  const [first] = history
  if (first === undefined || past.length === 0) return history
  const before = past.filter(({ atMs }) => atMs < first.atMs)
  return before.length === 0 ? history : [...before, ...history]
}

/** More buckets than any level has are not shown. */
export const BUCKETS_MAX = 840
const POINTS_MAX = 60

export interface SeriesBar {
  /** 0 to 1 of the highest; undefined where nothing is known. */
  readonly height: number | undefined
  readonly value: number | null
  readonly startMs: number
}

/** The bars of one series; undefined when nothing is known of it, or it was always 0. */
export function seriesBars(reply: SeriesJson, kind: SeriesJson['series'][number]['kind'], subject: string) {
  const values =
    reply.series.find((each) => each.kind === kind && each.subject === subject)?.values.slice(0, BUCKETS_MAX) ?? []
  const most = values.reduce<number>((highest, value) => Math.max(highest, value ?? 0), 0)
  if (most === 0) return undefined
  const startMs = Date.parse(reply.start)
  const bars = values.map((value, at): SeriesBar => ({
    height: value === null ? undefined : value / most,
    value,
    startMs: startMs + at * reply.stepS * 1_000,
  }))
  return { most, bars }
}

/** How dark the cell of a day is: 0 for never connected to 4 for always; undefined where nothing is known. */
export function shareStep(share: number | undefined): number | undefined {
  if (share === undefined) return undefined
  return share === 0 ? 0 : Math.min(4, 1 + Math.floor(share * 3.2))
}
