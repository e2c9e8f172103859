import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { TwinfoldError } from '../../../src/core/errors.ts'
import { parseFolderId } from '../../../src/core/ids.ts'
import { IgnoreRules } from '../../../src/core/ignore/ignore.ts'
import type { EventMap, EventSink, EventType, Logger } from '../../../src/events/types.ts'
import type { FolderCheck, FolderWork } from '../../../src/model/folder/folder-contracts.ts'
import { FolderRunner } from '../../../src/model/folder/folder-runner.ts'
import type { PullOutcome, PullPhase } from '../../../src/model/puller/puller.ts'
import type { ScanProblem } from '../../../src/scanner/types.ts'
import { Semaphore } from '../../../src/sync/semaphore.ts'
import { SimClock } from '../../../src/platform/sim/clock.ts'
import { SimRandom } from '../../../src/platform/sim/random.ts'

const HOUR_MS = 3_600_000
const FOLDER = parseFolderId('docs')!
const CHECK: FolderCheck = {
  root: { deviceId: 1n, inode: 1n },
  ignore: new IgnoreRules([]),
  caseInsensitive: false,
  atMs: 0,
}

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

interface Scanned {
  readonly atMs: number
  readonly subs: readonly string[]
}

/** A folder whose scan duration and errors the test controls. */
class FakeFolder implements FolderWork {
  readonly scans: Scanned[] = []
  readonly clock: SimClock
  health: Error | undefined
  scanError: Error | undefined
  problems: readonly ScanProblem[] = []
  durationMs = 0
  needed = false
  pullMs = 0
  readonly pulls: number[] = []
  readonly cleanings: number[] = []
  cleanError: Error | undefined
  outcome: PullOutcome = { problems: [], rescan: [], complete: true }

  constructor(clock: SimClock) {
    this.clock = clock
  }

  async prepare(): Promise<void> {}

  async check(): Promise<FolderCheck> {
    if (this.health !== undefined) throw this.health
    return CHECK
  }

  async scan(subs: readonly string[], _check: FolderCheck, signal: AbortSignal) {
    this.scans.push({ atMs: this.clock.monotonicMs(), subs })
    if (this.durationMs > 0) await this.clock.sleep(this.durationMs, signal)
    if (this.scanError !== undefined) throw this.scanError
    return { changed: 0, problems: this.problems, itemsSeen: 0, bytesHashed: 0 }
  }

  async scanned(): Promise<void> {}

  async clean(): Promise<void> {
    this.cleanings.push(this.clock.monotonicMs())
    if (this.cleanError !== undefined) throw this.cleanError
  }

  async isPullNeeded(): Promise<boolean> {
    return this.needed
  }

  async pull(_check: FolderCheck, onPhase: (phase: PullPhase) => void, signal: AbortSignal): Promise<PullOutcome> {
    this.pulls.push(this.clock.monotonicMs())
    onPhase('sync-preparing')
    onPhase('syncing')
    if (this.pullMs > 0) await this.clock.sleep(this.pullMs, signal)
    return this.outcome
  }
}

interface Setup {
  readonly intervalMs?: number
  readonly cleanMs?: number
  readonly seed?: number
  readonly slots?: Semaphore
  readonly clock?: SimClock
  readonly arrange?: (folder: FakeFolder) => void
}

function start(setup: Setup = {}) {
  const clock = setup.clock ?? new SimClock()
  const folder = new FakeFolder(clock)
  setup.arrange?.(folder)
  const trace: string[] = []
  const events: [EventType, unknown][] = []
  const sink: EventSink = {
    emit: <K extends EventType>(type: K, data: EventMap[K]) => {
      events.push([type, data])
      trace.push(`${clock.monotonicMs()} ${type} ${JSON.stringify(data)}`)
    },
  }
  const warnings: string[] = []
  const log: Logger = {
    facility: 'model',
    debug: (line) => void line(),
    info: () => {},
    warn: (line) => warnings.push(line),
    error: (line) => warnings.push(line),
  }
  const watched: string[] = []
  const runner = new FolderRunner(
    {
      clock,
      events: sink,
      log,
      work: folder,
      random: new SimRandom(setup.seed ?? 1),
      slots: setup.slots ?? new Semaphore(1),
      pullSlots: new Semaphore(1),
      watch: { follow: async () => void watched.push('follow'), stop: () => watched.push('stop') },
    },
    {
      folder: FOLDER,
      rescanIntervalMs: setup.intervalMs ?? HOUR_MS,
      pullPauseMs: 0,
      cleanIntervalMs: setup.cleanMs ?? 0,
    },
  )
  const stop = new AbortController()
  const done = runner.run(stop.signal)
  const states = () =>
    events
      .filter(([type]) => type === 'StateChanged')
      .map(([, data]) => {
        const { from, to } = data as EventMap['StateChanged']
        return `${from}→${to}`
      })
  const end = async () => {
    stop.abort()
    await done
    await settle()
    assert.equal(clock.sleepingCount, 0, 'a timer is still pending after the stop')
  }
  return { clock, folder, runner, events, trace, warnings, watched, states, stop, done, end }
}

