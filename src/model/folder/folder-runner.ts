import { messageOf, TwinfoldError } from '../../core/errors.ts'
import type { FolderId } from '../../core/ids.ts'
import type { EventSink, Logger } from '../../events/types.ts'
import type { ScanProblem, ScanResult } from '../../scanner/types.ts'
import type { Semaphore } from '../../sync/semaphore.ts'
import type { Service } from '../../sync/supervisor.ts'
import { Wakeup } from '../../sync/wakeup.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Random } from '../../platform/random.ts'
import { TaskQueue, type FolderTask, type QueuedTask } from './task-queue.ts'
import type { FolderCheck, FolderWork, WatchControl } from './folder-contracts.ts'
import { FolderState } from './folder-state.ts'
import { Problems } from '../state/problems.ts'
import { PullControl } from './pull-control.ts'
import { ScanQueue, type ScanJob } from './scan-queue.ts'
import { CleanSchedule, RecheckSchedule, RescanSchedule } from './schedule.ts'
import type { FolderStateName } from '../types.ts'

const WHOLE_FOLDER: readonly string[] = ['']
/** Limit of queued lists of changed paths; beyond it a full scan is cheaper. */
const CHANGES_MAX = 16

const CLEANING = { waiting: 'clean-waiting', working: 'cleaning' } as const
/** States that have precedence over the state of a concurrent pull. */
const BUSY_STATES: ReadonlySet<FolderStateName> = new Set([
  'scanning',
  'scan-waiting',
  'cleaning',
  'clean-waiting',
  'error',
])

export interface FolderRunnerDeps {
  readonly clock: Clock
  readonly random: Random
  readonly events: EventSink
  readonly log: Logger
  readonly slots: Semaphore
  readonly pullSlots: Semaphore
  readonly work: FolderWork
  readonly watch: WatchControl
}

export interface FolderRunnerOptions {
  readonly folder: FolderId
  readonly rescanIntervalMs: number
  /** Delay before failed items are retried; 0 is the default of one minute. */
  readonly pullPauseMs: number
  /** Interval of the clean-up of old versions; 0 disables it. */
  readonly cleanIntervalMs: number
}

/**
 * The loop of one folder: it schedules scans, one at a time, and starts pulls, which run concurrently. Watchers,
 * timers, other devices and REST calls only enqueue work and wake the loop.
 */
export class FolderRunner implements Service {
  readonly name: string
  readonly state: FolderState
  readonly #deps: FolderRunnerDeps
  readonly #folder: FolderId
  readonly #schedule: RescanSchedule
  readonly #queue = new ScanQueue()
  readonly #tasks = new TaskQueue()
  readonly #cleaning: CleanSchedule
  readonly #rechecks = new RecheckSchedule()
  readonly #wakeup = new Wakeup()
  readonly #problems = new Problems()
  /** Separate from the schedule: a request during a timed scan must survive the rearming of the schedule. */
  #scanRequested = false
  #changedPaths: (readonly string[])[] = []
  #ignorePatterns = false
  #scannedOnce = false
  readonly #pulls: PullControl

