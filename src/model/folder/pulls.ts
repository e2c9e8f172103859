import type { IgnoreRules } from '../../core/ignore/ignore.ts'
import { messageOf, TwinfoldError } from '../../core/errors.ts'
import type { FolderId } from '../../core/ids.ts'
import type { Logger } from '../../events/types.ts'
import { LinkedAbort } from '../../sync/linked-abort.ts'
import type { PullShares } from '../state/pull-shares.ts'
import type { Semaphore } from '../../sync/semaphore.ts'
import type { SharedMutex } from '../../sync/shared-mutex.ts'
import type { Clock } from '../../platform/clock.ts'
import type { FolderGuard } from '../state/folder-guard.ts'
import type { PullProgress } from '../state/file-progress.ts'
import type { LeftFiles } from '../puller/drop.ts'
import type { ChangeOutcome, ChangeRequest, Puller, PullOutcome, PullPhase } from '../puller/puller.ts'
import type { ModelSignals } from '../signals.ts'
import type { FolderCheck, FolderChecks } from './folder-checks.ts'
import type { FolderProblems } from './folder-problems.ts'
import type { FolderSelection } from './folder-selection.ts'
import type { LocalClones } from './local-clones.ts'
import type { MergeKeeper } from './merge-keeper.ts'
import type { FolderRequests } from './folder-requests.ts'
import type { FolderState } from './folder-state.ts'
import { PullRetry } from './pull-retry.ts'

/** Changes items by the puller, at the request of a user. */
export type ItemChange = (
  puller: Pick<
    Puller,
    'deleteKept' | 'refetch' | 'resolveConflicts' | 'restore' | 'revert' | 'rewind' | 'undoConflicts'
  >,
  request: ChangeRequest,
  signal: AbortSignal,
) => Promise<ChangeOutcome>

export interface PullsDeps {
  readonly clock: Clock
  readonly log: Logger
  /** Separate from those of scans: no scan waits for a download, even of another folder. */
  readonly slots: Semaphore
  readonly pullShares: PullShares
  readonly folderLock: SharedMutex
  readonly checks: Pick<FolderChecks, 'check' | 'checkAgain'>
  readonly puller: Pick<
    Puller,
    | 'deleteKept'
    | 'drop'
    | 'isNeeded'
    | 'pull'
    | 'refetch'
    | 'resolveConflicts'
    | 'restore'
    | 'revert'
    | 'rewind'
    | 'undoConflicts'
    | 'flush'
    | 'progress'
  >
  readonly selection: Pick<FolderSelection, 'beforePull'>
  readonly clones: Pick<LocalClones, 'update'>
  readonly merging: Pick<MergeKeeper, 'update'>
  readonly requests: FolderRequests
  readonly guard: Pick<FolderGuard, 'checkRewritten' | 'nothingNeeded' | 'pulled'>
  readonly state: FolderState
  readonly problems: FolderProblems
  readonly signals: Pick<ModelSignals, 'pullStarted'>
}

export interface PullsOptions {
  readonly folder: FolderId
  /** Delay before failed items are retried; 0 is the default of one minute. */
  readonly pauseMs: number
}

/** The pulls of one folder, and when they are due. One runs at a time, concurrently with the folder's loop. */
export class Pulls {
  readonly #deps: PullsDeps
  readonly #folder: FolderId
  readonly #retry: PullRetry
  #requested = false
  #running: { readonly done: Promise<unknown>; readonly stop: AbortController } | undefined
  #isPulling = false
  /** The ignore patterns of the running pull. */
  #rules: IgnoreRules | 'unread' | undefined

  constructor(deps: PullsDeps, options: PullsOptions) {
    this.#deps = deps
    this.#folder = options.folder
    this.#retry = new PullRetry(options.pauseMs)
  }

  /** Items are being applied. */
  get isPulling(): boolean {
    return this.#isPulling
  }