test('a folder scans when it starts and emits its states', async () => {
  const { states, folder, end } = start()
  await settle()
  assert.deepEqual(states(), ['idle→scan-waiting', 'scan-waiting→scanning', 'scanning→idle'])
  assert.deepEqual(folder.scans, [{ atMs: 0, subs: [''] }])
  await end()
})

test('the rescan comes between ¾ and 1¼ of the interval after the last timed scan, with jitter', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 1e9 }),
      fc.integer({ min: 1, max: 100_000 }),
      async (seed, intervalS) => {
        const intervalMs = intervalS * 1_000
        const { clock, folder, end } = start({ seed, intervalMs })
        await clock.advance(intervalMs * 10, settle)
        const gaps = folder.scans.slice(1).map((scan, i) => scan.atMs - folder.scans[i]!.atMs)
        assert.ok(gaps.length >= 7 && gaps.length <= 13, `${gaps.length} rescans in ten intervals`)
        for (const gap of gaps)
          assert.ok(gap >= 0.75 * intervalMs && gap < 1.25 * intervalMs, `gap ${gap} of ${intervalMs}`)
        assert.ok(new Set(gaps).size > 1)
        await end()
      },
    ),
    { numRuns: 30 },
  )
})

test('a day of hourly rescans runs in simulated time', async () => {
  const { clock, folder, end } = start()
  await clock.advance(24 * HOUR_MS, settle)
  assert.ok(folder.scans.length >= 20 && folder.scans.length <= 33, String(folder.scans.length))
  await end()
})

test('an interval of 0 scans only once at the start', async () => {
  const { clock, folder, end } = start({ intervalMs: 0 })
  await clock.advance(400 * 24 * HOUR_MS, settle)
  assert.equal(folder.scans.length, 1)
  await end()
})

test('an interval above a year is limited to a year', async () => {
  const { clock, folder, end } = start({ intervalMs: 1e15 })
  await clock.advance(366 * 24 * HOUR_MS, settle)
  assert.equal(folder.scans.length, 2)
  await end()
})

for (const [name, nextMs, intervalMs, expectedMs] of [
  ['next sets the exact time of the rescan', 7_000, HOUR_MS, 7_000],
  ['next works with an interval of 0', 3_000, 0, 3_000],
  ['next of 0 makes the rescan due now', 0, HOUR_MS, 0],
  ['next above a year is limited to a year', 1e15, 0, 365 * 24 * HOUR_MS],
] as const) {
  test(name, async () => {
    const { clock, folder, runner, end } = start({ intervalMs })
    await settle()
    await clock.advance(1_000, settle)
    await runner.scan(['a'], nextMs)
    await clock.advance(expectedMs + 1, settle)
    assert.deepEqual(folder.scans.map((scan) => scan.atMs - 1_000).slice(1), [0, expectedMs])
    assert.deepEqual(folder.scans.at(-1)?.subs, [''])
    await end()
  })
}

test('the interval applies again after the rescan set by next', async () => {
  const { clock, folder, runner, end } = start()
  await settle()
  await runner.scan(['a'], 5_000)
  await clock.advance(5_000 + 1.25 * HOUR_MS, settle)
  const [, , next, regular] = folder.scans
  assert.equal(next?.atMs, 5_000)
  assert.ok((regular?.atMs ?? 0) - 5_000 >= 0.75 * HOUR_MS)
  await end()
})

test('a requested scan does not reschedule the automatic one', async () => {
  const { clock, folder, runner, end } = start({ seed: 5 })
  const { clock: otherClock, folder: other, end: endOther } = start({ seed: 5 })
  await settle()
  await clock.advance(1_000, settle)
  await runner.scan(['x'], undefined)
  await clock.advance(2 * HOUR_MS, settle)
  await otherClock.advance(2 * HOUR_MS + 1_000, settle)
  const timed = folder.scans.filter((scan) => scan.subs[0] === '').map((scan) => scan.atMs)
  assert.deepEqual(
    timed,
    other.scans.map((scan) => scan.atMs),
  )
  await end()
  await endOther()
})

