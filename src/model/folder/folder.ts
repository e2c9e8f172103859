import { SHARED_IGNORES_NAME } from '../../core/ignore/shared-ignores.ts'
import { type ScanScope, WHOLE_FOLDER } from '../../core/paths.ts'
import type { FolderConfig } from '../../core/config/config.ts'
import { detailOf, messageOf, TwinfoldError } from '../../core/errors.ts'
import { explainStop } from '../../core/remedies/stop-text.ts'
import type { EventSink, Logger } from '../../events/types.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Random } from '../../platform/random.ts'
import type { ScanProblem } from '../../scanner/types.ts'
import type { Semaphore } from '../../sync/semaphore.ts'
import type { Service } from '../../sync/supervisor.ts'
import type { PullProgress } from '../state/file-progress.ts'
import { isIndexDamage, preventsExchange } from '../state/exchange-failure.ts'
import type { JobQueue } from '../state/job-queue.ts'
import type { FileVersion, FolderStatus, VersionsUsed } from '../types.ts'
import type { Availability } from './availability.ts'
import type { FolderCheck, FolderChecks } from './folder-checks.ts'
import type { FolderKept } from './folder-kept.ts'
import type { FolderProblems } from './folder-problems.ts'
import type { FolderRequests, FolderTask, RequestedScan } from './folder-requests.ts'
import type { DropWork, FolderSelection } from './folder-selection.ts'
import type { FolderState } from './folder-state.ts'
import type { FolderTasks } from './folder-tasks.ts'
import type { FolderWatch } from './folder-watch.ts'
import type { GuardDecisions } from './guard-decisions.ts'
import type { LocalClones } from './local-clones.ts'
import type { MergeKeeper } from './merge-keeper.ts'
import type { Pulls } from './pulls.ts'
import type { QueuedRequest } from './request-queue.ts'
import type { ScanWork } from './scan-work.ts'
import type { SharedIgnores } from './shared-ignores.ts'
import { FolderSchedule } from './schedule.ts'
import { superviseAll } from './supervise-all.ts'

export interface FolderDeps {
  readonly clock: Clock
  readonly random: Random
  readonly events: EventSink
  readonly log: Logger
  readonly slots: Semaphore
  readonly jobs: JobQueue
  readonly requests: FolderRequests
  readonly state: FolderState
  readonly problems: FolderProblems
  readonly checks: Pick<FolderChecks, 'check'>
  readonly work: Pick<ScanWork, 'place' | 'prepare' | 'scan'>
  readonly pulls: Pulls
  readonly selection: Pick<FolderSelection, 'beforeScan'>
  readonly tasks: FolderTasks
  readonly kept: FolderKept
  readonly guarding: GuardDecisions
  readonly sharedIgnores: SharedIgnores
  readonly clones: Pick<LocalClones, 'requirePossible'>
  readonly merging: Pick<MergeKeeper, 'offer'>
  readonly availability: Availability
  readonly watch: Pick<FolderWatch, 'name' | 'run' | 'follow' | 'stop' | 'error'>
}

/**
 * A folder that is not paused. Its loop schedules scans (`ScanWork`), one at a time, and starts pulls (`Pulls`), which
 * run concurrently. Watchers, timers, other devices and REST calls only enqueue requests and wake the loop.
 */
export class Folder implements Service {
  readonly name: string
  readonly jobs: JobQueue
  readonly requests: FolderRequests
  readonly tasks: FolderTasks
  readonly kept: FolderKept
  readonly guarding: GuardDecisions
  readonly sharedIgnores: SharedIgnores
  readonly clones: Pick<LocalClones, 'requirePossible'>
  readonly merging: Pick<MergeKeeper, 'offer'>
  readonly #deps: FolderDeps
  readonly #folder: FolderConfig
  readonly #schedule: FolderSchedule
  readonly #stop = new AbortController()
  #done: Promise<unknown> = Promise.resolve()
  #ignorePatterns = false
  #scannedOnce = false

  constructor(deps: FolderDeps, folder: FolderConfig) {
    this.#deps = deps
    this.#folder = folder
    this.name = `model/${folder.id}`
    this.jobs = deps.jobs
    this.requests = deps.requests
    this.tasks = deps.tasks
    this.kept = deps.kept
    this.guarding = deps.guarding
    this.sharedIgnores = deps.sharedIgnores
    this.clones = deps.clones
    this.merging = deps.merging
    this.#schedule = new FolderSchedule(folder.rescanIntervalS * 1_000, deps.tasks.cleanIntervalMs, deps.random)
  }

  start(): void {
    this.#deps.availability.begin()
    this.#done = superviseAll([this, this.#deps.watch], this.#deps, this.#stop.signal)
  }

  /** Resolves when all tasks of the folder have ended; pending scan requests are rejected. */
  async stop(): Promise<void> {
    this.#stop.abort(canceled())
    await this.#done
    this.#deps.availability.end()
  }

