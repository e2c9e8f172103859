import { useState } from 'preact/hooks'
import { availableDays } from '../../src/core/series/availability.ts'
import { startOfLocalDay } from '../../src/core/series/local-day.ts'
import type { DisksJson, SeriesJson } from '../../src/rest/series.ts'
import { formatCount, formatDay, formatMoment, formatPercent, formatRate, formatSize } from '../i18n/format.ts'
import { t } from '../i18n/texts.ts'
import { client } from '../live/client.ts'
import { useQuery } from '../live/query.ts'
import { BUCKETS_MAX, seriesBars, shareStep, type SeriesBar } from '../view-model/series.ts'
import { Section, useNow } from './parts.tsx'

const LEVELS = { minute: 360, hour: 168, day: 90 } as const
const LEVEL_NAMES = ['minute', 'hour', 'day'] as const
const DAYS = 30
const DISKS_MAX = 100
const DAY_MS = 86_400_000
const REFRESH_MS = 60_000

type Level = keyof typeof LEVELS
type Kind = 'in' | 'out' | 'behind'

const KINDS = { all: ['in', 'out'], device: ['in', 'out'], folder: ['behind'] } as const satisfies Record<
  string,
  readonly Kind[]
>

/** The plots of all devices with the disks, of one device with its days, or of a folder. */
export function OverTimePlots({ of, id }: { readonly of: keyof typeof KINDS; readonly id: string }) {
  const [level, setLevel] = useState<Level>('hour')
  const minute = Math.floor(useNow(REFRESH_MS) / REFRESH_MS)
  const query = { level, count: LEVELS[level], subject: id }
  const { value } = useQuery(
    `${of} ${id} ${level}`,
    (signal) => client.call('GET /rest/twinfold/series', { query, signal }),
    minute,
  )
  const plots = value === undefined ? [] : KINDS[of].flatMap((kind) => plotOf(value, kind, id))
  return (
    <>
      <Section title={t('series.title')} actions={<Levels level={level} onLevel={setLevel} />}>
        <div class="card over-time">
          {of === 'device' && <Availability id={id} minute={minute} />}
          {plots}
          {value !== undefined && plots.length === 0 && <p class="soft">{t('series.none')}</p>}
        </div>
      </Section>
      {of === 'all' && <Disks minute={minute} />}
    </>
  )
}

function Levels({ level, onLevel }: { readonly level: Level; readonly onLevel: (level: Level) => void }) {
  return (
    <div class="over-time-levels" role="group" aria-label={t('series.title')}>
      {LEVEL_NAMES.map((name) => (
        <button key={name} type="button" aria-pressed={name === level} onClick={() => onLevel(name)}>
          {t(`series.${name}`)}
        </button>
      ))}
    </div>
  )
}

function plotOf(reply: SeriesJson, kind: Kind, subject: string) {
  const found = seriesBars(reply, kind, subject)
  if (found === undefined) return []
  const most = figureText(kind, found.most)
  return [
    <figure key={kind} class="over-time-plot">
      <figcaption>
        {t(`series.${kind}`)} <span class="soft">{t('series.most', { most })}</span>
      </figcaption>
      <Bars bars={found.bars} label={`${t(`series.${kind}`)}: ${t('series.most', { most })}`} kind={kind} />
    </figure>,
  ]
}

function figureText(kind: Kind, value: number): string {
  return kind === 'behind' ? formatCount(value) : formatRate(value)
}

interface BarsProps {
  readonly bars: readonly SeriesBar[]
  readonly label: string
  readonly kind: Kind
}

/** A bar for each bucket; where nothing is known there is none, not even the line at the bottom. */
function Bars({ bars, label, kind }: BarsProps) {
  return (
    <svg class={`bars bars-${kind}`} viewBox={`0 0 ${bars.length} 100`} preserveAspectRatio="none" role="img">
      <title>{label}</title>
      {bars.map(({ height, value, startMs }, at) =>
        height === undefined || value === null ? null : (
          <rect key={startMs} x={at} y={98 - height * 98} width={0.9} height={2 + height * 98}>
            <title>{`${formatMoment(startMs)}: ${figureText(kind, value)}`}</title>
          </rect>
        ),
      )}
    </svg>
  )
}

/** One cell for each of the last 30 days, as dark as the device was connected for long. */
function Availability({ id, minute }: { readonly id: string; readonly minute: number }) {
  const nowMs = minute * REFRESH_MS
  const query = { level: 'hour', kind: 'connected', subject: id } as const
  const { value } = useQuery(id, (signal) => client.call('GET /rest/twinfold/series', { query, signal }), minute)
  const [series] = value?.series ?? []
  if (value === undefined || series === undefined) return null
  const hours = { startMs: Date.parse(value.start), shares: series.values.slice(0, BUCKETS_MAX) }
  const days = availableDays(hours, { count: DAYS, nowMs }, startOfLocalDay)
  const known = days.flatMap(({ share }) => share ?? [])
  const mean = known.reduce((sum, share) => sum + share, 0) / Math.max(1, known.length)
  const share = t('series.mean', { share: formatPercent(mean) })
  return (
    <figure class="over-time-plot">
      <figcaption>
        {t('series.availability')} <span class="soft">{share}</span>
      </figcaption>
      <div class="strip" role="img" aria-label={`${t('series.availability')}: ${share}`}>
        {days.map((day) => (
          <span key={day.startMs} data-step={shareStep(day.share) ?? 'unknown'} title={dayText(day, nowMs)} />
        ))}
      </div>
    </figure>
  )
}

function dayText({ startMs, share }: { startMs: number; share: number | undefined }, nowMs: number): string {
  const day = formatDay(startMs, nowMs)
  return share === undefined
    ? t('series.dayUnknown', { day })
    : t('series.dayShare', { day, share: formatPercent(share) })
}

function Disks({ minute }: { readonly minute: number }) {
  const { value } = useQuery('disks', (signal) => client.call('GET /rest/twinfold/disks', { signal }), minute)
  if (value === undefined || value.length === 0) return null
  return (
    <Section title={t('series.disks')}>
      <ul class="card disks">
        {value.slice(0, DISKS_MAX).map((disk) => (
          <DiskRow key={disk.path} disk={disk} nowMs={minute * REFRESH_MS} />
        ))}
      </ul>
    </Section>
  )
}

function DiskRow({ disk, nowMs }: { readonly disk: DisksJson[number]; readonly nowMs: number }) {
  const { path, freeBytes, totalBytes, forecast } = disk
  const used = totalBytes === 0 ? 0 : 1 - freeBytes / totalBytes
  const space = t('series.free', { free: formatSize(freeBytes), total: formatSize(totalBytes) })
  return (
    <li>
      <span class="disk-path">{path}</span>
      <meter min={0} max={1} high={0.9} optimum={0} value={used} aria-label={space} />
      <span>{space}</span>
      <span class="soft">
        {forecast === null
          ? t('series.noTrend')
          : t('series.full', {
              n: Math.max(1, Math.round((Date.parse(forecast.full) - nowMs) / DAY_MS)),
              days: forecast.ofDays,
            })}
      </span>
    </li>
  )
}
