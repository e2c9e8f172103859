import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { TwinfoldError } from '../../../src/core/errors.ts'
import { IgnoreRules } from '../../../src/core/ignore/ignore.ts'
import type { EventMap, EventSink, EventType, Logger } from '../../../src/events/types.ts'
import { Folder } from '../../../src/model/folder/folder.ts'
import type { FolderCheck } from '../../../src/model/folder/folder-checks.ts'
import { FolderProblems } from '../../../src/model/folder/folder-problems.ts'
import { FolderRequests } from '../../../src/model/folder/folder-requests.ts'
import { FolderState } from '../../../src/model/folder/folder-state.ts'
import { FolderTasks } from '../../../src/model/folder/folder-tasks.ts'
import { Pulls } from '../../../src/model/folder/pulls.ts'
import type { PullOutcome, PullRequest } from '../../../src/model/puller/puller.ts'
import { ModelSignals } from '../../../src/model/signals.ts'
import { JobQueue } from '../../../src/model/state/job-queue.ts'
import type { FileVersion } from '../../../src/model/types.ts'
import type { ScanProblem } from '../../../src/scanner/types.ts'
import { Semaphore } from '../../../src/sync/semaphore.ts'
import { SharedMutex } from '../../../src/sync/shared-mutex.ts'
import { SimClock } from '../../../src/platform/sim/clock.ts'
import { SimRandom } from '../../../src/platform/sim/random.ts'
import { DOCS, settle, simFolder } from '../../support/model.ts'

const HOUR_MS = 3_600_000
const CHECK: FolderCheck = {
  root: { deviceId: 1n, inode: 1n },
  ignore: new IgnoreRules([]),
  caseInsensitive: false,
  atMs: 0,
}

interface Scanned {
  readonly atMs: number
  readonly subs: readonly string[]
}

/** The checks, scans, pulls and clean-ups of a folder; the test controls their duration and errors. */
class FakeDisk {
  readonly scans: Scanned[] = []
  readonly clock: SimClock
  health: Error | undefined
  scanError: Error | undefined
  pullError: Error | undefined
  problems: readonly ScanProblem[] = []
  durationMs = 0
  needed = false
  pullMs = 0
  readonly pulls: number[] = []
  readonly cleanings: number[] = []
  cleanError: Error | undefined
  outcome: PullOutcome = { problems: [], rescan: [], complete: true }
  readonly progress = new Map()

  constructor(clock: SimClock) {
    this.clock = clock
  }

  async prepare(): Promise<void> {}

  async check(): Promise<FolderCheck> {
    if (this.health !== undefined) throw this.health
    return CHECK
  }

  async checkAgain(): Promise<void> {
    await this.check()
  }

  async scan(subs: readonly string[], _check: FolderCheck, signal: AbortSignal) {
    this.scans.push({ atMs: this.clock.monotonicMs(), subs })
    if (this.durationMs > 0) await this.clock.sleep(this.durationMs, signal)
    if (this.scanError !== undefined) throw this.scanError
    return { changed: 0, problems: this.problems, itemsSeen: 0, bytesHashed: 0 }
  }

  cleanIntervalMs = 0

  async clean(): Promise<void> {
    this.cleanings.push(this.clock.monotonicMs())
    if (this.cleanError !== undefined) throw this.cleanError
  }

  async list(): Promise<ReadonlyMap<string, readonly FileVersion[]>> {
    return new Map()
  }

  async require(): Promise<never> {
    throw new TwinfoldError('folder-error', 'folder has no versioner')
  }

  async restore(): Promise<ReadonlyMap<string, string>> {
    return new Map()
  }

  async override(): Promise<void> {}

  async isNeeded(): Promise<boolean> {
    return this.needed
  }

  async flush(): Promise<void> {}

  async revert(): Promise<readonly string[]> {
    return []
  }

  async pull({ onPhase }: PullRequest, signal: AbortSignal): Promise<PullOutcome> {
    this.pulls.push(this.clock.monotonicMs())
    onPhase('sync-preparing')
    onPhase('syncing')
    if (this.pullMs > 0) await this.clock.sleep(this.pullMs, signal)
    if (this.pullError !== undefined) throw this.pullError
    return this.outcome
  }
}

interface Setup {
  readonly intervalMs?: number
  readonly cleanMs?: number
  readonly seed?: number
  readonly slots?: Semaphore
  readonly clock?: SimClock
  readonly arrange?: (disk: FakeDisk) => void
}

