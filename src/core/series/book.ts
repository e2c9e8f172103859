import {
  addToRing,
  bucketAt,
  bucketValue,
  dropFuture,
  isEmptyRing,
  LEVEL_NAMES,
  makeRing,
  SERIES_LEVELS,
  type Joining,
  type Ring,
  type SeriesLevel,
} from './ring.ts'

/**
 * `in`, `out`: bytes of a device, or of all (subject ''). `connected`: seconds that a device was. `behind`: the most
 * items that a folder needed. `free`: bytes of a disk, by its mount point. `observed`: seconds that this device ran.
 */
export const SERIES_KINDS = ['observed', 'in', 'out', 'connected', 'behind', 'free'] as const
export type SeriesKind = (typeof SERIES_KINDS)[number]

const JOINING: Readonly<Record<SeriesKind, Joining>> = {
  observed: 'sum',
  in: 'sum',
  out: 'sum',
  connected: 'sum',
  behind: 'max',
  free: 'last',
}

/** More than 250 folders with 180 devices; at 5 KiB each the file stays below 5 MB. */
export const SERIES_MAX = 800

export interface Series {
  readonly kind: SeriesKind
  readonly subject: string
  readonly rings: Readonly<Record<SeriesLevel, Ring>>
}

/** All series of a device. Changed in place: a copy of a megabyte every minute would cost more than the figures. */
export interface SeriesBook {
  readonly series: Map<string, Series>
  /** The moment of the last observation; undefined before the first one of this run. */
  observedMs: number | undefined
  /** What was last stored of values that hold until they change. */
  readonly held: Map<string, number>
}

/** What was seen at a moment. Folders and devices that are not named here are forgotten. */
export interface Observation {
  readonly nowMs: number
  /** Time since the last observation by a clock that is never set. */
  readonly elapsedMs: number
  readonly inBytes: number
  readonly outBytes: number
  readonly devices: readonly {
    readonly id: string
    readonly isConnected: boolean
    readonly inBytes: number
    readonly outBytes: number
  }[]
  /** `behind` is undefined where it is not known: paused, or not scanned yet. */
  readonly folders: readonly { readonly id: string; readonly behind: number | undefined }[]
  /** Only the disks that were looked at. */
  readonly disks: readonly { readonly path: string; readonly freeBytes: number }[]
}

export function makeBook(): SeriesBook {
  return { series: new Map(), observedMs: undefined, held: new Map() }
}

export function seriesKey(kind: SeriesKind, subject: string): string {
  return `${kind} ${subject}`
}

/** Less than this in a minute is keep-alive, and no change. */
const QUIET_BYTES = 4_096
/** A free space that differs by less is the same one. */
const SAME_FREE_BYTES = 1_048_576

/** Adds an observation; true when something is worth to be stored. */
export function observe(book: SeriesBook, seen: Observation): boolean {
  const { nowMs } = seen
  for (const { rings } of book.series.values()) {
    for (const level of LEVEL_NAMES) dropFuture(rings[level], bucketAt(level, nowMs))
  }
  forgetOthers(book, seen)
  const before = book.observedMs
  book.observedMs = nowMs
  // The shorter of the two clocks: after a suspend, or when the clock was set, the rest of the time is not known.
  const knownMs = before === undefined ? 0 : Math.max(0, Math.min(seen.elapsedMs, nowMs - before))
  const span: Span = { fromMs: nowMs - knownMs, toMs: nowMs }
  spread(book, 'observed', '', span, knownMs / 1_000)
  const isQuiet = addTraffic(book, '', seen, span)
  let isChanged = !isQuiet
  for (const device of seen.devices) {
    // A device that has just connected was not connected before: the time counts from the next observation on.
    const wasConnected = book.held.get(seriesKey('connected', device.id)) === 1
    spread(book, 'connected', device.id, span, wasConnected ? knownMs / 1_000 : 0)
    isChanged = holds(book, 'connected', device.id, device.isConnected ? 1 : 0) || isChanged
    addTraffic(book, device.id, device, span)
  }
  for (const { id, behind } of seen.folders) {
    if (behind === undefined) continue
    put(book, 'behind', id, nowMs, behind)
    isChanged = holds(book, 'behind', id, behind) || isChanged
  }
  for (const { path, freeBytes } of seen.disks) {
    put(book, 'free', path, nowMs, freeBytes)
    const held = book.held.get(seriesKey('free', path))
    if (held !== undefined && Math.abs(held - freeBytes) < SAME_FREE_BYTES) continue
    isChanged = holds(book, 'free', path, freeBytes) || isChanged
  }
  return isChanged
}

interface Span {
  readonly fromMs: number
  readonly toMs: number
}

/** True for no more than keep-alive, which is not recorded. */
function addTraffic(
  book: SeriesBook,
  subject: string,
  { inBytes, outBytes }: { readonly inBytes: number; readonly outBytes: number },
  span: Span,
): boolean {
  const isQuiet = inBytes + outBytes < QUIET_BYTES
  spread(book, 'in', subject, span, isQuiet ? 0 : inBytes)
  spread(book, 'out', subject, span, isQuiet ? 0 : outBytes)
  return isQuiet
}

