import { makeBook, seriesKey, SERIES_KINDS, SERIES_MAX, type Series, type SeriesBook, type SeriesKind } from './book.ts'
import { isEmptyRing, LEVEL_NAMES, makeRing, SERIES_LEVELS, type Ring } from './ring.ts'

/**
 * The file: a line of JSON that names the series and, by level, the latest bucket and the number of buckets; then the
 * figures as 32-bit floats, little-endian, in the same order. A checksum of everything after it begins the file.
 */
const FORMAT = 1
const NEWLINE = 10
const SUM_BYTES = 4

interface SeriesHead {
  readonly kind: SeriesKind
  readonly subject: string
  /** By level, in the order of the levels. */
  readonly last: readonly number[]
  readonly count: readonly number[]
}

export function encodeBook(book: SeriesBook): Uint8Array {
  const heads: SeriesHead[] = []
  const figures: number[] = []
  for (const { kind, subject, rings } of book.series.values()) {
    const parts = LEVEL_NAMES.map((level) => chronological(rings[level]))
    heads.push({ kind, subject, last: LEVEL_NAMES.map((level) => rings[level].last), count: parts.map(lengthOf) })
    for (const part of parts) for (const value of part) figures.push(value)
  }
  const head = new TextEncoder().encode(`${JSON.stringify({ format: FORMAT, series: heads })}\n`)
  const data = new Uint8Array(SUM_BYTES + head.length + figures.length * 4)
  data.set(head, SUM_BYTES)
  const view = new DataView(data.buffer)
  let at = SUM_BYTES + head.length
  for (const value of figures) {
    view.setFloat32(at, value, true)
    at += 4
  }
  view.setUint32(0, checksum(data), true)
  return data
}

/** Undefined for bytes that this did not write, or that were damaged. */
export function decodeBook(data: Uint8Array): SeriesBook | undefined {
  if (data.length < SUM_BYTES) return undefined
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  const end = data.indexOf(NEWLINE, SUM_BYTES)
  if (end < 0 || view.getUint32(0, true) !== checksum(data)) return undefined
  const heads = readHead(new TextDecoder().decode(data.subarray(SUM_BYTES, end)))
  if (heads === undefined) return undefined
  const book = makeBook()
  let at = end + 1
  for (const head of heads) {
    const rings = { minute: makeRing('minute'), hour: makeRing('hour'), day: makeRing('day') }
    for (const [index, level] of LEVEL_NAMES.entries()) {
      const count = head.count[index] ?? 0
      if (at + count * 4 > data.length) return undefined
      fill(rings[level], head.last[index] ?? -1, readFloats(view, at, count))
      at += count * 4
    }
    book.series.set(seriesKey(head.kind, head.subject), { kind: head.kind, subject: head.subject, rings })
  }
  return book
}

/** From the first bucket with a figure to the latest. */
function chronological(ring: Ring): readonly number[] {
  if (ring.last < 0 || isEmptyRing(ring)) return []
  const { values, last } = ring
  const { length } = values
  const all = Array.from(
    { length },
    (_none, at) => values[(((last - length + 1 + at) % length) + length) % length] ?? 0,
  )
  return all.slice(all.findIndex((value) => !Number.isNaN(value)))
}

function lengthOf(list: readonly number[]): number {
  return list.length
}

function fill(ring: Ring, last: number, found: readonly number[]): void {
  if (last < 0 || found.length === 0) return
  const { length } = ring.values
  ring.last = last
  for (const [at, value] of found.entries()) ring.values[(last - found.length + 1 + at + length) % length] = value
}

function readFloats(view: DataView, at: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_none, index) => view.getFloat32(at + index * 4, true))
}

function readHead(text: string): readonly SeriesHead[] | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isRecord(value) || value['format'] !== FORMAT || !Array.isArray(value['series'])) return undefined
  const heads = value['series'].filter(isHead)
  return heads.length === value['series'].length && heads.length <= SERIES_MAX ? heads : undefined
}

function isHead(value: unknown): value is SeriesHead {
  if (!isRecord(value) || typeof value['subject'] !== 'string') return false
  const kinds: readonly unknown[] = SERIES_KINDS
  const { last, count } = value as Partial<Series & SeriesHead>
  return (
    kinds.includes(value['kind']) &&
    isNumbers(last) &&
    isNumbers(count) &&
    LEVEL_NAMES.every((level, at) => (count[at] ?? 0) <= SERIES_LEVELS[level].slots && (last[at] ?? -1) >= -1)
  )
}

function isNumbers(value: unknown): value is readonly number[] {
  return (
    Array.isArray(value) && value.length === LEVEL_NAMES.length && value.every((each) => Number.isSafeInteger(each))
  )
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** FNV-1a of everything after the sum: against torn and damaged files, not against forgers. */
function checksum(data: Uint8Array): number {
  let sum = 0x811c9dc5
  for (let at = SUM_BYTES; at < data.length; at++) sum = Math.imul(sum ^ (data[at] ?? 0), 0x01000193)
  return sum >>> 0
}