function start(setup: Setup = {}) {
  const clock = setup.clock ?? new SimClock()
  const disk = new FakeDisk(clock)
  disk.cleanIntervalMs = setup.cleanMs ?? 0
  setup.arrange?.(disk)
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
  const requests = new FolderRequests()
  const state = new FolderState({ clock, events: sink }, DOCS)
  const problems = new FolderProblems({ events: sink, log }, DOCS)
  const shared = { clock, log, requests, state, problems, checks: disk }
  const pulls = new Pulls(
    {
      ...shared,
      puller: disk,
      slots: new Semaphore(1),
      folderLock: new SharedMutex(),
      signals: new ModelSignals(),
    },
    { folder: DOCS, pauseMs: 0 },
  )
  const folder = new Folder(
    {
      ...shared,
      pulls,
      events: sink,
      work: disk,
      jobs: new JobQueue(10),
      random: new SimRandom(setup.seed ?? 1),
      slots: setup.slots ?? new Semaphore(1),
      tasks: new FolderTasks({ requests, pulls, versions: disk, work: disk }, { type: 'sendreceive' }),
      watch: {
        name: 'watch',
        error: '',
        run: async () => {},
        follow: async () => void watched.push('follow'),
        stop: () => watched.push('stop'),
      },
    },
    simFolder('docs', { rescanIntervalS: (setup.intervalMs ?? HOUR_MS) / 1_000 }),
  )
  const stop = new AbortController()
  const done = folder.run(stop.signal)
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
  return { clock, disk, folder, requests, state, problems, events, trace, warnings, watched, states, stop, done, end }
}

test('a folder scans when it starts and emits its states', async () => {
  const { states, disk, end } = start()
  await settle()
  assert.deepEqual(states(), ['idle→scan-waiting', 'scan-waiting→scanning', 'scanning→idle'])
  assert.deepEqual(disk.scans, [{ atMs: 0, subs: [''] }])
  await end()
})

test('the rescan comes between ¾ and 1¼ of the interval after the last timed scan, with jitter', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 1e9 }),
      fc.integer({ min: 1, max: 100_000 }),
      async (seed, intervalS) => {
        const intervalMs = intervalS * 1_000
        const { clock, disk, end } = start({ seed, intervalMs })
        await clock.advance(intervalMs * 10, settle)
        const gaps = disk.scans.slice(1).map((scan, i) => scan.atMs - disk.scans[i]!.atMs)
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
  const { clock, disk, end } = start()
  await clock.advance(24 * HOUR_MS, settle)
  assert.ok(disk.scans.length >= 20 && disk.scans.length <= 33, String(disk.scans.length))
  await end()
})

test('an interval of 0 scans only once at the start', async () => {
  const { clock, disk, end } = start({ intervalMs: 0 })
  await clock.advance(400 * 24 * HOUR_MS, settle)
  assert.equal(disk.scans.length, 1)
  await end()
})

test('an interval above a year is limited to a year', async () => {
  const { clock, disk, end } = start({ intervalMs: 1e15 })
  await clock.advance(366 * 24 * HOUR_MS, settle)
  assert.equal(disk.scans.length, 2)
  await end()
})

for (const [name, nextMs, intervalMs, expectedMs] of [
  ['next sets the exact time of the rescan', 7_000, HOUR_MS, 7_000],
  ['next works with an interval of 0', 3_000, 0, 3_000],
  ['next of 0 makes the rescan due now', 0, HOUR_MS, 0],
  ['next above a year is limited to a year', 1e15, 0, 365 * 24 * HOUR_MS],
] as const) {
  test(name, async () => {
    const { clock, disk, requests, end } = start({ intervalMs })
    await settle()
    await clock.advance(1_000, settle)
    await requests.scan(['a'], nextMs)
    await clock.advance(expectedMs + 1, settle)
    assert.deepEqual(disk.scans.map((scan) => scan.atMs - 1_000).slice(1), [0, expectedMs])
    assert.deepEqual(disk.scans.at(-1)?.subs, [''])
    await end()
  })
}

test('the interval applies again after the rescan set by next', async () => {
  const { clock, disk, requests, end } = start()
  await settle()
  await requests.scan(['a'], 5_000)
  await clock.advance(5_000 + 1.25 * HOUR_MS, settle)
  const [, , next, regular] = disk.scans
  assert.equal(next?.atMs, 5_000)
  assert.ok((regular?.atMs ?? 0) - 5_000 >= 0.75 * HOUR_MS)
  await end()
})