test('a failed scan does not apply next', async () => {
  const { clock, folder, runner, end } = start({ intervalMs: 0 })
  await settle()
  folder.scanError = new Error('broken')
  await assert.rejects(runner.scan(['a'], 1_000), /broken/)
  await clock.advance(4_000, settle) // before the automatic recheck
  assert.equal(folder.scans.length, 2)
  await end()
})

test('a scan requested before the first one has ended waits for it', async () => {
  const { clock, folder, runner, end } = start({ arrange: (each) => (each.durationMs = 10_000) })
  const answered: number[] = []
  const request = runner.scan(['a'], undefined).then(() => answered.push(clock.monotonicMs()))
  await clock.advance(10_000, settle)
  assert.deepEqual(answered, [])
  await clock.advance(10_000, settle)
  await request
  assert.deepEqual(
    folder.scans.map((scan) => scan.subs),
    [[''], ['a']],
  )
  assert.deepEqual(answered, [20_000])
  await end()
})

test('scans run in the order of their requests and never overlap', async () => {
  const { clock, folder, runner, end } = start({ arrange: (each) => (each.durationMs = 1_000) })
  const order: string[] = []
  const requests = ['c', 'a', 'b'].map((sub) => runner.scan([sub], undefined).then(() => order.push(sub)))
  await clock.advance(10_000, settle)
  await Promise.all(requests)
  assert.deepEqual(order, ['c', 'a', 'b'])
  assert.deepEqual(
    folder.scans.map((scan) => scan.atMs),
    [0, 1_000, 2_000, 3_000],
  )
  await end()
})

test('equal requests share a scan that starts after all of them, never one already running', async () => {
  const { clock, folder, runner, end } = start({ arrange: (each) => (each.durationMs = 1_000) })
  await clock.advance(1_000, settle)
  const first = runner.scan(['a'], undefined)
  await settle() // it runs now
  const later = [runner.scan(['a'], undefined), runner.scan(['a'], undefined)]
  await clock.advance(5_000, settle)
  await Promise.all([first, ...later])
  assert.deepEqual(
    folder.scans.map((scan) => scan.atMs),
    [0, 1_000, 2_000],
  )
  await end()
})

test('each of many requests gets its own result', async () => {
  const { folder, runner, end } = start()
  await settle()
  folder.health = new TwinfoldError('folder-error', 'folder path missing')
  const bad = runner.scan(['a'], undefined)
  await assert.rejects(bad, { message: 'folder path missing' })
  folder.health = undefined
  await runner.scan(['a'], undefined)
  await end()
})

test('a stop rejects queued and running scans with context canceled at once', async () => {
  const { clock, runner, stop, done } = start({ arrange: (each) => (each.durationMs = HOUR_MS) })
  await settle()
  const requests = [runner.scan(['a'], undefined), runner.scan(['b'], undefined)]
  const failures = Promise.all(
    requests.map((request) => assert.rejects(request, { code: 'stopped', message: 'context canceled' })),
  )
  stop.abort()
  await done
  await failures
  await assert.rejects(runner.scan(['c'], undefined), { message: 'context canceled' })
  assert.equal(clock.monotonicMs(), 0)
})

test('a running requested scan is canceled by a stop', async () => {
  const { folder, runner, stop, done } = start()
  await settle()
  folder.durationMs = HOUR_MS
  const request = runner.scan(['a'], undefined)
  await settle()
  stop.abort()
  await assert.rejects(request, { message: 'context canceled' })
  await done
})

test('a folder that fails its check is in error with the reason and does not access the disk', async () => {
  const { folder, runner, states, events, watched, end } = start()
  await settle()
  folder.health = new TwinfoldError('folder-error', 'folder marker missing')
  await assert.rejects(runner.scan([''], undefined), { code: 'folder-error', message: 'folder marker missing' })
  assert.equal(folder.scans.length, 1)
  assert.deepEqual(states().slice(3), ['idle→error'])
  assert.deepEqual(events.at(-1), [
    'StateChanged',
    { folder: 'docs', from: 'idle', to: 'error', duration: 0, error: 'folder marker missing' },
  ])
  assert.equal(runner.state.error, 'folder marker missing')
  assert.deepEqual(watched, ['follow', 'stop'])
  await end()
})

