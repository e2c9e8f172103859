import assert from 'node:assert/strict'
import { test } from 'node:test'
import { availableDays } from '../../../src/core/series/availability.ts'
import { makeBook, observe, readSeries, SERIES_MAX, type Observation } from '../../../src/core/series/book.ts'
import { decodeBook, encodeBook } from '../../../src/core/series/encode.ts'
import { forecastFull } from '../../../src/core/series/forecast.ts'
import { SERIES_LEVELS, type SeriesLevel } from '../../../src/core/series/ring.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const START = Date.UTC(2026, 9, 1)

const QUIET = { elapsedMs: MINUTE, inBytes: 0, outBytes: 0, devices: [], folders: [], disks: [] }

function seen(nowMs: number, more: Partial<Observation> = {}): Observation {
  return { ...QUIET, nowMs, ...more }
}

function device(id: string, isConnected: boolean, inBytes = 0): Observation['devices'][number] {
  return { id, isConnected, inBytes, outBytes: 0 }
}

function figures(book: ReturnType<typeof makeBook>, level: SeriesLevel, nowMs: number, count = 4) {
  const { series } = readSeries(book, { level, count, nowMs, isWanted: () => true })
  return new Map(series.map(({ kind, subject, values }) => [`${kind} ${subject}`, values]))
}

test('rates, connections, items behind and free space have a figure in every level', () => {
  const book = makeBook()
  const disks = [{ path: '/', freeBytes: 5_000_000 }]
  for (let at = 0; at <= 120; at++) {
    const behind = at === 30 ? 93 : 2
    const devices = [device('NAS', true, 600_000), device('PHONE', false)]
    const folders = [{ id: 'letters', behind }]
    observe(book, seen(START + at * MINUTE, { inBytes: at === 0 ? 0 : 600_000, devices, folders, disks }))
  }
  const now = START + 120 * MINUTE
  assert.deepEqual(figures(book, 'minute', now, 3).get('in '), [10_000, 10_000, null])
  const hours = figures(book, 'hour', now, 3)
  assert.deepEqual(hours.get('in '), [10_000, 10_000, null])
  assert.deepEqual(hours.get('connected NAS'), [1, 1, null])
  assert.deepEqual(hours.get('connected PHONE'), [0, 0, null])
  assert.deepEqual(hours.get('behind letters'), [93, 2, 2])
  assert.deepEqual(hours.get('free /'), [5_000_000, 5_000_000, 5_000_000])
  assert.deepEqual(figures(book, 'day', now, 2).get('connected NAS'), [null, 1])
})

test('a device that connects in the middle of an hour was there for the rest of it', () => {
  const book = makeBook()
  for (let at = 0; at <= 59; at++) observe(book, seen(START + at * MINUTE, { devices: [device('NAS', at >= 29)] }))
  assert.deepEqual(figures(book, 'hour', START + 59 * MINUTE, 1).get('connected NAS'), [0.508])
})

test('keep-alive traffic and time that passes are no change; what differs is', () => {
  const book = makeBook()
  const state = { devices: [device('NAS', true)], folders: [{ id: 'a', behind: 0 }], disks: [] }
  const disk = (freeBytes: number) => ({ ...state, disks: [{ path: '/', freeBytes }] })
  assert.equal(observe(book, seen(START, disk(9_000_000))), true)
  const later = (minutes: number, more: Partial<Observation>) => observe(book, seen(START + minutes * MINUTE, more))
  assert.equal(later(1, { ...state, inBytes: 200 }), false)
  assert.equal(later(2, disk(9_000_500)), false)
  assert.equal(later(3, disk(90_000_000)), true)
  assert.equal(later(4, { ...state, inBytes: 20_000 }), true)
  assert.equal(later(5, { ...state, folders: [{ id: 'a', behind: 1 }] }), true)
  assert.equal(later(6, { ...state, folders: [{ id: 'a', behind: 1 }], devices: [device('NAS', false)] }), true)
})