test('a requested scan does not reschedule the automatic one', async () => {
  const { clock, disk, requests, end } = start({ seed: 5 })
  const { clock: otherClock, disk: other, end: endOther } = start({ seed: 5 })
  await settle()
  await clock.advance(1_000, settle)
  await requests.scan(['x'], undefined)
  await clock.advance(2 * HOUR_MS, settle)
  await otherClock.advance(2 * HOUR_MS + 1_000, settle)
  const timed = disk.scans.filter((scan) => scan.subs[0] === '').map((scan) => scan.atMs)
  assert.deepEqual(
    timed,
    other.scans.map((scan) => scan.atMs),
  )
  await end()
  await endOther()
})

test('a failed scan does not apply next', async () => {
  const { clock, disk, requests, end } = start({ intervalMs: 0 })
  await settle()
  disk.scanError = new Error('broken')
  await assert.rejects(requests.scan(['a'], 1_000), /broken/)
  await clock.advance(4_000, settle) // before the automatic recheck
  assert.equal(disk.scans.length, 2)
  await end()
})

test('a scan requested before the first one has ended waits for it', async () => {
  const { clock, disk, requests, end } = start({ arrange: (each) => (each.durationMs = 10_000) })
  const answered: number[] = []
  const request = requests.scan(['a'], undefined).then(() => answered.push(clock.monotonicMs()))
  await clock.advance(10_000, settle)
  assert.deepEqual(answered, [])
  await clock.advance(10_000, settle)
  await request
  assert.deepEqual(
    disk.scans.map((scan) => scan.subs),
    [[''], ['a']],
  )
  assert.deepEqual(answered, [20_000])
  await end()
})

test('scans run in the order of their requests and never overlap', async () => {
  const { clock, disk, requests, end } = start({ arrange: (each) => (each.durationMs = 1_000) })
  const order: string[] = []
  const scans = ['c', 'a', 'b'].map((sub) => requests.scan([sub], undefined).then(() => order.push(sub)))
  await clock.advance(10_000, settle)
  await Promise.all(scans)
  assert.deepEqual(order, ['c', 'a', 'b'])
  assert.deepEqual(
    disk.scans.map((scan) => scan.atMs),
    [0, 1_000, 2_000, 3_000],
  )
  await end()
})

test('equal requests share a scan that starts after all of them, never one already running', async () => {
  const { clock, disk, requests, end } = start({ arrange: (each) => (each.durationMs = 1_000) })
  await clock.advance(1_000, settle)
  const first = requests.scan(['a'], undefined)
  await settle() // it runs now
  const later = [requests.scan(['a'], undefined), requests.scan(['a'], undefined)]
  await clock.advance(5_000, settle)
  await Promise.all([first, ...later])
  assert.deepEqual(
    disk.scans.map((scan) => scan.atMs),
    [0, 1_000, 2_000],
  )
  await end()
})

test('each of many requests gets its own result', async () => {
  const { disk, requests, end } = start()
  await settle()
  disk.health = new TwinfoldError('folder-error', 'folder path missing')
  const bad = requests.scan(['a'], undefined)
  await assert.rejects(bad, { message: 'folder path missing' })
  disk.health = undefined
  await requests.scan(['a'], undefined)
  await end()
})

test('a stop rejects queued and running scans with context canceled at once', async () => {
  const { clock, requests, stop, done } = start({ arrange: (each) => (each.durationMs = HOUR_MS) })
  await settle()
  const scans = [requests.scan(['a'], undefined), requests.scan(['b'], undefined)]
  const failures = Promise.all(
    scans.map((request) => assert.rejects(request, { code: 'stopped', message: 'context canceled' })),
  )
  stop.abort()
  await done
  await failures
  await assert.rejects(requests.scan(['c'], undefined), { message: 'context canceled' })
  assert.equal(clock.monotonicMs(), 0)
})

test('a running requested scan is canceled by a stop', async () => {
  const { disk, requests, stop, done } = start()
  await settle()
  disk.durationMs = HOUR_MS
  const request = requests.scan(['a'], undefined)
  await settle()
  stop.abort()
  await assert.rejects(request, { message: 'context canceled' })
  await done
})