  status(): Omit<FolderStatus, 'sequence' | 'remoteSequences' | 'counts'> {
    const { problems, state, watch } = this.#deps
    return {
      state: state.name,
      stateChangedMs: state.changedMs,
      error: state.error,
      errorCount: problems.count,
      watchError: watch.error,
      ignorePatterns: this.#ignorePatterns,
    }
  }

  /** The error for users, with the path of the root and what to do; empty where there is none. */
  explainError(path: string): string {
    const { state } = this.#deps
    return explainStop(state.errorDetail, state.error, { path, markerName: this.#folder.markerName })
  }

  /** By path, newest first. Rejects with `folder-error` where the folder keeps no versions. */
  async versions(): Promise<ReadonlyMap<string, readonly FileVersion[]>> {
    return await this.tasks.versions(this.#stop.signal)
  }

  async versionsUsed(): Promise<VersionsUsed> {
    return await this.tasks.versionsUsed(this.#stop.signal)
  }

  get problems(): readonly ScanProblem[] {
    return this.#deps.problems.list()
  }

  get isPulling(): boolean {
    return this.#deps.pulls.isPulling
  }

  /** Progress of the files being pulled, by name. */
  get pulling(): ReadonlyMap<string, PullProgress> {
    return this.#deps.pulls.progress
  }

  /** The exchange with a device could not use the index or the token. */
  exchangeFailed(error: unknown): void {
    if (this.#deps.state.error === messageOf(error)) return // known, and checked again in time
    this.#failed(error)
    this.requests.wake()
  }

  /** Pulls after the first scan, as soon as no pull is running. */
  pullSoon(): void {
    this.#deps.pulls.request()
    this.#deps.requests.wake()
  }

  async run(signal: AbortSignal): Promise<void> {
    const { pulls, requests, work } = this.#deps
    try {
      await work.prepare()
      while (!signal.aborted) await this.#step(signal)
    } catch (error) {
      if (!signal.aborted) throw error
    } finally {
      pulls.stop(signal.reason)
      await pulls.ended()
      if (signal.aborted) requests.close(canceled())
    }
  }

  /** Runs the most urgent task or waits for one. The first step always is the initial scan. */
  async #step(signal: AbortSignal): Promise<void> {
    const { clock, pulls, requests } = this.#deps
    const nowMs = clock.monotonicMs()
    if (this.#schedule.rescans.isDue(nowMs)) return await this.#timedScan(signal)
    if (requests.isFullScanWanted) return await this.#quietScan(WHOLE_FOLDER, signal)
    const scan = requests.takeScan()
    if (scan !== undefined) return await this.#requestedScan(scan, signal)
    const task = requests.takeTask()
    if (task !== undefined) return await this.#perform(task, signal)
    const paths = requests.takePaths()
    if (paths !== undefined) return await this.#quietScan(paths, signal)
    if (this.#schedule.rechecks.isDue(nowMs)) return await this.#recheck()
    if (!this.#deps.state.isInError && this.#schedule.cleaning.isDue(nowMs)) return await this.#clean(nowMs, signal)
    if (this.#mayPull && pulls.isDue(nowMs)) this.#pull(signal).catch((error: unknown) => this.#failed(error))
    const pullMs = this.#mayPull ? pulls.delayMs(nowMs) : Number.POSITIVE_INFINITY
    await requests.wait(clock, Math.min(pullMs, this.#schedule.delayMs(nowMs, this.#deps.state.isInError)), signal)
  }

  /** No pull before the first scan, nor while the folder is in error. */
  get #mayPull(): boolean {
    return this.#scannedOnce && !this.#deps.state.isInError
  }

  async #pull(signal: AbortSignal): Promise<void> {
    const failure = await this.#deps.pulls.run(signal)
    if (failure !== undefined) this.#failed(failure.error)
    this.#deps.requests.wake()
  }

  async #timedScan(signal: AbortSignal): Promise<void> {
    await this.#quietScan(WHOLE_FOLDER, signal)
    this.#schedule.rescans.rearm(this.#deps.clock.monotonicMs())
  }

  async #perform(task: QueuedRequest<FolderTask>, signal: AbortSignal): Promise<void> {
    try {
      await this.#runInSlot(task.request, signal)
      this.#deps.pulls.request()
      task.succeed()
    } catch (error) {
      task.fail(signal.aborted ? canceled(error) : error)
    }
  }

  /** Rejects when the folder is in error, which its state then shows, or when the task fails. */
  async #runInSlot({ states, run }: FolderTask, signal: AbortSignal): Promise<void> {
    const { checks, slots, state } = this.#deps
    const check = await checks.check().catch((error: unknown) => {
      if (!signal.aborted) this.#failed(error)
      throw error
    })
    state.setWork(states.waiting)
    try {
      using _slot = await slots.acquire(signal)
      state.setWork(states.working)
      await run(check, signal)
    } finally {
      state.endWork()
    }
  }

  async #clean(nowMs: number, signal: AbortSignal): Promise<void> {
    this.#schedule.cleaning.rearm(nowMs)
    if (!(await this.tasks.isCleanDue())) return
    try {
      await this.#runInSlot(this.tasks.cleanUp, signal)
    } catch (error) {
      if (signal.aborted) throw error
      this.#deps.log.warn(`folder ${this.#folder.id}: old versions could not be cleaned up: ${messageOf(error)}`)
    }
  }

  async #requestedScan(scan: QueuedRequest<RequestedScan>, signal: AbortSignal): Promise<void> {
    const { clock, problems, pulls } = this.#deps
    const { scope, nextMs } = scan.request
    try {
      await this.#scan(scope, signal)
    } catch (error) {
      scan.fail(signal.aborted ? canceled(error) : error)
      return
    }
    // Not by the caller: the loop may start another scan before the caller's continuation runs.
    if (nextMs !== undefined) this.#schedule.rescans.rearmExactly(clock.monotonicMs(), nextMs)
    // A requested scan often follows a repair by the user: retry failed items without waiting for the next retry.
    if (problems.pullCount > 0) pulls.request()
    scan.succeed()
  }

  /** A scan without a waiting caller: failures show in the folder's state. */
  async #quietScan(scope: ScanScope, signal: AbortSignal): Promise<void> {
    const { log } = this.#deps
    await this.#scan(scope, signal).catch((error: unknown) => {
      if (!signal.aborted) log.debug(() => `folder ${this.#folder.id}: scan failed: ${messageOf(error)}`)
    })
    signal.throwIfAborted()
  }

