import type { FolderConfig } from '../../core/config/config.ts'
import type { FileInfo } from '../../core/records/file-info.ts'
import type { DeviceId } from '../../core/ids.ts'
import type { IgnoreRules } from '../../core/ignore/ignore.ts'
import type { FolderIndex } from '../../db/types.ts'
import type { EventSink, Logger } from '../../events/types.ts'
import type { ScanProblem } from '../../scanner/types.ts'
import type { SharedMutex } from '../../sync/shared-mutex.ts'
import type { Versioner } from '../../versioner/types.ts'
import type { FolderAttributes } from '../tree/attributes.ts'
import { FolderTree, type FolderTreeDeps } from '../tree/folder-tree.ts'
import { FOLDER_POLICIES } from '../state/folder-policy.ts'
import type { JobQueue } from '../state/job-queue.ts'
import type { CounterFloor } from '../state/counter-floor.ts'
import type { Sources } from '../state/sources.ts'
import type { ConflictChoice } from '../types.ts'
import { Bookkeeper } from './bookkeeper.ts'
import { Contents, type ContentsDeps } from '../content/contents.ts'
import type { PullContext, PullPorts } from './context.ts'
import type { PullProgress } from '../state/file-progress.ts'
import { Iteration } from './iteration.ts'
import { isAnyContested, settleContested } from './settle-contested.ts'
import { Leftovers } from './leftovers.ts'
import { PulledRecords } from './pulled-records.ts'
import { resolveConflicts } from './resolve-conflicts.ts'
import { revertChanges } from './revert.ts'
import { TypeClashes } from './type-clash.ts'

/** Limit of iterations per pull; the rest is left to a later one. */
const ITERATIONS_MAX = 3
const PROBLEMS_MAX = 10_000
const RESCAN_MAX = 1_000

export type PullPhase = 'sync-preparing' | 'syncing'

export interface PullerDeps {
  readonly platform: PullPorts
  readonly sources: Sources
  readonly events: EventSink
  readonly log: Logger
  readonly jobs: JobQueue
  /** Held shared to change indexed items; held exclusively by scans. */
  readonly folderLock: SharedMutex
  readonly counts: CounterFloor
  index(): Promise<FolderIndex>
  label(): string
  /** Undefined where the folder keeps no old versions. */
  versioner(): Promise<Versioner | undefined>
  otherFolders: ContentsDeps['otherFolders']
  /** Undefined where received extended attributes are not set. */
  attributes?(): Promise<FolderAttributes>
  onStored(batch: readonly FileInfo[], sequence: number): Promise<void>
  readonly onArrived?: ContentsDeps['onArrived']
  readonly onConflict?: (() => void) | undefined
}

export interface PullerOptions {
  readonly folder: FolderConfig
  readonly root: string
  readonly ownDevice: DeviceId
}

export interface PullRequest {
  readonly ignore: IgnoreRules
  /** Rejects when root or marker have changed since the pull began. */
  checkHealth(): Promise<void>
  onPhase(phase: PullPhase): void
}

export interface ResolvedConflicts {
  /** The reason for each conflict copy that is unchanged. */
  readonly failures: ReadonlyMap<string, string>
  /** Names to scan. */
  readonly rescan: readonly string[]
}

export interface PullOutcome {
  /** By path, with the error texts of `GET /rest/folder/errors`. */
  readonly problems: readonly ScanProblem[]
  /** Paths on disk that the index does not contain. */
  readonly rescan: readonly string[]
  /** Nothing is left that could be pulled now. */
  readonly complete: boolean
}

/** Brings one folder to the global state. */
export class Puller {
  readonly #deps: PullerDeps
  readonly #options: PullerOptions
  readonly #progress = new Map<string, PullProgress>()
  readonly #leftovers = new Leftovers()
  readonly #clashes = new TypeClashes()
  readonly #bookkeeper = new Bookkeeper()
  #records: PulledRecords | undefined

  constructor(deps: PullerDeps, options: PullerOptions) {
    this.#deps = deps
    this.#options = options
  }

  /** The files being pulled. */
  get progress(): ReadonlyMap<string, PullProgress> {
    return this.#progress
  }

  /** Resolves when the index contains everything done so far. The caller must hold the lock exclusively. */
  async flush(): Promise<void> {
    await this.#records?.flush()
  }