test('a folder that fails its check is in error with the reason and does not access the disk', async () => {
  const { disk, requests, state, states, events, watched, end } = start()
  await settle()
  disk.health = new TwinfoldError('folder-error', 'folder marker missing')
  await assert.rejects(requests.scan([''], undefined), { code: 'folder-error', message: 'folder marker missing' })
  assert.equal(disk.scans.length, 1)
  assert.deepEqual(states().slice(3), ['idle→error'])
  assert.deepEqual(events.at(-1), [
    'StateChanged',
    { folder: 'docs', from: 'idle', to: 'error', duration: 0, error: 'folder marker missing' },
  ])
  assert.equal(state.error, 'folder marker missing')
  assert.deepEqual(watched, ['follow', 'stop'])
  await end()
})

test('the same error is reported once, a different one again', async () => {
  const { disk, requests, states, end } = start()
  await settle()
  disk.health = new TwinfoldError('folder-error', 'one')
  await assert.rejects(requests.scan([''], undefined))
  await assert.rejects(requests.scan([''], undefined))
  disk.health = new TwinfoldError('folder-error', 'two')
  await assert.rejects(requests.scan([''], undefined))
  assert.deepEqual(states().slice(3), ['idle→error', 'error→error'])
  await end()
})

test('the next successful scan clears the error and scans everything, whatever was requested', async () => {
  const { disk, requests, state, states, watched, end } = start()
  await settle()
  disk.health = new TwinfoldError('folder-error', 'one')
  await assert.rejects(requests.scan(['a'], undefined))
  disk.health = undefined
  await requests.scan(['a'], undefined)
  assert.deepEqual(states().slice(4), ['error→idle', 'idle→scan-waiting', 'scan-waiting→scanning', 'scanning→idle'])
  assert.deepEqual(disk.scans.at(-1)?.subs, [''])
  assert.equal(state.error, '')
  assert.deepEqual(watched, ['follow', 'stop', 'follow'])
  await end()
})

test('a folder in error recovers when its disk is back, also with an interval of 0', async () => {
  const { clock, disk, state, end } = start({
    intervalMs: 0,
    arrange: (each) => (each.health = new TwinfoldError('folder-error', 'folder path missing')),
  })
  await clock.advance(HOUR_MS, settle)
  assert.equal(state.name, 'error')
  assert.equal(disk.scans.length, 0)
  disk.health = undefined
  await clock.advance(300_000, settle)
  assert.equal(state.name, 'idle')
  assert.equal(disk.scans.length, 1)
  await end()
})

test('a damaged index triggers a full scan at once; repeated damage delays it', async () => {
  const { clock, disk, state, end } = start({
    arrange: (each) => (each.scanError = new TwinfoldError('database-damaged', 'malformed')),
  })
  await clock.advance(1, settle)
  assert.equal(state.name, 'error')
  assert.deepEqual(
    disk.scans.map((scan) => scan.subs),
    [[''], ['']],
  )
  disk.scanError = undefined
  await clock.advance(1_000, settle)
  assert.equal(disk.scans.length, 2)
  await clock.advance(60_000, settle)
  assert.equal(state.name, 'idle')
  assert.equal(disk.scans.length, 3)
  await end()
})

test('durations count from the full second of the last change; the first change has none', async () => {
  const { clock, events, state, end } = start({
    clock: new SimClock(1_700_000_000_700),
    arrange: (each) => (each.durationMs = 500),
  })
  await clock.advance(500, settle)
  const durations = events.map(([, data]) => (data as EventMap['StateChanged']).duration)
  assert.deepEqual(durations, [undefined, 0.7, 1.2])
  assert.equal(state.changedMs, 1_700_000_001_000)
  await end()
})

test('two folders share one slot alternately', async () => {
  const clock = new SimClock()
  const slots = new Semaphore(1)
  const arrange = (each: FakeDisk) => void (each.durationMs = 1_000)
  const one = start({ clock, slots, arrange })
  const two = start({ clock, slots, arrange })
  await settle()
  assert.deepEqual([one.state.name, two.state.name], ['scanning', 'scan-waiting'])
  await clock.advance(1_000, settle)
  assert.deepEqual([one.state.name, two.state.name], ['idle', 'scanning'])
  await clock.advance(1_000, settle)
  one.stop.abort()
  await one.done
  await two.end()
})