test('the same error is reported once, a different one again', async () => {
  const { folder, runner, states, end } = start()
  await settle()
  folder.health = new TwinfoldError('folder-error', 'one')
  await assert.rejects(runner.scan([''], undefined))
  await assert.rejects(runner.scan([''], undefined))
  folder.health = new TwinfoldError('folder-error', 'two')
  await assert.rejects(runner.scan([''], undefined))
  assert.deepEqual(states().slice(3), ['idle→error', 'error→error'])
  await end()
})

test('the next successful scan clears the error and scans everything, whatever was requested', async () => {
  const { folder, runner, states, watched, end } = start()
  await settle()
  folder.health = new TwinfoldError('folder-error', 'one')
  await assert.rejects(runner.scan(['a'], undefined))
  folder.health = undefined
  await runner.scan(['a'], undefined)
  assert.deepEqual(states().slice(4), ['error→idle', 'idle→scan-waiting', 'scan-waiting→scanning', 'scanning→idle'])
  assert.deepEqual(folder.scans.at(-1)?.subs, [''])
  assert.equal(runner.state.error, '')
  assert.deepEqual(watched, ['follow', 'stop', 'follow'])
  await end()
})

test('a folder in error recovers when its disk is back, also with an interval of 0', async () => {
  const { clock, folder, runner, end } = start({
    intervalMs: 0,
    arrange: (each) => (each.health = new TwinfoldError('folder-error', 'folder path missing')),
  })
  await clock.advance(HOUR_MS, settle)
  assert.equal(runner.state.name, 'error')
  assert.equal(folder.scans.length, 0)
  folder.health = undefined
  await clock.advance(300_000, settle)
  assert.equal(runner.state.name, 'idle')
  assert.equal(folder.scans.length, 1)
  await end()
})

test('a damaged index triggers a full scan at once; repeated damage delays it', async () => {
  const { clock, folder, runner, end } = start({
    arrange: (each) => (each.scanError = new TwinfoldError('database-damaged', 'malformed')),
  })
  await clock.advance(1, settle)
  assert.equal(runner.state.name, 'error')
  assert.deepEqual(
    folder.scans.map((scan) => scan.subs),
    [[''], ['']],
  )
  folder.scanError = undefined
  await clock.advance(1_000, settle)
  assert.equal(folder.scans.length, 2)
  await clock.advance(60_000, settle)
  assert.equal(runner.state.name, 'idle')
  assert.equal(folder.scans.length, 3)
  await end()
})

test('durations count from the full second of the last change; the first change has none', async () => {
  const { clock, events, runner, end } = start({
    clock: new SimClock(1_700_000_000_700),
    arrange: (each) => (each.durationMs = 500),
  })
  await clock.advance(500, settle)
  const durations = events.map(([, data]) => (data as EventMap['StateChanged']).duration)
  assert.deepEqual(durations, [undefined, 0.7, 1.2])
  assert.equal(runner.state.changedMs, 1_700_000_001_000)
  await end()
})

test('two folders share one slot alternately', async () => {
  const clock = new SimClock()
  const slots = new Semaphore(1)
  const arrange = (each: FakeFolder) => void (each.durationMs = 1_000)
  const one = start({ clock, slots, arrange })
  const two = start({ clock, slots, arrange })
  await settle()
  assert.deepEqual([one.runner.state.name, two.runner.state.name], ['scanning', 'scan-waiting'])
  await clock.advance(1_000, settle)
  assert.deepEqual([one.runner.state.name, two.runner.state.name], ['idle', 'scanning'])
  await clock.advance(1_000, settle)
  one.stop.abort()
  await one.done
  await two.end()
})

test('a stop while waiting for a slot does not consume the slot', async () => {
  const clock = new SimClock()
  const slots = new Semaphore(1)
  const arrange = (each: FakeFolder) => void (each.durationMs = 1_000)
  const one = start({ clock, slots, arrange })
  const two = start({ clock, slots, arrange })
  await settle()
  two.stop.abort()
  await two.done
  await clock.advance(1_000, settle)
  assert.deepEqual([slots.heldCount, slots.waitingCount], [0, 0])
  await one.end()
})

