import type { Client } from '../client/client.ts'
import type { DeviceConfig, FolderConfig } from '../core/config/config.ts'
import { availableDays } from '../core/series/availability.ts'
import { startOfLocalDay } from '../core/series/local-day.ts'
import type { DisksJson, SeriesJson } from '../rest/series.ts'
import { CLI_EXIT, type CliContext, type CliExit } from './context.ts'
import { tableLines } from './table.ts'
import { formatBytes, formatCount, formatDuration } from './text.ts'

const BARS = '▁▂▃▄▅▆▇█'
const SHOWN = { minute: 60, hour: 48, day: 30 } as const
const DAY_S = 86_400

type Level = keyof typeof SHOWN

export interface SeriesOptions {
  readonly level: Level
  readonly json?: boolean
}

/** Prints figures over time, those of devices as days of availability, and when disks will be full. */
export async function series(context: CliContext, client: Client, options: SeriesOptions): Promise<CliExit> {
  const { level } = options
  const count = SHOWN[level]
  const [figures, hours, disks, devices, folders] = await Promise.all([
    client.call('GET /rest/twinfold/series', { query: { level, count } }),
    client.call('GET /rest/twinfold/series', { query: { level: 'hour', kind: 'connected' } }),
    client.call('GET /rest/twinfold/disks'),
    client.devices(),
    client.folders(),
  ])
  if (options.json) {
    context.print(JSON.stringify({ ...figures, disks }, undefined, 2))
    return CLI_EXIT.done
  }
  const nameOf = (subject: string) => nameOfSubject(subject, devices, folders)
  const shown = { ...figures, series: figures.series.filter(({ kind }) => kind !== 'connected' || level !== 'day') }
  const rows = [...rowsOf(shown, nameOf), ...(level === 'day' ? availabilityRows(hours, nameOf, context.timeMs()) : [])]
  if (rows.length === 0) context.print('Nothing is recorded yet: the first figures follow within a minute.')
  else {
    const title = { minute: 'last hour', hour: 'last 2 days', day: 'last 30 days' }[level]
    const columns = [
      { title: 'WHAT' },
      { title: 'OF', shrink: 'end' },
      { title: 'NOW', align: 'right' },
      { title: 'MOST', align: 'right' },
      { title: title.toUpperCase() },
    ] as const
    for (const line of tableLines(columns, rows, context.columns)) context.print(line)
  }
  for (const line of disks.map(diskLine)) context.print(line)
  return CLI_EXIT.done
}

const WHAT: Readonly<Record<SeriesJson['series'][number]['kind'], string>> = {
  in: 'received',
  out: 'sent',
  connected: 'connected',
  behind: 'behind',
  free: 'free',
}

function rowsOf({ series: all }: SeriesJson, nameOf: (subject: string) => string): readonly (readonly string[])[] {
  return all
    .filter(({ kind, values }) => kind === 'free' || values.some((value) => value !== null && value > 0))
    .map(({ kind, subject, values }) => {
      const known = values.filter((value): value is number => value !== null)
      const most = known.reduce((a, b) => Math.max(a, b), 0)
      return [WHAT[kind], nameOf(subject), figureText(kind, known.at(-1)), figureText(kind, most), bars(values, most)]
    })
}

function figureText(kind: SeriesJson['series'][number]['kind'], value: number | undefined): string {
  if (value === undefined) return ''
  switch (kind) {
    case 'in':
    case 'out':
      return `${formatBytes(value)}/s`
    case 'connected':
      return `${Math.round(value * 100)} %`
    case 'behind':
      return String(value)
    case 'free':
      return formatBytes(value)
  }
}

/** A character for each bucket: a bar, or a dot where nothing is known. */
function bars(values: readonly (number | null)[], most: number): string {
  const height = (value: number) =>
    most === 0 ? 0 : Math.min(BARS.length - 1, Math.floor((value / most) * BARS.length))
  return values.map((value) => (value === null ? '·' : BARS[height(value)])).join('')
}

function availabilityRows(
  hours: SeriesJson,
  nameOf: (subject: string) => string,
  nowMs: number,
): readonly (readonly string[])[] {
  return hours.series.map(({ subject, values }) => {
    const given = { startMs: Date.parse(hours.start), shares: values }
    const days = availableDays(given, { count: SHOWN.day, nowMs }, startOfLocalDay)
    const shares = days.map(({ share }) => share ?? null)
    const known = shares.filter((share): share is number => share !== null)
    const mean = known.length === 0 ? undefined : known.reduce((sum, share) => sum + share, 0) / known.length
    return [WHAT.connected, nameOf(subject), figureText('connected', mean), '', bars(shares, 1)]
  })
}

function diskLine({ path, freeBytes, totalBytes, forecast, folders }: DisksJson[number]): string {
  const space = `${formatBytes(freeBytes)} of ${formatBytes(totalBytes)} free`
  const used = folders.length === 0 ? 'no folder' : formatCount(folders.length, 'folder')
  return `Disk ${path} (${used}): ${space}; ${forecastText(forecast, freeBytes)}`
}

function forecastText(forecast: DisksJson[number]['forecast'], freeBytes: number): string {
  if (forecast === null) return 'no forecast, because its free space has no trend yet'
  const { bytesPerDay, ofDays } = forecast
  const left = formatDuration(Math.round(freeBytes / bytesPerDay) * DAY_S)
  return `full in about ${left} at the rate of the last ${ofDays} days (${formatBytes(bytesPerDay)} a day)`
}

function nameOfSubject(subject: string, devices: readonly DeviceConfig[], folders: readonly FolderConfig[]): string {
  if (subject === '') return 'all devices'
  const device = devices.find(({ deviceID }) => deviceID === subject)
  if (device !== undefined) return device.name || subject.slice(0, 7)
  return folders.find(({ id }) => id === subject)?.label || subject
}