test('a stop while waiting for a slot does not consume the slot', async () => {
  const clock = new SimClock()
  const slots = new Semaphore(1)
  const arrange = (each: FakeDisk) => void (each.durationMs = 1_000)
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
  const { clock, disk, requests, end } = start({ arrange: (each) => (each.durationMs = 1_000) })
  await clock.advance(1_000, settle)
  requests.scanPaths(['a', 'b'])
  requests.scanPaths(['gone'])
  await clock.advance(5_000, settle)
  assert.deepEqual(
    disk.scans.slice(1).map((scan) => scan.subs),
    [['a', 'b'], ['gone']],
  )
  for (let i = 0; i < 100; i++) requests.scanPaths([String(i)])
  await clock.advance(30_000, settle)
  const rest = disk.scans.slice(3).map((scan) => scan.subs)
  assert.ok(rest.length < 20, `${rest.length} scans`)
  assert.ok(rest.some((subs) => subs[0] === ''))
  await end()
})

test('problems of items are listed, reported and replaced by the next scan of their path', async () => {
  const { disk, requests, state, problems, events, end } = start({
    arrange: (each) =>
      (each.problems = [
        { path: 'a/x', error: 'scan: e' },
        { path: 'b', error: 'scan: f' },
      ]),
  })
  await settle()
  assert.equal(problems.count, 2)
  assert.equal(state.name, 'idle')
  assert.equal(events.filter(([type]) => type === 'FolderErrors').length, 1)
  disk.problems = []
  await requests.scan(['a'], undefined)
  assert.deepEqual(
    problems.list().map((each) => each.path),
    ['b'],
  )
  await requests.scan([''], undefined)
  assert.equal(problems.count, 0)
  await end()
})

test('the same seed gives the same trace of events, another seed a different one', async () => {
  const traceOf = async (seed: number) => {
    const { clock, disk, requests, trace, end } = start({ seed, arrange: (each) => (each.durationMs = 1_234) })
    for (let i = 0; i < 20; i++) {
      await clock.advance(HOUR_MS / 3, settle)
      if (i % 4 === 0) requests.scanPaths([`p${i}`])
      if (i % 7 === 3) disk.health = new TwinfoldError('folder-error', 'folder path missing')
      else disk.health = undefined
      if (i % 5 === 2) requests.scan([`s${i}`], 60_000).catch(() => {})
    }
    await end()
    return trace.join('\n')
  }
  const first = await traceOf(42)
  assert.equal(await traceOf(42), first)
  assert.notEqual(await traceOf(43), first)
})

test('the first pull starts after the first scan and only when items are needed', async () => {
  const { clock, disk, folder, states, end } = start({
    arrange: (each) => Object.assign(each, { durationMs: 1_000, needed: true }),
  })
  folder.pullSoon()
  await clock.advance(999, settle)
  assert.deepEqual(disk.pulls, [])
  await clock.advance(1, settle)
  await settle()
  assert.deepEqual(disk.pulls, [1_000])
  assert.deepEqual(states().slice(3), [
    'idle→sync-waiting',
    'sync-waiting→sync-preparing',
    'sync-preparing→syncing',
    'syncing→idle',
  ])
  await end()
})

test('a pull without needed items changes no state', async () => {
  const { clock, folder, states, end } = start()
  await clock.advance(0, settle)
  const before = states().length
  folder.pullSoon()
  await clock.advance(10, settle)
  assert.equal(states().length, before)
  await end()
})

test("a scan runs during a pull, and the pull's state shows again after the scan", async () => {
  const { clock, disk, requests, state, states, end } = start({
    arrange: (each) => Object.assign(each, { needed: true, pullMs: 60_000 }),
  })
  await clock.advance(10, settle)
  assert.equal(state.name, 'syncing')
  const scan = requests.scan(['a'], undefined)
  await clock.advance(1, settle)
  await scan
  assert.equal(disk.scans.length, 2)
  assert.deepEqual(states().slice(-3), ['syncing→scan-waiting', 'scan-waiting→scanning', 'scanning→syncing'])
  disk.needed = false
  await clock.advance(60_000, settle)
  assert.equal(state.name, 'idle')
  await end()
})

test('failed pulls are retried with backoff, and at once after an update', async () => {
  const failing = [{ path: 'f', error: 'syncing: no' }]
  const { clock, disk, folder, problems, events, end } = start({
    intervalMs: 0,
    arrange: (each) =>
      Object.assign(each, { needed: true, outcome: { problems: failing, rescan: [], complete: false } }),
  })
  await clock.advance(600_000, settle)
  assert.deepEqual(disk.pulls, [0, 60_000, 180_000, 420_000])
  assert.deepEqual([problems.list(), problems.count], [failing, 1])
  assert.equal(events.filter(([type]) => type === 'FolderErrors').length, 4)
  folder.pullSoon()
  await settle()
  await settle()
  assert.equal(disk.pulls.at(-1), 600_000)
  disk.outcome = { problems: [], rescan: [], complete: true }
  await clock.advance(10_000_000, settle)
  assert.equal(problems.count, 0)
  assert.equal(disk.pulls.length, 6)
  await end()
})

