import { messageOf } from '../../core/errors.ts'
import type { FolderId } from '../../core/ids.ts'
import type { EventSink, Logger } from '../../events/types.ts'
import type { ScanProblem } from '../../scanner/types.ts'
import type { Semaphore } from '../../sync/semaphore.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PullWork } from './folder-contracts.ts'
import type { WorkingState } from './folder-state.ts'
import { Problems } from '../state/problems.ts'
import { PullRetry } from './pull-retry.ts'
import type { PullOutcome } from '../puller/puller.ts'

const WHOLE_FOLDER: readonly string[] = ['']
const WARNINGS_MAX = 10

export interface PullControlDeps {
  readonly clock: Clock
  readonly events: EventSink
  readonly log: Logger
  readonly slots: Semaphore
  readonly work: PullWork
  /** All problems of the folder, including those of scans. */
  problems(): readonly ScanProblem[]
  /** The state of the pull has changed; undefined when it has ended. */
  onState(): void
  onEnd(): void
  /** The folder is in error. */
  onFailure(error: unknown): void
  onRescan(path: string): void
}

export interface PullControlOptions {
  readonly folder: FolderId
  /** Delay before failed items are retried; 0 is the default of one minute. */
  readonly pauseMs: number
}

/** Decides when a folder pulls. One pull runs at a time, concurrently with the folder's loop. */
export class PullControl {
  readonly #deps: PullControlDeps
  readonly #folder: FolderId
  readonly #retry: PullRetry
  readonly #problems = new Problems()
  #requested = false
  #running: { readonly done: Promise<void>; readonly stop: AbortController } | undefined
  #state: WorkingState | undefined

  constructor(deps: PullControlDeps, options: PullControlOptions) {
    this.#deps = deps
    this.#folder = options.folder
    this.#retry = new PullRetry(options.pauseMs)
  }

  /** State of the running pull. */
  get state(): WorkingState | undefined {
    return this.#state
  }

  get problems(): readonly ScanProblem[] {
    return this.#problems.list()
  }

  get problemCount(): number {
    return this.#problems.count
  }

  request(): void {
    this.#requested = true
  }

  isDue(nowMs: number): boolean {
    return this.#running === undefined && (this.#requested || this.#retry.delayMs(nowMs) <= 0)
  }

  /** Time until `isDue` should be checked again. */
  delayMs(nowMs: number): number {
    return this.#running === undefined ? this.#retry.delayMs(nowMs) : Number.POSITIVE_INFINITY
  }

  /** Does not wait for the pull. */
  start(outer: AbortSignal): void {
    this.#requested = false
    const stop = new AbortController()
    // Checking a signal composed of two is expensive, and every file checks it about a dozen times.
    const onAbort = () => stop.abort(outer.reason)
    if (outer.aborted) onAbort()
    outer.addEventListener('abort', onAbort)
    const done = this.#run(stop.signal).finally(() => {
      outer.removeEventListener('abort', onAbort)
      this.#running = undefined
      this.#show(undefined)
      this.#deps.onEnd()
    })
    this.#running = { done, stop }
  }

  /** Stops the running pull; fetched data is kept for the next one. */
  stop(reason: unknown): void {
    this.#running?.stop.abort(reason)
  }

  /** Resolves when no pull runs. */
  async ended(): Promise<void> {
    await this.#running?.done
  }

  /** Never rejects: a failure shows in the folder's state. */
  async #run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps
    const startedMs = clock.monotonicMs()
    try {
      const outcome = await this.#pull(signal)
      const nowMs = clock.monotonicMs()
      this.#reportProblems(outcome.problems)
      for (const path of outcome.rescan) this.#deps.onRescan(path)
      if (outcome.complete) this.#retry.succeeded()
      else this.#retry.failed(nowMs, nowMs - startedMs)
    } catch (error) {
      if (signal.aborted) return
      log.debug(() => `folder ${this.#folder}: pull failed: ${messageOf(error)}`)
      this.#deps.onFailure(error)
    }
  }

  async #pull(signal: AbortSignal): Promise<PullOutcome> {
    const { log, slots, work } = this.#deps
    if (!(await work.isPullNeeded())) return NOTHING_TO_PULL
    this.#show('sync-waiting')
    using _slot = await slots.acquire(signal)
    const check = await work.check()
    log.debug(() => `folder ${this.#folder}: pulling`)
    const outcome = await work.pull(check, (phase) => this.#show(phase), signal)
    const rest = outcome.complete ? 'everything' : 'partially'
    log.debug(() => `folder ${this.#folder}: pulled ${rest}, ${outcome.problems.length} problems`)
    return outcome
  }

  #show(state: WorkingState | undefined): void {
    this.#state = state
    this.#deps.onState()
  }

  #reportProblems(problems: readonly ScanProblem[]): void {
    const hasChanged = this.#problems.replace(WHOLE_FOLDER, problems)
    if (problems.length === 0) return
    for (const { path, error } of hasChanged ? problems.slice(0, WARNINGS_MAX) : []) {
      this.#deps.log.warn(`folder ${this.#folder}: ${path}: ${error}`)
    }
    this.#deps.events.emit('FolderErrors', { folder: this.#folder, errors: this.#deps.problems() })
  }
}

const NOTHING_TO_PULL: PullOutcome = { problems: [], rescan: [], complete: true }
