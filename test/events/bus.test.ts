import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EventBus } from '../../src/events/bus.ts'
import type { EventRow, EventType, Logger } from '../../src/events/types.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { reportRow } from '../support/effort.ts'

const never = new AbortController().signal
const quiet: Logger = { facility: 'events', debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

function make(log: Logger = quiet) {
  const clock = new SimClock()
  return { clock, bus: new EventBus({ clock, log }) }
}

function types(...names: EventType[]): ReadonlySet<EventType> {
  return new Set(names)
}

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

const ids = (rows: readonly EventRow[]) => rows.map((row) => row.id)

test('ids count from 1 within a selection, globalID over all events', async () => {
  const { bus } = make()
  const failures = bus.buffer(types('Failure'))
  bus.emit('StartupComplete', { myID: 'x' })
  bus.emit('Failure', 'one')
  bus.emit('StartupComplete', { myID: 'x' })
  bus.emit('Failure', 'two')
  const rows = await failures.since(0, 0, never)
  assert.deepEqual(
    rows.map(({ id, globalID, data }) => [id, globalID, data]),
    [
      [1, 2, 'one'],
      [2, 4, 'two'],
    ],
  )
})

test('the order of types does not matter for a selection', () => {
  const { bus } = make()
  assert.equal(bus.buffer(types('Failure', 'Starting')), bus.buffer(types('Starting', 'Failure')))
})

test('a poll returns the first new event', async () => {
  const { bus, clock } = make()
  const rows = bus.buffer(types('Failure')).since(0, 60_000, never)
  await settle()
  bus.emit('Failure', 'now')
  assert.deepEqual(
    (await rows).map((row) => row.data),
    ['now'],
  )
  assert.equal(clock.sleepingCount, 0)
})

test('a poll returns an empty list after its timeout', async () => {
  const { bus, clock } = make()
  const rows = bus.buffer(types('Failure')).since(0, 60_000, never)
  bus.emit('Starting', { home: '', myID: '' })
  await clock.advance(60_000, settle)
  assert.deepEqual(await rows, [])
})

test('a poll without a timeout returns immediately', async () => {
  const { bus } = make()
  assert.deepEqual(await bus.buffer(types('Failure')).since(0, 0, never), [])
})

test('a poll of a disconnected client ends and leaves no timer', async () => {
  const { bus, clock } = make()
  const disconnected = new AbortController()
  const rows = bus.buffer(types('Failure')).since(0, 60_000, disconnected.signal)
  await settle()
  disconnected.abort()
  assert.deepEqual(await rows, [])
  await settle()
  assert.equal(clock.sleepingCount, 0)
})

test('a poll above the newest id waits for a higher id', async () => {
  const { bus } = make()
  let isDone = false
  const rows = bus
    .buffer(types('Failure'))
    .since(2, 60_000, never)
    .then((rows) => ((isDone = true), rows))
  bus.emit('Failure', '1')
  bus.emit('Failure', '2')
  await settle()
  assert.equal(isDone, false)
  bus.emit('Failure', '3')
  assert.deepEqual(ids(await rows), [3])
})

test('W-18: a buffer keeps the last thousand events; the ids show the gap', async () => {
  const { bus } = make()
  const buffer = bus.buffer(types('Failure'))
  for (let i = 1; i <= 1_560; i++) bus.emit('Failure', String(i))
  const rows = await buffer.since(0, 0, never)
  assert.equal(rows.length, 1_000)
  assert.deepEqual([rows[0]?.id, rows.at(-1)?.id, rows.at(-1)?.data], [561, 1_560, '1560'])
  reportRow({ id: 'W-18', tried: 1_560, kept: rows.length })
})

test('W-18: large events evict older ones, which bounds memory in bytes', async () => {
  const { bus } = make()
  const KIB = 1_024
  const name = 'x'.repeat(8 * KIB)
  const cases: readonly (readonly [EventType, () => void])[] = [
    [
      'LocalIndexUpdated',
      () => bus.emit('LocalIndexUpdated', { folder: 'f', items: 9, filenames: names(64), sequence: 1, version: 1 }),
    ],
    [
      'RemoteDownloadProgress',
      () => bus.emit('RemoteDownloadProgress', { device: 'd', folder: 'f', state: state(64) }),
    ],
    ['Failure', () => bus.emit('Failure', name.repeat(64))],
  ]
  const names = (count: number) => Array.from({ length: count }, (_, i) => name + i)
  const state = (count: number) => Object.fromEntries(names(count).map((each) => [each, 1]))
  for (const [type, emit] of cases) {
    const buffer = bus.buffer(types(type))
    for (let i = 1; i <= 40; i++) emit()
    const rows = await buffer.since(0, 0, never)
    // 64 names of 8 Ki characters of two bytes are 1 MiB, and 16 MiB are kept.
    assert.deepEqual([rows.length, rows[0]?.id, rows.at(-1)?.id], [15, 26, 40], type)
    bus.emit(type, undefined as never)
    assert.equal((await buffer.since(0, 0, never)).length, 16, 'a small event evicts none')
  }
})

test('an event above the limit is kept until the next', async () => {
  const { bus } = make()
  const buffer = bus.buffer(types('Failure'))
  for (const text of ['small', 'x'.repeat(9 * 1_024 * 1_024), 'last']) bus.emit('Failure', text)
  assert.deepEqual(
    (await buffer.since(0, 0, never)).map(({ id }) => id),
    [3],
  )
})

/** The n-th of many different selections. */
function selection(n: number): ReadonlySet<EventType> {
  const some: EventType[] = [
    'Failure',
    'Starting',
    'ConfigSaved',
    'FolderErrors',
    'FolderPaused',
    'FolderResumed',
    'LoginAttempt',
    'FolderSummary',
  ]
  return new Set(some.filter((_, bit) => (n >> bit) & 1))
}

test('selections are bounded: the least recently used is evicted', async () => {
  const { bus } = make()
  const first = bus.buffer(selection(1))
  const second = bus.buffer(selection(2))
  for (let n = 3; n <= 64; n++) bus.buffer(selection(n))
  assert.equal(bus.buffer(selection(1)), first)
  bus.buffer(selection(65))
  assert.equal(bus.buffer(selection(1)), first)
  assert.notEqual(bus.buffer(selection(2)), second)
})

test('a selection with a waiting client is not evicted before one without', async () => {
  const { bus } = make()
  const stop = new AbortController()
  const first = bus.buffer(selection(1))
  const poll = first.since(0, 60_000, stop.signal)
  for (let n = 2; n <= 120; n++) bus.buffer(selection(n))
  assert.equal(bus.buffer(selection(1)), first)
  stop.abort()
  await poll
})

test('a client of an evicted selection does not block on an old id', async () => {
  const { bus } = make()
  bus.buffer(types('Failure'))
  for (let i = 0; i < 500; i++) bus.emit('Failure', 'x')
  for (let n = 2; n <= 120; n++) bus.buffer(selection(n))
  const poll = bus.buffer(types('Failure')).since(500, 60_000, never)
  bus.emit('Failure', 'new')
  assert.deepEqual(
    (await poll).map((row) => row.data),
    ['new'],
  )
})

test('a new selection begins with the earlier events of its types', async () => {
  const { bus } = make()
  bus.emit('Failure', 'a')
  bus.emit('StartupComplete', { myID: 'x' })
  bus.emit('Failure', 'b')
  const buffer = bus.buffer(types('Failure'))
  const rows = await buffer.since(0, 0, never)
  assert.deepEqual(
    rows.map(({ id, globalID }) => [id, globalID]),
    [
      [1, 1],
      [2, 3],
    ],
  )
  bus.emit('Failure', 'c')
  assert.deepEqual(
    (await buffer.since(2, 0, never)).map(({ id, globalID }) => [id, globalID]),
    [[3, 4]],
  )
})

test('the default and the disk selection keep events from the start', async () => {
  const { bus } = make()
  bus.emit('Starting', { home: '/h', myID: 'x' })
  for (let n = 1; n <= 120; n++) bus.buffer(selection(n))
  const { DEFAULT_EVENT_TYPES } = await import('../../src/events/types.ts')
  assert.deepEqual(
    (await bus.buffer(DEFAULT_EVENT_TYPES).since(0, 0, never)).map((row) => row.type),
    ['Starting'],
  )
})

test('a listener receives its types until its signal aborts; its failure does not affect others', () => {
  const { bus } = make()
  const received: unknown[] = []
  const stop = new AbortController()
  bus.listen(
    types('Failure'),
    () => {
      throw new Error('broken listener')
    },
    never,
  )
  bus.listen(types('Failure'), (event) => received.push(event.data), stop.signal)
  bus.emit('Failure', 'a')
  bus.emit('StartupComplete', { myID: '' })
  stop.abort()
  bus.emit('Failure', 'b')
  assert.deepEqual(received, ['a'])
  assert.deepEqual(bus.counts().get('Failure'), { created: 2, delivered: 3, dropped: 2 })
})

test('debug lines contain the name of an event but never its data', () => {
  const lines: string[] = []
  const { bus } = make({ ...quiet, debug: (message) => lines.push(message()) })
  bus.emit('Failure', 'secret-key')
  assert.deepEqual(lines, ['event 1 Failure'])
})