test('a suspended machine leaves a gap, not an hour of connection', () => {
  const book = makeBook()
  observe(book, seen(START, { devices: [device('NAS', true)] }))
  observe(book, seen(START + 3 * HOUR, { devices: [device('NAS', true)] }))
  assert.deepEqual(figures(book, 'hour', START + 3 * HOUR, 4).get('connected NAS'), [null, null, 1, null])
})

test('a clock that is set back removes what was ahead of it, and goes on', () => {
  const book = makeBook()
  for (let at = 0; at <= 180; at++) observe(book, seen(START + at * MINUTE, { folders: [{ id: 'a', behind: 5 }] }))
  for (let at = 60; at <= 90; at++) observe(book, seen(START + at * MINUTE, { folders: [{ id: 'a', behind: 1 }] }))
  const now = START + 90 * MINUTE
  assert.deepEqual(figures(book, 'hour', now, 2).get('behind a'), [5, 5])
  assert.deepEqual(figures(book, 'minute', now, 2).get('behind a'), [1, 1])
  const ahead = readSeries(book, { level: 'minute', count: 360, nowMs: now + 2 * HOUR, isWanted: () => true })
  const [values] = ahead.series.map((each) => each.values)
  assert.ok(
    values?.slice(-120).every((value) => value === null),
    'nothing is left after the present',
  )
})

test('a clock that was years ahead does not stop the recording', () => {
  const book = makeBook()
  const folders = [{ id: 'a', behind: 7 }]
  observe(book, seen(START, { folders }))
  observe(book, seen(START + 3_000 * DAY, { folders }))
  for (let at = 1; at <= 3; at++) observe(book, seen(START + at * MINUTE, { folders }))
  assert.deepEqual(figures(book, 'minute', START + 3 * MINUTE, 3).get('behind a'), [7, 7, 7])
})

test('removed folders and devices are forgotten, an unplugged disk is not', () => {
  const book = makeBook()
  const disks = [{ path: '/media/usb', freeBytes: 1 }]
  observe(book, seen(START, { devices: [device('NAS', true)], folders: [{ id: 'a', behind: 1 }], disks }))
  observe(book, seen(START + MINUTE))
  assert.deepEqual([...figures(book, 'day', START + MINUTE).keys()].sort(), ['free /media/usb', 'in ', 'out '])
})

test('90 days of 40 folders and 14 devices are below 5 MB, and return from the file as they were', () => {
  const book = makeBook()
  const devices = Array.from({ length: 14 }, (_none, at) => device(`${'DEVICE-'.repeat(8)}${at}`, true, 1e9 + at))
  const folders = Array.from({ length: 40 }, (_none, at) => ({ id: `folder-${at}`, behind: at }))
  const disks = Array.from({ length: 6 }, (_none, at) => ({ path: `/mnt/disk-${at}`, freeBytes: 1e12 + at }))
  const whole = { inBytes: 1e10, outBytes: 1e9, devices, folders, disks }
  for (let at = 0; at < 95 * 24; at++) observe(book, seen(START + at * HOUR, { ...whole, elapsedMs: HOUR }))
  const end = START + 95 * 24 * HOUR
  for (let at = 0; at < 400; at++) observe(book, seen(end + at * MINUTE, whole))
  const data = encodeBook(book)
  assert.ok(data.length > 300_000 && data.length < 1_000_000, `${data.length} bytes`)
  const again = decodeBook(data)
  assert.ok(again !== undefined)
  const now = end + 400 * MINUTE
  for (const level of ['minute', 'hour', 'day'] as const) {
    const count = SERIES_LEVELS[level].slots
    assert.deepEqual(figures(again, level, now, count), figures(book, level, now, count))
  }
})

test('however many folders there are, the file stays below 5 MB', () => {
  const book = makeBook()
  const folders = Array.from({ length: 820 }, (_none, at) => ({ id: `folder-${'x'.repeat(64)}-${at}`, behind: at }))
  observe(book, seen(START, { folders }))
  assert.equal(book.series.size, SERIES_MAX)
  for (const { rings } of book.series.values()) {
    for (const level of ['minute', 'hour', 'day'] as const) {
      rings[level].values.fill(1)
      rings[level].last = 30_000_000
    }
  }
  assert.ok(encodeBook(book).length < 5_000_000, `${encodeBook(book).length} bytes`)
})