test('paths from the watcher are scanned as received; too many become one full scan', async () => {
  const { clock, folder, runner, end } = start({ arrange: (each) => (each.durationMs = 1_000) })
  await clock.advance(1_000, settle)
  runner.pathsChanged(['a', 'b'])
  runner.pathsChanged(['gone'])
  await clock.advance(5_000, settle)
  assert.deepEqual(
    folder.scans.slice(1).map((scan) => scan.subs),
    [['a', 'b'], ['gone']],
  )
  for (let i = 0; i < 100; i++) runner.pathsChanged([String(i)])
  await clock.advance(30_000, settle)
  const rest = folder.scans.slice(3).map((scan) => scan.subs)
  assert.ok(rest.length < 20, `${rest.length} scans`)
  assert.ok(rest.some((subs) => subs[0] === ''))
  await end()
})

test('problems of items are listed, reported and replaced by the next scan of their path', async () => {
  const { folder, runner, events, end } = start({
    arrange: (each) =>
      (each.problems = [
        { path: 'a/x', error: 'scan: e' },
        { path: 'b', error: 'scan: f' },
      ]),
  })
  await settle()
  assert.equal(runner.problemCount, 2)
  assert.equal(runner.state.name, 'idle')
  assert.equal(events.filter(([type]) => type === 'FolderErrors').length, 1)
  folder.problems = []
  await runner.scan(['a'], undefined)
  assert.deepEqual(
    runner.problems.map((each) => each.path),
    ['b'],
  )
  await runner.scan([''], undefined)
  assert.equal(runner.problemCount, 0)
  await end()
})

test('the same seed gives the same trace of events, another seed a different one', async () => {
  const traceOf = async (seed: number) => {
    const { clock, folder, runner, trace, end } = start({ seed, arrange: (each) => (each.durationMs = 1_234) })
    for (let i = 0; i < 20; i++) {
      await clock.advance(HOUR_MS / 3, settle)
      if (i % 4 === 0) runner.pathsChanged([`p${i}`])
      if (i % 7 === 3) folder.health = new TwinfoldError('folder-error', 'folder path missing')
      else folder.health = undefined
      if (i % 5 === 2) runner.scan([`s${i}`], 60_000).catch(() => {})
    }
    await end()
    return trace.join('\n')
  }
  const first = await traceOf(42)
  assert.equal(await traceOf(42), first)
  assert.notEqual(await traceOf(43), first)
})

test('the first pull starts after the first scan and only when items are needed', async () => {
  const { clock, folder, runner, states, end } = start({
    arrange: (each) => Object.assign(each, { durationMs: 1_000, needed: true }),
  })
  runner.pullSoon()
  await clock.advance(999, settle)
  assert.deepEqual(folder.pulls, [])
  await clock.advance(1, settle)
  await settle()
  assert.deepEqual(folder.pulls, [1_000])
  assert.deepEqual(states().slice(3), [
    'idle→sync-waiting',
    'sync-waiting→sync-preparing',
    'sync-preparing→syncing',
    'syncing→idle',
  ])
  await end()
})

test('a pull without needed items changes no state', async () => {
  const { clock, runner, states, end } = start()
  await clock.advance(0, settle)
  const before = states().length
  runner.pullSoon()
  await clock.advance(10, settle)
  assert.equal(states().length, before)
  await end()
})

test("a scan runs during a pull, and the pull's state shows again after the scan", async () => {
  const { clock, folder, runner, states, end } = start({
    arrange: (each) => Object.assign(each, { needed: true, pullMs: 60_000 }),
  })
  await clock.advance(10, settle)
  assert.equal(runner.state.name, 'syncing')
  const scan = runner.scan(['a'], undefined)
  await clock.advance(1, settle)
  await scan
  assert.equal(folder.scans.length, 2)
  assert.deepEqual(states().slice(-3), ['syncing→scan-waiting', 'scan-waiting→scanning', 'scanning→syncing'])
  folder.needed = false
  await clock.advance(60_000, settle)
  assert.equal(runner.state.name, 'idle')
  await end()
})

test('failed pulls are retried with backoff, and at once after an update', async () => {
  const problems = [{ path: 'f', error: 'syncing: no' }]
  const { clock, folder, runner, events, end } = start({
    intervalMs: 0,
    arrange: (each) => Object.assign(each, { needed: true, outcome: { problems, rescan: [], complete: false } }),
  })
  await clock.advance(600_000, settle)
  assert.deepEqual(folder.pulls, [0, 60_000, 180_000, 420_000])
  assert.deepEqual([runner.problems, runner.problemCount], [problems, 1])
  assert.equal(events.filter(([type]) => type === 'FolderErrors').length, 4)
  runner.pullSoon()
  await settle()
  await settle()
  assert.equal(folder.pulls.at(-1), 600_000)
  folder.outcome = { problems: [], rescan: [], complete: true }
  await clock.advance(10_000_000, settle)
  assert.equal(runner.problemCount, 0)
  assert.equal(folder.pulls.length, 6)
  await end()
})