  async #scan(scope: ScanScope, signal: AbortSignal): Promise<void> {
    const { availability, checks, pulls, requests, state, watch, work } = this.#deps
    // Changes may have been missed while the folder was in error, so everything is scanned.
    const paths = this.#deps.state.isInError ? WHOLE_FOLDER : scope
    if (paths.includes('')) requests.fullScanBegins()
    try {
      const first = await checks.check()
      if (this.#deps.state.isInError) pulls.request()
      state.endWork()
      // Changes in dropped directories are watched: what is made there is kept.
      await watch.follow(first.ignore.userLines, await work.place(paths, first), signal)
      const drop: DropWork = (dropped, check, isForced) => pulls.drop(dropped, isForced, check, signal)
      const next = await this.#deps.selection.beforeScan(paths, first, drop, signal)
      await this.#scanInSlot(next.scope, next.check, signal)
      this.#schedule.rechecks.recovered()
      availability.setUsable(true)
    } catch (error) {
      if (signal.aborted) throw error
      this.#failed(error)
      throw error
    } finally {
      this.#scannedOnce = true
    }
  }

  async #scanInSlot(scope: ScanScope, check: FolderCheck, signal: AbortSignal): Promise<void> {
    const { problems, pulls, slots, state, work } = this.#deps
    state.setWork('scan-waiting')
    using _slot = await slots.acquire(signal)
    state.setWork('scanning')
    this.#ignorePatterns = check.ignore.lines.length > 0
    const result = await work.scan(scope, check, signal)
    problems.setScan(scope, [...result.problems, ...this.#sharedProblem(scope)])
    if (result.changed > 0 || !this.#scannedOnce) pulls.request()
    state.endWork()
  }

  #sharedProblem(scope: ScanScope): readonly ScanProblem[] {
    const { problem } = this.sharedIgnores
    if (problem === undefined || !(scope.includes('') || scope.includes(SHARED_IGNORES_NAME))) return []
    const error = `shared ignores: ${problem}. It is not used; its last valid content stays in force`
    return [{ path: SHARED_IGNORES_NAME, error }]
  }

  #failed(error: unknown): void {
    const { availability, clock, log, pulls, state, watch } = this.#deps
    const reason = messageOf(error)
    watch.stop()
    pulls.stop(error)
    const isNew = state.error !== reason
    state.fail(reason, detailOf(error))
    if (isNew) log.warn(`folder ${this.#folder.id} stopped: ${this.explainError(this.#folder.path)}`)
    if (!(error instanceof TwinfoldError))
      log.debug(() => `folder ${this.#folder.id}: ${String(Error.isError(error) ? error.stack : error)}`)
    if (preventsExchange(error)) availability.setUsable(false)
    // The store has moved the damaged index aside and uses an empty one. It holds no records, so the scan that refills
    // it cannot announce deletions; the scan starts at once, unless the index was damaged repeatedly.
    this.#schedule.rechecks.failed(clock.monotonicMs(), isIndexDamage(error))
  }

  /** Checks whether the error is resolved (e.g. a disk is mounted again), without waiting for the next rescan. */
  async #recheck(): Promise<void> {
    this.#schedule.rechecks.taken()
    try {
      await this.#deps.work.prepare()
      await this.#deps.checks.check()
      this.requests.scanSoon()
    } catch (error) {
      this.#failed(error)
    }
  }
}

function canceled(cause?: unknown): TwinfoldError {
  return new TwinfoldError('stopped', 'context canceled', { cause })
}