test('a damaged, cut or foreign file is no book', () => {
  const book = makeBook()
  observe(book, seen(START, { folders: [{ id: 'a', behind: 1 }] }))
  const data = encodeBook(book)
  assert.ok(decodeBook(data) !== undefined)
  const flipped = data.slice()
  flipped[20] = (flipped[20] ?? 0) ^ 1
  for (const bad of [flipped, data.subarray(0, data.length - 1), new Uint8Array(3), new Uint8Array(100)]) {
    assert.equal(decodeBook(bad), undefined)
  }
})

function freeOf(days: number, freeAt: (day: number) => number) {
  return Array.from({ length: days }, (_none, day) => ({ timeMs: START + day * DAY, freeBytes: freeAt(day) }))
}

test('a disk that loses 1 GB a day is full when that has used it up', () => {
  const forecast = forecastFull(
    freeOf(14, (day) => 53e9 - day * 1e9),
    START + 13 * DAY,
  )
  assert.deepEqual(forecast, { bytesPerDay: 1e9, daysLeft: 40, ofDays: 14 })
})

test('the rate is that of fourteen days at every hour of the day', () => {
  const midnight = Math.floor(START / DAY) * DAY
  const hourly = Array.from({ length: 22 * 24 }, (_none, hour) => ({
    timeMs: midnight + (hour * DAY) / 24,
    freeBytes: 100e9 - hour * 1e8,
  }))
  for (let hour = 0; hour < 24; hour++) {
    const forecast = forecastFull(hourly, midnight + 20 * DAY + (hour * DAY) / 24 + 1)
    assert.equal(forecast?.ofDays, 14, `at ${hour} h`)
  }
})

test('no forecast without a trend: too few days, no loss, one large copy, a weekly clean-up, or far away', () => {
  const now = START + 13 * DAY
  assert.equal(
    forecastFull(
      freeOf(4, (day) => 50e9 - day * 1e9),
      START + 3 * DAY,
    ),
    undefined,
  )
  assert.equal(
    forecastFull(
      freeOf(14, () => 50e9),
      now,
    ),
    undefined,
  )
  assert.equal(
    forecastFull(
      freeOf(14, (day) => 50e9 + day),
      now,
    ),
    undefined,
  )
  assert.equal(
    forecastFull(
      freeOf(14, (day) => (day < 7 ? 50e9 : 20e9)),
      now,
    ),
    undefined,
  )
  assert.equal(
    forecastFull(
      freeOf(14, (day) => (day % 2 === 0 ? 50e9 : 40e9)),
      now,
    ),
    undefined,
  )
  assert.equal(
    forecastFull(
      freeOf(14, (day) => 4e12 - day * 1e9),
      now,
    ),
    undefined,
  )
})

test('days of availability follow the calendar, also when daylight saving time ends', () => {
  // Berlin, 2026-10-25 has 25 hours: it begins at 22:00 UTC and ends at 23:00 UTC of the next day.
  const startOfDay = (timeMs: number) => {
    const change = Date.UTC(2026, 9, 25, 1)
    const offset = timeMs < change ? 2 * HOUR : HOUR
    const start = Math.floor((timeMs + offset) / DAY) * DAY
    return start - (start - 2 * HOUR < change ? 2 * HOUR : HOUR)
  }
  const hoursStart = Date.UTC(2026, 9, 23, 22)
  const shares = Array.from({ length: 73 }, (_none, hour) => (hour < 24 ? 1 : hour < 49 ? 0.5 : null))
  const nowMs = hoursStart + 73 * HOUR - 1
  const days = availableDays({ startMs: hoursStart, shares }, { count: 3, nowMs }, startOfDay)
  assert.deepEqual(
    days.map(({ share, knownHours }) => [share, knownHours]),
    [
      [1, 24],
      [0.5, 25],
      [undefined, 0],
    ],
  )
})