/** Remembers a value that holds until it changes; true if it has. */
function holds(book: SeriesBook, kind: SeriesKind, subject: string, value: number): boolean {
  const key = seriesKey(kind, subject)
  if (book.held.get(key) === value) return false
  book.held.set(key, value)
  return true
}

/** An amount of a span of time, to each bucket its share. */
function spread(book: SeriesBook, kind: SeriesKind, subject: string, { fromMs, toMs }: Span, amount: number): void {
  const series = seriesOf(book, kind, subject)
  if (series === undefined) return
  for (const level of LEVEL_NAMES) {
    const { stepMs, slots } = SERIES_LEVELS[level]
    const ring = series.rings[level]
    const last = bucketAt(level, toMs)
    if (toMs <= fromMs) {
      addToRing(ring, last, amount, JOINING[kind])
      continue
    }
    for (let bucket = Math.max(bucketAt(level, fromMs), last - slots + 1); bucket <= last; bucket++) {
      const startMs = Math.max(fromMs, bucket * stepMs)
      const endMs = Math.min(toMs, (bucket + 1) * stepMs)
      if (endMs > startMs) addToRing(ring, bucket, (amount * (endMs - startMs)) / (toMs - fromMs), JOINING[kind])
    }
  }
}

function put(book: SeriesBook, kind: SeriesKind, subject: string, nowMs: number, value: number): void {
  const series = seriesOf(book, kind, subject)
  if (series === undefined) return
  for (const level of LEVEL_NAMES) addToRing(series.rings[level], bucketAt(level, nowMs), value, JOINING[kind])
}

/** Undefined when there are too many. */
function seriesOf(book: SeriesBook, kind: SeriesKind, subject: string): Series | undefined {
  const key = seriesKey(kind, subject)
  const known = book.series.get(key)
  if (known !== undefined || book.series.size >= SERIES_MAX) return known
  const rings = { minute: makeRing('minute'), hour: makeRing('hour'), day: makeRing('day') }
  const series = { kind, subject, rings }
  book.series.set(key, series)
  return series
}

/** A disk stays until its last figure is too old: it may be unplugged. */
function forgetOthers(book: SeriesBook, { devices, folders }: Observation): void {
  const ids = { device: new Set(devices.map(({ id }) => id)), folder: new Set(folders.map(({ id }) => id)) }
  for (const [key, { kind, subject, rings }] of book.series) {
    const isKnown = kind === 'behind' ? ids.folder.has(subject) : subject === '' || ids.device.has(subject)
    if (kind === 'free' ? !isEmptyRing(rings.day) : isKnown) continue
    book.series.delete(key)
    book.held.delete(key)
  }
}

/** Some buckets of one series, oldest first; null where nothing is known. */
export interface SeriesFigures {
  readonly kind: Exclude<SeriesKind, 'observed'>
  readonly subject: string
  readonly values: readonly (number | null)[]
}

export interface SeriesQuery {
  readonly level: SeriesLevel
  /** Buckets up to the present one. */
  readonly count: number
  readonly nowMs: number
  readonly isWanted: (kind: SeriesKind, subject: string) => boolean
}

/**
 * Figures of the series that are wanted: `in` and `out` in bytes per second of the time that is known, `connected` as
 * the share of it, `behind` and `free` as they are.
 */
export function readSeries(
  book: SeriesBook,
  { level, count, nowMs, isWanted }: SeriesQuery,
): { readonly startMs: number; readonly series: readonly SeriesFigures[] } {
  const { stepMs, slots } = SERIES_LEVELS[level]
  const last = bucketAt(level, nowMs)
  const first = last - Math.max(1, Math.min(count, slots)) + 1
  const observed = book.series.get(seriesKey('observed', ''))?.rings[level] ?? makeRing(level)
  const series: SeriesFigures[] = []
  for (const { kind, subject, rings } of book.series.values()) {
    if (kind === 'observed' || !isWanted(kind, subject)) continue
    const values: (number | null)[] = []
    for (let bucket = first; bucket <= last; bucket++) {
      const seconds = bucketValue(observed, bucket) ?? 0
      values.push(figureOf(kind, bucketValue(rings[level], bucket), seconds))
    }
    if (values.some((value) => value !== null)) series.push({ kind, subject, values })
  }
  return { startMs: first * stepMs, series }
}

function figureOf(kind: SeriesKind, value: number | undefined, seconds: number): number | null {
  if (value === undefined) return null
  switch (kind) {
    case 'in':
    case 'out':
      return seconds < 1 ? null : Math.round(value / seconds)
    case 'connected':
      return seconds < 1 ? null : Math.round(Math.min(1, value / seconds) * 1_000) / 1_000
    default:
      return Math.round(value)
  }
}