  constructor(deps: FolderRunnerDeps, options: FolderRunnerOptions) {
    this.#deps = deps
    this.#folder = options.folder
    this.name = `model/${options.folder}`
    this.state = new FolderState(deps, options.folder)
    this.#schedule = new RescanSchedule(options.rescanIntervalMs, deps.random)
    this.#cleaning = new CleanSchedule(options.cleanIntervalMs)
    const { clock, events, log, pullSlots, work } = deps
    this.#pulls = new PullControl(
      {
        clock,
        events,
        log,
        work,
        slots: pullSlots,
        problems: () => this.problems,
        onState: () => this.#showPull(),
        onEnd: () => this.#wakeup.ring(),
        onFailure: (error) => this.#failed(error),
        onRescan: (path) => this.pathsChanged([path]),
      },
      { folder: options.folder, pauseMs: options.pullPauseMs },
    )
  }

  get problems(): readonly ScanProblem[] {
    return [...this.#problems.list(), ...this.#pulls.problems]
  }

  get problemCount(): number {
    return this.#problems.count + this.#pulls.problemCount
  }

  /** Whether the last scan had any ignore patterns. */
  get ignorePatterns(): boolean {
    return this.#ignorePatterns
  }

  /** Resolves when the scan has ended and the index holds its results. The scan continues when the caller aborts. */
  scan(subs: readonly string[], nextMs: number | undefined): Promise<void> {
    const result = this.#queue.add(subs, nextMs)
    this.#wakeup.ring()
    return result
  }

  /** Resolves when the task has ended. The task continues when the caller aborts. */
  perform(task: FolderTask): Promise<void> {
    const result = this.#tasks.add(task)
    this.#wakeup.ring()
    return result
  }

  /** Schedules a full scan without waiting for it. */
  scanSoon(): void {
    this.#scanRequested = true
    this.#wakeup.ring()
  }

  /** Pulls after the first scan, as soon as no pull is running. */
  pullSoon(): void {
    this.#pulls.request()
    this.#wakeup.ring()
  }

  /** Queues one scan of these paths. */
  pathsChanged(paths: readonly string[]): void {
    if (this.#changedPaths.length >= CHANGES_MAX) this.#changedPaths = [WHOLE_FOLDER]
    else this.#changedPaths.push([...paths])
    this.#wakeup.ring()
  }

  async run(signal: AbortSignal): Promise<void> {
    try {
      await this.#deps.work.prepare()
      while (!signal.aborted) await this.#step(signal)
    } catch (error) {
      if (!signal.aborted) throw error
    } finally {
      this.#pulls.stop(signal.reason)
      await this.#pulls.ended()
      if (signal.aborted) {
        this.#queue.close(new TwinfoldError('stopped', 'context canceled'))
        this.#tasks.close(new TwinfoldError('stopped', 'context canceled'))
      }
    }
  }

  /** Runs the most urgent task or waits for one. The first step always is the initial scan. */
  async #step(signal: AbortSignal): Promise<void> {
    const nowMs = this.#deps.clock.monotonicMs()
    if (this.#schedule.isDue(nowMs)) return await this.#timedScan(signal)
    if (this.#scanRequested) return await this.#quietScan(WHOLE_FOLDER, signal)
    const job = this.#queue.take()
    if (job !== undefined) return await this.#requestedScan(job, signal)
    const task = this.#tasks.take()
    if (task !== undefined) return await this.#perform(task, signal)
    const paths = this.#changedPaths.shift()
    if (paths !== undefined) return await this.#quietScan(paths, signal)
    if (this.#rechecks.isDue(nowMs)) return await this.#recheck()
    if (this.state.name !== 'error' && this.#cleaning.isDue(nowMs)) return await this.#clean(nowMs, signal)
    if (this.#mayPull && this.#pulls.isDue(nowMs)) this.#pulls.start(signal)
    await this.#waitForWork(nowMs, signal)
  }

  /** No pull before the first scan, nor while the folder is in error. */
  get #mayPull(): boolean {
    return this.#scannedOnce && this.state.name !== 'error'
  }

  async #waitForWork(nowMs: number, signal: AbortSignal): Promise<void> {
    const rescanMs = this.#schedule.delayMs(nowMs) ?? Number.POSITIVE_INFINITY
    const pullMs = this.#mayPull ? this.#pulls.delayMs(nowMs) : Number.POSITIVE_INFINITY
    const cleanMs = this.state.name === 'error' ? Number.POSITIVE_INFINITY : this.#cleaning.delayMs(nowMs)
    const delayMs = Math.min(rescanMs, this.#rechecks.delayMs(nowMs), pullMs, cleanMs)
    const alarm = new AbortController()
    if (delayMs < Number.POSITIVE_INFINITY) {
      // A rejection is our own abort below: another event woke the loop first.
      this.#deps.clock.sleep(delayMs, alarm.signal).then(
        () => this.#wakeup.ring(),
        () => {},
      )
    }
    try {
      await this.#wakeup.wait(signal)
    } finally {
      alarm.abort()
    }
  }

  async #timedScan(signal: AbortSignal): Promise<void> {
    await this.#quietScan(WHOLE_FOLDER, signal)
    this.#schedule.rearm(this.#deps.clock.monotonicMs())
  }

  async #perform(task: QueuedTask, signal: AbortSignal): Promise<void> {
    try {
      await this.#runInSlot(task, signal)
      this.#pulls.request()
      task.succeed()
    } catch (error) {
      task.fail(signal.aborted ? new TwinfoldError('stopped', 'context canceled', { cause: error }) : error)
    }
  }

  /** Rejects when the folder is in error, which its state then shows, or when the task fails. */
  async #runInSlot({ states, run }: FolderTask, signal: AbortSignal): Promise<void> {
    const check = await this.#deps.work.check().catch((error: unknown) => {
      if (!signal.aborted) this.#failed(error)
      throw error
    })
    this.state.move(states.waiting)
    try {
      using _slot = await this.#deps.slots.acquire(signal)
      this.state.move(states.working)
      await run(check, signal)
    } finally {
      this.#showPullOrIdle()
    }
  }

  async #clean(nowMs: number, signal: AbortSignal): Promise<void> {
    this.#cleaning.rearm(nowMs)
    try {
      await this.#runInSlot({ states: CLEANING, run: (_check, until) => this.#deps.work.clean(until) }, signal)
    } catch (error) {
      if (signal.aborted) throw error
      this.#deps.log.warn(`folder ${this.#folder}: old versions could not be cleaned up: ${messageOf(error)}`)
    }
  }

  async #requestedScan(job: ScanJob, signal: AbortSignal): Promise<void> {
    try {
      await this.#scan(job.subs, signal)
    } catch (error) {
      job.fail(signal.aborted ? new TwinfoldError('stopped', 'context canceled', { cause: error }) : error)
      return
    }
    // Not by the caller: the loop may start another scan before the caller's continuation runs.
    if (job.nextMs !== undefined) this.#schedule.rearmExactly(this.#deps.clock.monotonicMs(), job.nextMs)
    // A requested scan often follows a repair by the user: retry failed items without waiting for the next retry.
    if (this.#pulls.problemCount > 0) this.#pulls.request()
    job.succeed()
  }

  /** A scan without a waiting caller: failures show in the folder's state. */
  async #quietScan(subs: readonly string[], signal: AbortSignal): Promise<void> {
    await this.#scan(subs, signal).catch((error: unknown) => {
      if (!signal.aborted) this.#deps.log.debug(() => `folder ${this.#folder}: scan failed: ${messageOf(error)}`)
    })
    signal.throwIfAborted()
  }

  async #scan(subs: readonly string[], signal: AbortSignal): Promise<void> {
    // Changes may have been missed while the folder was in error, so everything is scanned.
    const paths = this.state.name === 'error' ? WHOLE_FOLDER : subs
    if (paths.includes('')) this.#coveredByFullScan()
    try {
      const check = await this.#deps.work.check()
      if (this.state.name === 'error') this.#pulls.request()
      this.#showPullOrIdle()
      await this.#deps.watch.follow(check.ignore.lines, signal)
      await this.#scanInSlot(paths, check, signal)
      this.#rechecks.recovered()
    } catch (error) {
      if (signal.aborted) throw error
      this.#failed(error)
      throw error
    } finally {
      this.#scannedOnce = true
    }
  }

  /** A full scan covers all pending paths. */
  #coveredByFullScan(): void {
    this.#changedPaths = []
    this.#scanRequested = false
  }

  async #scanInSlot(subs: readonly string[], check: FolderCheck, signal: AbortSignal): Promise<void> {
    const { log, slots, work } = this.#deps
    this.state.move('scan-waiting')
    using _slot = await slots.acquire(signal)
    this.state.move('scanning')
    this.#ignorePatterns = check.ignore.lines.length > 0
    const startedMs = this.#deps.clock.monotonicMs()
    log.debug(() => `folder ${this.#folder}: scanning ${describe(subs)}`)
    const result = await work.scan(subs, check, signal)
    this.#reportProblems(subs, result)
    await work.scanned()
    if (result.changed > 0 || !this.#scannedOnce) this.#pulls.request()
    this.#showPullOrIdle()
    log.debug(() => {
      const durationMs = Math.round(this.#deps.clock.monotonicMs() - startedMs)
      return (
        `folder ${this.#folder}: scanned ${describe(subs)}: ${result.itemsSeen} items, ${result.changed} changed, ` +
        `${result.bytesHashed} bytes hashed, ${result.problems.length} problems, ${durationMs} ms`
      )
    })
  }

  #reportProblems(subs: readonly string[], result: ScanResult): void {
    if (!this.#problems.replace(subs, result.problems)) return
    const errors = this.#problems.list()
    for (const { path, error } of result.problems.slice(0, 10)) {
      this.#deps.log.warn(`folder ${this.#folder}: ${path}: ${error}`)
    }
    if (errors.length > 0) this.#deps.events.emit('FolderErrors', { folder: this.#folder, errors })
  }

  #failed(error: unknown): void {
    const reason = messageOf(error)
    this.#deps.watch.stop()
    this.#pulls.stop(error)
    if (this.state.error !== reason) this.#deps.log.warn(`folder ${this.#folder} stopped: ${reason}`)
    if (!(error instanceof TwinfoldError)) this.#deps.log.debug(() => `folder ${this.#folder}: ${stackOf(error)}`)
    this.state.fail(reason)
    // The store has moved the damaged index aside and uses an empty one. It holds no records, so the scan that refills
    // it cannot announce deletions; the scan starts at once, unless the index was damaged repeatedly.
    this.#rechecks.failed(this.#deps.clock.monotonicMs(), isDamage(error))
  }

  /** No scan runs: the state is that of the pull, or idle. */
  #showPullOrIdle(): void {
    this.state.move(this.#pulls.state ?? 'idle')
  }

  #showPull(): void {
    const { name } = this.state
    if (!BUSY_STATES.has(name)) this.#showPullOrIdle()
  }

  /** Checks whether the error is resolved (e.g. a disk is mounted again), without waiting for the next rescan. */
  async #recheck(): Promise<void> {
    this.#rechecks.taken()
    try {
      await this.#deps.work.check()
      this.scanSoon()
    } catch (error) {
      this.#failed(error)
    }
  }
}

function describe(subs: readonly string[]): string {
  return subs.length === 1 && subs[0] === '' ? 'everything' : subs.map((sub) => JSON.stringify(sub)).join(' ')
}

/** The index was damaged; the store has replaced it with an empty one. */
export function isDamage(error: unknown): boolean {
  return error instanceof TwinfoldError && error.code === 'database-damaged'
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
