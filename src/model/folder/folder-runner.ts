import { messageOf, TwinfoldError } from '../../core/errors.ts'
import type { FolderId } from '../../core/ids.ts'
import type { EventSink, Logger } from '../../events/types.ts'
import type { ScanProblem, ScanResult } from '../../scanner/types.ts'
import type { Semaphore } from '../../sync/semaphore.ts'
import type { Service } from '../../sync/supervisor.ts'
import { Wakeup } from '../../sync/wakeup.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Random } from '../../platform/random.ts'
import { Chores, type Chore, type WaitingChore } from './chores.ts'
import type { FolderCheck, FolderWork, WatchControl } from './folder-contracts.ts'
import { FolderState } from './folder-state.ts'
import { Problems } from '../state/problems.ts'
import { PullControl } from './pull-control.ts'
import { ScanQueue, type ScanJob } from './scan-queue.ts'
import { CleanSchedule, RecheckSchedule, RescanSchedule } from './schedule.ts'
import type { FolderStateName } from '../types.ts'

const WHOLE_FOLDER: readonly string[] = ['']
/** Lists of changed paths that may wait; with more of them a look at everything is the cheaper answer. */
const CHANGES_MAX = 16

const CLEANING = { waiting: 'clean-waiting', working: 'cleaning' } as const
/** States that a pull beside them does not take over. */
const AT_WORK: ReadonlySet<FolderStateName> = new Set([
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
  /** How long to wait before trying again what could not be pulled; 0 is the usual minute. */
  readonly pullPauseMs: number
  /** How often old versions are cleaned up; 0 is never. */
  readonly cleanIntervalMs: number
}

/**
 * One folder, one loop: it decides when to scan, one scan after the other, and starts pulls, which run beside it.
 * Watchers, timers, other devices and REST calls only leave a note and ring.
 */
export class FolderRunner implements Service {
  readonly name: string
  readonly state: FolderState
  readonly #deps: FolderRunnerDeps
  readonly #folder: FolderId
  readonly #schedule: RescanSchedule
  readonly #queue = new ScanQueue()
  readonly #chores = new Chores()
  readonly #cleaning: CleanSchedule
  readonly #rechecks = new RecheckSchedule()
  readonly #wakeup = new Wakeup()
  readonly #problems = new Problems()
  /** Kept apart from the schedule: a wish uttered while a timed scan runs must not be lost when that is armed again. */
  #scanWanted = false
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

  /** Whether the last scan knew any ignore patterns. */
  get ignorePatterns(): boolean {
    return this.#ignorePatterns
  }

  /** Resolves when the scan has ended and the index holds what it found. Goes on when the caller has lost interest. */
  scan(subs: readonly string[], nextMs: number | undefined): Promise<void> {
    const result = this.#queue.add(subs, nextMs)
    this.#wakeup.ring()
    return result
  }

  /** Resolves when it is done, between two scans. Goes on when the caller has lost interest. */
  perform(chore: Chore): Promise<void> {
    const result = this.#chores.add(chore)
    this.#wakeup.ring()
    return result
  }

  /** Scans the whole folder soon; nobody waits. */
  scanSoon(): void {
    this.#scanWanted = true
    this.#wakeup.ring()
  }

  /** Pulls as soon as the folder was scanned once and no pull is running. */
  pullSoon(): void {
    this.#pulls.want()
    this.#wakeup.ring()
  }

  /** Scans these paths when their turn comes, as one scan. */
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
        this.#chores.close(new TwinfoldError('stopped', 'context canceled'))
      }
    }
  }

  /** Does the most pressing thing, or waits for one. The first round finds the rescan due: nothing comes before it. */
  async #step(signal: AbortSignal): Promise<void> {
    const nowMs = this.#deps.clock.monotonicMs()
    if (this.#schedule.isDue(nowMs)) return await this.#timedScan(signal)
    if (this.#scanWanted) return await this.#quietScan(WHOLE_FOLDER, signal)
    const job = this.#queue.take()
    if (job !== undefined) return await this.#requestedScan(job, signal)
    const chore = this.#chores.take()
    if (chore !== undefined) return await this.#perform(chore, signal)
    const paths = this.#changedPaths.shift()
    if (paths !== undefined) return await this.#quietScan(paths, signal)
    if (this.#rechecks.isDue(nowMs)) return await this.#recheck()
    if (this.state.name !== 'error' && this.#cleaning.isDue(nowMs)) return await this.#clean(nowMs, signal)
    if (this.#mayPull && this.#pulls.isDue(nowMs)) this.#pulls.start(signal)
    await this.#waitForWork(nowMs, signal)
  }

  /** Nothing is pulled before the folder was looked at, nor while it is in trouble. */
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
      // A rejection is our own abort below: somebody else rang first.
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

  async #perform(chore: WaitingChore, signal: AbortSignal): Promise<void> {
    try {
      await this.#atWork(chore, signal)
      this.#pulls.want()
      chore.succeed()
    } catch (error) {
      chore.fail(signal.aborted ? new TwinfoldError('stopped', 'context canceled', { cause: error }) : error)
    }
  }

  /** Rejects when the folder is in trouble, which then shows in its state, or the work fails. */
  async #atWork({ states, run }: Chore, signal: AbortSignal): Promise<void> {
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
      this.#showRest()
    }
  }

  async #clean(nowMs: number, signal: AbortSignal): Promise<void> {
    this.#cleaning.rearm(nowMs)
    try {
      await this.#atWork({ states: CLEANING, run: (_check, until) => this.#deps.work.clean(until) }, signal)
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
    // Here and not by the caller: between the answer and his turn the loop may have begun another scan.
    if (job.nextMs !== undefined) this.#schedule.rearmExactly(this.#deps.clock.monotonicMs(), job.nextMs)
    // Who asks for a scan has often mended something: what could not be pulled does not wait for its next turn.
    if (this.#pulls.problemCount > 0) this.#pulls.want()
    job.succeed()
  }

  /** A scan nobody waits for: what goes wrong shows in the folder's state. */
  async #quietScan(subs: readonly string[], signal: AbortSignal): Promise<void> {
    await this.#scan(subs, signal).catch((error: unknown) => {
      if (!signal.aborted) this.#deps.log.debug(() => `folder ${this.#folder}: scan failed: ${messageOf(error)}`)
    })
    signal.throwIfAborted()
  }

  async #scan(subs: readonly string[], signal: AbortSignal): Promise<void> {
    // After trouble nobody knows what was missed meanwhile, so everything is looked at.
    const paths = this.state.name === 'error' ? WHOLE_FOLDER : subs
    if (paths.includes('')) this.#coveredByFullScan()
    try {
      const check = await this.#deps.work.check()
      if (this.state.name === 'error') this.#pulls.want()
      this.#showRest()
      await this.#deps.watch.follow(check.ignore.lines, signal)
      await this.#scanInTurn(paths, check, signal)
      this.#rechecks.recovered()
    } catch (error) {
      if (signal.aborted) throw error
      this.#failed(error)
      throw error
    } finally {
      this.#scannedOnce = true
    }
  }

  /** What was noted before a look at everything needs no look of its own. */
  #coveredByFullScan(): void {
    this.#changedPaths = []
    this.#scanWanted = false
  }

  async #scanInTurn(subs: readonly string[], check: FolderCheck, signal: AbortSignal): Promise<void> {
    const { log, slots, work } = this.#deps
    this.state.move('scan-waiting')
    using _slot = await slots.acquire(signal)
    this.state.move('scanning')
    this.#ignorePatterns = check.ignore.lines.length > 0
    const startedMs = this.#deps.clock.monotonicMs()
    log.debug(() => `folder ${this.#folder}: scanning ${describe(subs)}`)
    const result = await work.scan(subs, check, signal)
    this.#tellProblems(subs, result)
    await work.scanned()
    if (result.changed > 0 || !this.#scannedOnce) this.#pulls.want()
    this.#showRest()
    log.debug(() => {
      const durationMs = Math.round(this.#deps.clock.monotonicMs() - startedMs)
      return (
        `folder ${this.#folder}: scanned ${describe(subs)}: ${result.itemsSeen} items, ${result.changed} changed, ` +
        `${result.bytesHashed} bytes hashed, ${result.problems.length} problems, ${durationMs} ms`
      )
    })
  }

  #tellProblems(subs: readonly string[], result: ScanResult): void {
    if (!this.#problems.replace(subs, result.problems)) return
    const errors = this.#problems.list()
    for (const { path, error } of result.problems.slice(0, 10)) {
      this.#deps.log.warn(`folder ${this.#folder}: ${path}: ${error}`)
    }
    if (errors.length > 0) this.#deps.events.emit('FolderErrors', { folder: this.#folder, errors })
  }

  #failed(error: unknown): void {
    const reason = messageOf(error)
    this.#deps.watch.rest()
    this.#pulls.stop(error)
    if (this.state.error !== reason) this.#deps.log.warn(`folder ${this.#folder} stopped: ${reason}`)
    if (!(error instanceof TwinfoldError)) this.#deps.log.debug(() => `folder ${this.#folder}: ${stackOf(error)}`)
    this.state.fail(reason)
    // The store has put a damaged index aside and goes on with an empty one. That knows of no file, so the scan that fills
    // it again can announce no deletion; it comes at once, unless damage follows damage.
    this.#rechecks.failed(this.#deps.clock.monotonicMs(), isDamage(error))
  }

  /** No scan runs: the pull is what the folder is at, or nothing. */
  #showRest(): void {
    this.state.move(this.#pulls.state ?? 'idle')
  }

  #showPull(): void {
    const { name } = this.state
    if (!AT_WORK.has(name)) this.#showRest()
  }

  /** Looks whether the trouble is over (a disk plugged in again), without waiting for the next rescan. */
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

/** The index turned out to be damaged; the store has begun an empty one. */
export function isDamage(error: unknown): boolean {
  return error instanceof TwinfoldError && error.code === 'database-damaged'
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