  /** Whether there is anything to pull or to clean up. */
  async isNeeded(): Promise<boolean> {
    if (this.#leftovers.any || (await this.#lacksAnything())) return true
    return this.#announcesChanges && (await isAnyContested(await this.#deps.index()))
  }

  get #announcesChanges(): boolean {
    return FOLDER_POLICIES[this.#options.folder.type].announcesChanges
  }

  async #lacksAnything(): Promise<boolean> {
    const { need } = await (await this.#deps.index()).counts()
    return need.files + need.directories + need.symlinks + need.deleted > 0
  }

  /** Rejects when the folder or its index fails, or the signal aborts; completed items are recorded. */
  async pull(request: PullRequest, signal: AbortSignal): Promise<PullOutcome> {
    const { folder } = this.#options
    const { context, rescan } = await this.#contextAndRescan(request, signal)
    this.#records = context.records
    try {
      if (!FOLDER_POLICIES[folder.type].takesFiles) {
        await this.#bookkeeper.reconcile(context, signal)
        await settleContested(context, signal)
        return { problems: [], rescan: [], complete: true }
      }
      const outcome = await this.#iterate(context, request, signal)
      if (this.#announcesChanges) await settleContested(context, signal)
      return { ...outcome, rescan: [...rescan] }
    } finally {
      this.#records = undefined
      // Completed items are stored, whatever ended the pull; if that fails too, a scan finds them.
      await context.records.flush().catch(() => {})
    }
  }

  /** Reverts local changes; resolves with the names to scan afterwards. The caller must hold the lock exclusively. */
  async revert(request: Omit<PullRequest, 'onPhase'>, signal: AbortSignal): Promise<readonly string[]> {
    const { context, rescan } = await this.#contextAndRescan(request, signal)
    await revertChanges(context, signal)
    return [...rescan]
  }

  /** The caller must hold the lock exclusively. */
  async resolveConflicts(
    copies: readonly string[],
    choice: ConflictChoice,
    request: Omit<PullRequest, 'onPhase'>,
    signal: AbortSignal,
  ): Promise<ResolvedConflicts> {
    const { context, rescan } = await this.#contextAndRescan(request, signal)
    const failures = await resolveConflicts(context, copies, choice, signal)
    return { failures, rescan: [...rescan] }
  }

  /** With the names to scan afterwards. */
  async #contextAndRescan(
    request: Omit<PullRequest, 'onPhase'>,
    signal: AbortSignal,
  ): Promise<{ readonly context: PullContext; readonly rescan: ReadonlySet<string> }> {
    const rescan = new Set<string>()
    const scanLater = (name: string) => void (rescan.size < RESCAN_MAX && rescan.add(name))
    return { context: await this.#contextFor(request, scanLater, signal), rescan }
  }

  async #iterate(
    context: PullContext,
    request: PullRequest,
    signal: AbortSignal,
  ): Promise<Omit<PullOutcome, 'rescan'>> {
    let problems = new Map<string, string>()
    this.#clashes.begin()
    // The first error explains the problem.
    const onProblem = (path: string, reason: string) =>
      void (problems.size < PROBLEMS_MAX && !problems.has(path) && problems.set(path, reason))
    for (let round = 0; round < ITERATIONS_MAX;) {
      request.onPhase('sync-preparing')
      problems = new Map()
      const before = context.records.count
      const iteration = new Iteration(
        context,
        {
          jobs: this.#deps.jobs,
          progress: this.#progress,
          leftovers: this.#leftovers,
          clashes: this.#clashes,
          onTransfer: () => request.onPhase('syncing'),
          onProblem,
        },
        signal,
      )
      const { more, waiting } = await iteration.run()
      const changed = context.records.count > before
      if (!changed) return { problems: listed(problems), complete: problems.size === 0 && !waiting }
      if (!more) round++
    }
    return { problems: listed(problems), complete: problems.size === 0 && !(await this.#lacksAnything()) }
  }

  async #contextFor(
    request: Omit<PullRequest, 'onPhase'>,
    scanLater: (name: string) => void,
    signal: AbortSignal,
  ): Promise<PullContext> {
    const { folderLock, counts, sources, events, log } = this.#deps
    const { folder, root, ownDevice } = this.#options
    const { platform, onConflict } = this.#deps
    const { ignore } = request
    const index = await this.#deps.index()
    await counts.load()
    const attributes = await this.#deps.attributes?.()
    const archive = await this.#archive(signal)
    const options = this.#options
    const tree = new FolderTree({ platform, index, ignore, archive, attributes, scanLater, onConflict }, options)
    const contents = new Contents({ ...this.#deps, index, tree }, options)
    const records = new PulledRecords({
      index,
      tree,
      clock: platform.clock,
      counts,
      checkHealth: () => request.checkHealth(),
      onStored: (batch, sequence) => this.#deps.onStored(batch, sequence),
    })
    return {
      platform,
      folder,
      root,
      index,
      sources,
      events,
      log,
      folderLock,
      counts,
      ownDevice,
      tree,
      contents,
      records,
      scanLater,
      ignore,
      label: () => this.#deps.label(),
    }
  }

  async #archive(signal: AbortSignal): Promise<FolderTreeDeps['archive']> {
    const versioner = await this.#deps.versioner()
    if (versioner === undefined) return undefined
    return { keep: (name) => versioner.keep(name, signal), move: (name) => versioner.archive(name, signal) }
  }
}

function listed(problems: ReadonlyMap<string, string>): readonly ScanProblem[] {
  return [...problems].map(([path, reason]) => ({ path, error: `syncing: ${reason}` }))
}