  /** Progress of the files being pulled, by name. */
  get progress(): ReadonlyMap<string, PullProgress> {
    return this.#deps.puller.progress
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

  /** Pulls once. Never rejects: resolves with the error when the folder must not be written to any more. */
  async run(outer: AbortSignal): Promise<{ readonly error: unknown } | undefined> {
    this.#requested = false
    using stop = new LinkedAbort(outer) // every file checks it about a dozen times
    const done = this.#run(stop.signal)
    this.#running = { done, stop }
    try {
      return await done
    } finally {
      this.#running = undefined
      this.#rules = undefined
    }
  }

  /** Stops the running pull; fetched data is kept for the next one. */
  stop(reason: unknown): void {
    this.#running?.stop.abort(reason)
  }

  /** Resolves when no pull runs. */
  async ended(): Promise<void> {
    await this.#running?.done
  }

  /**
   * Excludes pulls from changing items while the result is held; the index contains everything they did before. A scan
   * compares disk and index, so it must not run while both change. A pull with other ignore patterns ends and begins
   * again: it would record items as ignored that no longer are.
   */
  async exclude(signal: AbortSignal, ignore?: IgnoreRules): Promise<Disposable> {
    if (ignore !== undefined) await this.#stopOther(ignore)
    const lock = await this.#deps.folderLock.exclusive(signal)
    try {
      await this.#deps.puller.flush() // otherwise a scan would record pulled files as local changes
      return lock
    } catch (error) {
      lock[Symbol.dispose]()
      throw error
    }
  }

  async #stopOther({ lines }: IgnoreRules): Promise<void> {
    if (this.#rules === undefined) return
    if (this.#rules !== 'unread' && this.#rules.hasLines(lines)) return
    this.stop(new TwinfoldError('stopped', 'the ignore patterns have changed'))
    await this.ended()
    this.request()
  }

  /** Changes items at the request of a user, with pulls excluded. */
  async change(work: ItemChange, check: FolderCheck, signal: AbortSignal): Promise<ChangeOutcome> {
    using _lock = await this.exclude(signal)
    return await work(this.#deps.puller, this.#requestOf(check), signal)
  }

  /** Removes what the selection drops. A running pull is stopped: it does not know the new patterns. */
  async drop(paths: readonly string[], isForced: boolean, check: FolderCheck, signal: AbortSignal): Promise<LeftFiles> {
    this.stop(new TwinfoldError('stopped', 'the selection changes'))
    await this.ended()
    this.request()
    using _lock = await this.exclude(signal)
    return await this.#deps.puller.drop({ paths, isForced }, this.#requestOf(check), signal)
  }

  #requestOf(check: FolderCheck): ChangeRequest {
    return { ignore: check.ignore, checkHealth: () => this.#deps.checks.checkAgain(check) }
  }

  async #run(signal: AbortSignal): Promise<{ readonly error: unknown } | undefined> {
    const { clock, log, problems, requests, state } = this.#deps
    const startedMs = clock.monotonicMs()
    try {
      const outcome = await this.#pull(signal)
      const nowMs = clock.monotonicMs()
      problems.setPull(outcome.problems)
      for (const path of outcome.rescan) requests.scanPaths([path])
      if (outcome.complete) this.#retry.succeeded()
      else this.#retry.failed(nowMs, nowMs - startedMs)
    } catch (error) {
      if (!signal.aborted) {
        log.debug(() => `folder ${this.#folder}: pull failed: ${messageOf(error)}`)
        return { error }
      }
    }
    state.setPull(undefined)
    return undefined
  }

  async #pull(signal: AbortSignal): Promise<PullOutcome> {
    const { checks, clones, guard, log, merging, puller, pullShares, slots, state } = this.#deps
    await merging.update(signal) // the content of a base is gone when its file is replaced
    if (!(await puller.isNeeded())) {
      await guard.nothingNeeded()
      return NOTHING_TO_PULL
    }
    state.setPull('sync-waiting')
    using _slot = pullShares.isAboveAll(this.#folder) ? undefined : await slots.acquire(signal)
    using _share = pullShares.pull(this.#folder)
    this.#rules = 'unread'
    const check = await this.#deps.selection.beforePull(await checks.check(), signal)
    this.#rules = check.ignore
    log.debug(() => `folder ${this.#folder}: pulling`)
    const outcome = await this.#apply(check, signal)
    if (outcome.complete) await guard.pulled()
    await guard.checkRewritten()
    await clones.update(signal)
    await merging.update(signal)
    const rest = outcome.complete ? 'everything' : 'partially'
    log.debug(() => `folder ${this.#folder}: pulled ${rest}, ${outcome.problems.length} problems`)
    return outcome
  }

  async #apply(check: FolderCheck, signal: AbortSignal): Promise<PullOutcome> {
    const { puller, signals, state } = this.#deps
    const onPhase = (phase: PullPhase) => state.setPull(phase)
    this.#isPulling = true
    signals.pullStarted.emit(this.#folder)
    try {
      return await puller.pull({ ...this.#requestOf(check), onPhase }, signal)
    } finally {
      this.#isPulling = false
    }
  }
}

const NOTHING_TO_PULL: PullOutcome = { problems: [], rescan: [], complete: true }