test('a requested scan retries failed items at once', async () => {
  const failing = [{ path: 'f', error: 'syncing: no' }]
  const { clock, disk, requests, problems, end } = start({
    intervalMs: 0,
    arrange: (each) =>
      Object.assign(each, { needed: true, outcome: { problems: failing, rescan: [], complete: false } }),
  })
  await clock.advance(10_000, settle)
  disk.outcome = { problems: [], rescan: [], complete: true }
  const scan = requests.scan([''], undefined)
  await clock.advance(1, settle)
  await scan
  await settle()
  assert.deepEqual([disk.pulls.length, problems.count], [2, 0])
  await end()
})

test('a pull requests scans of unexpected items, and a folder in error neither pulls nor spins', async () => {
  const { clock, disk, requests, end } = start({
    arrange: (each) =>
      Object.assign(each, { needed: true, outcome: { problems: [], rescan: ['met'], complete: false } }),
  })
  await clock.advance(10, settle)
  assert.deepEqual(
    disk.scans.map(({ subs }) => subs),
    [[''], ['met']],
  )
  disk.health = new TwinfoldError('folder-error', 'folder path missing')
  await assert.rejects(requests.scan([''], undefined), { message: 'folder path missing' })
  const pulls = disk.pulls.length
  await clock.advance(1_000_000, settle)
  assert.equal(disk.pulls.length, pulls)
  disk.health = undefined
  await clock.advance(1_000_000, settle)
  assert.ok(disk.pulls.length > pulls)
  await end()
})

test('stopping aborts a running pull', async () => {
  const { clock, state, end } = start({ arrange: (each) => Object.assign(each, { needed: true, pullMs: 1_000_000 }) })
  await clock.advance(10, settle)
  assert.equal(state.name, 'syncing')
  await end()
})

test('old versions are cleaned up every interval, except in error; a failure is not fatal', async () => {
  const { clock, disk, states, warnings, end } = start({ intervalMs: 0, cleanMs: HOUR_MS })
  await clock.advance(3.5 * HOUR_MS, settle)
  assert.deepEqual(disk.cleanings, [HOUR_MS, 2 * HOUR_MS, 3 * HOUR_MS])
  assert.deepEqual(states().slice(-3), ['idle→clean-waiting', 'clean-waiting→cleaning', 'cleaning→idle'])
  disk.cleanError = new Error('no room')
  await clock.advance(HOUR_MS, settle)
  assert.equal(disk.cleanings.length, 4)
  assert.match(warnings.at(-1) ?? '', /could not be cleaned up: no room$/)
  disk.health = new TwinfoldError('folder-error', 'folder path missing')
  await clock.advance(5 * HOUR_MS, settle)
  assert.equal(disk.cleanings.length, 4)
  assert.equal(states().at(-1), 'idle→error')
  await end()
})

test('tasks run between scans, one at a time, and report their result to the caller', async () => {
  const { clock, disk, requests, states, end } = start({ arrange: (each) => void (each.durationMs = 1_000) })
  const states3 = { waiting: 'scan-waiting', working: 'scanning' } as const
  const done: string[] = []
  const task = (name: string, error?: Error) =>
    requests.perform({
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
  disk.health = new TwinfoldError('folder-error', 'folder path missing')
  const failed = assert.rejects(task('third'), { code: 'folder-error' })
  await clock.advance(1, settle)
  await failed
  const waiting = assert.rejects(task('never'), { code: 'folder-error' })
  await clock.advance(1, settle)
  await waiting
  await end()
  await assert.rejects(task('too late'), { code: 'stopped' })
})

test('a failing pull puts the folder in error, which a later check clears', async () => {
  const { clock, disk, state, states, watched, end } = start({
    arrange: (each) =>
      Object.assign(each, { needed: true, pullError: new TwinfoldError('folder-error', 'disk is gone') }),
  })
  await clock.advance(10, settle)
  assert.deepEqual([state.name, state.error], ['error', 'disk is gone'])
  assert.equal(states().at(-1), 'syncing→error')
  assert.equal(watched.at(-1), 'stop')
  Object.assign(disk, { pullError: undefined, needed: false })
  await clock.advance(10_000, settle)
  assert.equal(state.name, 'idle')
  await end()
})