test('a requested scan retries failed items at once', async () => {
  const problems = [{ path: 'f', error: 'syncing: no' }]
  const { clock, folder, runner, end } = start({
    intervalMs: 0,
    arrange: (each) => Object.assign(each, { needed: true, outcome: { problems, rescan: [], complete: false } }),
  })
  await clock.advance(10_000, settle)
  folder.outcome = { problems: [], rescan: [], complete: true }
  const scan = runner.scan([''], undefined)
  await clock.advance(1, settle)
  await scan
  await settle()
  assert.deepEqual([folder.pulls.length, runner.problemCount], [2, 0])
  await end()
})

test('a pull requests scans of unexpected items, and a folder in error neither pulls nor spins', async () => {
  const { clock, folder, runner, end } = start({
    arrange: (each) =>
      Object.assign(each, { needed: true, outcome: { problems: [], rescan: ['met'], complete: false } }),
  })
  await clock.advance(10, settle)
  assert.deepEqual(
    folder.scans.map(({ subs }) => subs),
    [[''], ['met']],
  )
  folder.health = new TwinfoldError('folder-error', 'folder path missing')
  await assert.rejects(runner.scan([''], undefined), { message: 'folder path missing' })
  const pulls = folder.pulls.length
  await clock.advance(1_000_000, settle)
  assert.equal(folder.pulls.length, pulls)
  folder.health = undefined
  await clock.advance(1_000_000, settle)
  assert.ok(folder.pulls.length > pulls)
  await end()
})

test('stopping aborts a running pull', async () => {
  const { clock, runner, end } = start({ arrange: (each) => Object.assign(each, { needed: true, pullMs: 1_000_000 }) })
  await clock.advance(10, settle)
  assert.equal(runner.state.name, 'syncing')
  await end()
})

test('old versions are cleaned up every interval, except in error; a failure is not fatal', async () => {
  const { clock, folder, states, warnings, end } = start({ intervalMs: 0, cleanMs: HOUR_MS })
  await clock.advance(3.5 * HOUR_MS, settle)
  assert.deepEqual(folder.cleanings, [HOUR_MS, 2 * HOUR_MS, 3 * HOUR_MS])
  assert.deepEqual(states().slice(-3), ['idle→clean-waiting', 'clean-waiting→cleaning', 'cleaning→idle'])
  folder.cleanError = new Error('no room')
  await clock.advance(HOUR_MS, settle)
  assert.equal(folder.cleanings.length, 4)
  assert.match(warnings.at(-1) ?? '', /could not be cleaned up: no room$/)
  folder.health = new TwinfoldError('folder-error', 'folder path missing')
  await clock.advance(5 * HOUR_MS, settle)
  assert.equal(folder.cleanings.length, 4)
  assert.equal(states().at(-1), 'idle→error')
  await end()
})

test('tasks run between scans, one at a time, and report their result to the caller', async () => {
  const { clock, folder, runner, states, end } = start({ arrange: (each) => void (each.durationMs = 1_000) })
  const states3 = { waiting: 'scan-waiting', working: 'scanning' } as const
  const done: string[] = []
  const task = (name: string, error?: Error) =>
    runner.perform({
      states: states3,
      run: async (_check, signal) => {
        await clock.sleep(500, signal)
        done.push(name)
        if (error !== undefined) throw error
      },
    })
  const first = task('first')
  const second = assert.rejects(task('second', new Error('refused')), { message: 'refused' })
  await clock.advance(500, settle)
  assert.deepEqual(done, []) // the first scan comes first
  await clock.advance(2_000, settle)
  await Promise.all([first, second])
  assert.deepEqual(done, ['first', 'second'])
  assert.equal(states().at(-1), 'scanning→idle')
  folder.health = new TwinfoldError('folder-error', 'folder path missing')
  const failed = assert.rejects(task('third'), { code: 'folder-error' })
  await clock.advance(1, settle)
  await failed
  const waiting = assert.rejects(task('never'), { code: 'folder-error' })
  await clock.advance(1, settle)
  await waiting
  await end()
  await assert.rejects(task('too late'), { code: 'stopped' })
})
