import { TwinfoldError } from '../../core/errors.ts'
import { forecastFull, type FreePoint } from '../../core/series/forecast.ts'
import { LEVEL_NAMES, SERIES_LEVELS, type SeriesLevel } from '../../core/series/ring.ts'
import type { Clock } from '../../platform/clock.ts'
import { SERIES_ROUTES, type DisksJson, type SeriesJson } from '../../rest/series.ts'
import type { SeriesView } from '../../stats/series-recorder.ts'
import { json, type Reply } from '../pipeline/reply.ts'
import { bind, type Call, type Route } from '../pipeline/route.ts'
import type { DiskSpace } from '../types.ts'
import { formatMs } from '../views/times.ts'

/** Of all series of a reply together. */
const VALUES_MAX = 100_000
const DAY_MS = 86_400_000
const FORECAST_HOURS = 14 * 24

export interface SeriesRouteDeps {
  readonly clock: Clock
  readonly series: SeriesView
  disks(): Promise<readonly DiskSpace[]>
}

/** Figures over time, and what follows from them. */
export function seriesRoutes(deps: SeriesRouteDeps): readonly Route[] {
  return bind(SERIES_ROUTES, {
    'GET /rest/twinfold/series': (call) => seriesReply(deps, call),
    'GET /rest/twinfold/disks': async () => json(await disksJson(deps)),
  })
}

function seriesReply({ series }: SeriesRouteDeps, { query }: Call<'level' | 'kind' | 'subject' | 'count'>): Reply {
  const level = levelOf(query.first('level'))
  const [kind, subject] = [query.first('kind'), query.first('subject')]
  const { stepMs, slots } = SERIES_LEVELS[level]
  const found = series.read({
    level,
    count: query.integer('count') ?? slots,
    isWanted: (each, of) => (kind === undefined || each === kind) && (subject === undefined || of === subject),
  })
  const length = found.series[0]?.values.length ?? 1
  const shown = found.series.slice(0, Math.floor(VALUES_MAX / length))
  const body: SeriesJson = {
    level,
    stepS: stepMs / 1_000,
    start: formatMs(found.startMs),
    series: shown,
    left: found.series.length - shown.length,
  }
  return json(body)
}

function levelOf(text: string | undefined): SeriesLevel {
  const level = LEVEL_NAMES.find((each) => each === (text ?? 'hour'))
  if (level === undefined) throw new TwinfoldError('bad-request', `level must be one of ${LEVEL_NAMES.join(', ')}`)
  return level
}

export async function disksJson({ clock, series, disks }: SeriesRouteDeps): Promise<DisksJson> {
  const nowMs = clock.nowMs()
  const history = series.read({ level: 'hour', count: FORECAST_HOURS, isWanted: (kind) => kind === 'free' })
  const found = await disks()
  return found.map(({ path, folders, freeBytes, totalBytes }) => {
    const values = history.series.find(({ subject }) => subject === path)?.values ?? []
    const past: FreePoint[] = values.flatMap((value, at) =>
      value === null ? [] : [{ timeMs: history.startMs + at * SERIES_LEVELS.hour.stepMs, freeBytes: value }],
    )
    const forecast = forecastFull([...past, { timeMs: nowMs, freeBytes }], nowMs)
    return {
      path,
      folders,
      freeBytes,
      totalBytes,
      forecast:
        forecast === undefined
          ? null
          : {
              full: formatMs(Math.round(nowMs + forecast.daysLeft * DAY_MS)),
              bytesPerDay: Math.round(forecast.bytesPerDay),
              ofDays: forecast.ofDays,
            },
    }
  })
}
