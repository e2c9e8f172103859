import { shortIdOf } from '../../core/device-id.ts'
import { messageOf } from '../../core/errors.ts'
import type { HistoryOrigin } from '../../core/history/entry.ts'
import type { FileInfo } from '../../core/records/file-info.ts'
import type { IgnoreRules } from '../../core/ignore/ignore.ts'
import type { FolderIndex } from '../../db/types.ts'
import type { EventSink, Logger } from '../../events/types.ts'
import type { Platform } from '../../platform/platform.ts'
import type { ScanProblem } from '../../scanner/types.ts'
import type { SharedMutex } from '../../sync/shared-mutex.ts'
import type { PastVersions } from '../../versioner/past-versions.ts'
import type { Versioner } from '../../versioner/types.ts'
import type { FolderAttributes } from '../tree/attributes.ts'
import { FolderTree, type FolderTreeDeps, type FolderTreeOptions } from '../tree/folder-tree.ts'
import { FOLDER_POLICIES } from '../state/folder-policy.ts'
import type { JobQueue } from '../state/job-queue.ts'
import type { CounterFloor } from '../state/counter-floor.ts'
import type { FolderGuard } from '../state/folder-guard.ts'
import type { KeptFiles } from '../state/kept-files.ts'
import type { Sources } from '../state/sources.ts'
import type { ConflictChoice, ResolvedConflict } from '../types.ts'
import { Bookkeeper } from './bookkeeper.ts'
import { Contents, type ContentsDeps } from '../content/contents.ts'
import { deleteKept } from './delete-kept.ts'
import { dropItems, type DropOptions, type LeftFiles } from './drop.ts'
import type { PullParts } from './pull-parts.ts'
import type { PullProgress } from '../state/file-progress.ts'
import { Items } from './items.ts'
import { Iteration } from './iteration.ts'
import { isAnyContested, settleContested } from './settle-contested.ts'
import { Leftovers } from './leftovers.ts'
import { Merges, type MergeSources } from './merges.ts'
import { PastSources } from './past-sources.ts'
import { PulledRecords } from './pulled-records.ts'
import { refetchItems } from './refetch.ts'
import { resolveConflicts } from './resolve-conflicts.ts'
import { settleCopies } from './settle-copies.ts'
import { undoConflicts } from './undo-conflicts.ts'
import { rewindItems, type RewindChunk, type RewindOutcome } from './rewind-items.ts'
import { revertChanges } from './revert.ts'
import { SpaceCheck } from './space.ts'
import { Transfers } from './transfers.ts'
import { TypeClashes } from './type-clash.ts'

/** Limit of iterations per pull; the rest is left to a later one. */
const ITERATIONS_MAX = 3
const PROBLEMS_MAX = 10_000
const RESCAN_MAX = 1_000

export type PullPhase = 'sync-preparing' | 'syncing'

export interface PullerDeps {
  readonly platform: Pick<Platform, 'clock' | 'random' | 'disk' | 'hasher' | 'fileMaker' | 'system'>
  readonly sources: Sources
  readonly events: EventSink
  readonly log: Logger
  readonly jobs: JobQueue
  /** Held shared to change indexed items; held exclusively by scans. */
  readonly folderLock: SharedMutex
  readonly counts: CounterFloor
  readonly kept: KeptFiles
  readonly guard: FolderGuard
  readonly merging: MergeSources
  /** Files that other devices delete stay here. */
  collects(): boolean
  index(): Promise<FolderIndex>
  label(): string
  /** Undefined where the folder keeps no old versions. */
  versioner(): Promise<Versioner | undefined>
  otherFolders: ContentsDeps['otherFolders']
  /** Undefined where received extended attributes are not set. */
  attributes?(): Promise<FolderAttributes>
  /** Where a rewind keeps what it replaces, also in a folder that keeps no old versions. */
  rewindVersioner(): Promise<Versioner>
  /** The old versions in which a rewind finds contents. */
  pastVersions(): PastVersions
  onStored(batch: readonly FileInfo[], sequence: number): Promise<void>
  /** The same for records of changes that were made here. */
  onChangedHere(batch: readonly FileInfo[], sequence: number): Promise<void>
  readonly onArrived?: ContentsDeps['onArrived']
  readonly onConflict?: (() => void) | undefined
}

interface BegunPull extends PullParts {
  scanLater(name: string): void
  /** The names to scan afterwards. */
  readonly rescan: ReadonlySet<string>
}

export interface ChangeRequest {
  readonly ignore: IgnoreRules
  /** Rejects when root or marker have changed since the change began. */
  checkHealth(): Promise<void>
}

export interface PullRequest extends ChangeRequest {
  onPhase(phase: PullPhase): void
}

export interface ChangeOutcome {
  /** The reason for each conflict copy or version that is unchanged. */
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
  readonly #options: FolderTreeOptions
  readonly #progress = new Map<string, PullProgress>()
  readonly #leftovers = new Leftovers()
  readonly #clashes = new TypeClashes()
  readonly #bookkeeper = new Bookkeeper()
  #records: PulledRecords | undefined

  constructor(deps: PullerDeps, options: FolderTreeOptions) {
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
    if (this.#leftovers.any || this.#maySettleCopies || (await this.#lacksAnything())) return true
    return this.#announcesChanges && (await isAnyContested((await this.#deps.index()).needs))
  }

  get #announcesChanges(): boolean {
    return FOLDER_POLICIES[this.#options.folder.type].announcesChanges
  }

  get #maySettleCopies(): boolean {
    const { announcesChanges, takesFiles } = FOLDER_POLICIES[this.#options.folder.type]
    return announcesChanges && takesFiles && this.#deps.merging.candidates.any
  }

  async #lacksAnything(): Promise<boolean> {
    const { need } = await (await this.#deps.index()).needs.counts()
    return need.files + need.directories + need.symlinks + need.deleted > 0
  }

  /** Rejects when the folder or its index fails, or the signal aborts; completed items are recorded. */
  async pull(request: PullRequest, signal: AbortSignal): Promise<PullOutcome> {
    const { counts } = this.#deps
    const parts = await this.#begin(request, signal, 'pull')
    this.#records = parts.records
    try {
      if (!FOLDER_POLICIES[this.#options.folder.type].takesFiles) {
        await this.#bookkeeper.reconcile(parts, signal)
        await settleContested({ ...parts, counts }, signal)
        return { problems: [], rescan: [], complete: true }
      }
      const outcome = await this.#iterate(parts, request, signal)
      if (this.#announcesChanges) await settleContested({ ...parts, counts }, signal)
      if (this.#maySettleCopies) await this.#settleCopies(parts, signal)
      return { ...outcome, rescan: [...parts.rescan] }
    } finally {
      this.#records = undefined
      // Completed items are stored, whatever ended the pull; if that fails too, a scan finds them.
      await parts.records.flush().catch(() => {})
    }
  }

  /** Reverts local changes; items that are not reverted are logged. The caller must hold the lock exclusively. */
  async revert(request: ChangeRequest, signal: AbortSignal): Promise<ChangeOutcome> {
    const parts = await this.#begin(request, signal)
    await revertChanges(parts, signal)
    return { failures: new Map(), rescan: [...parts.rescan] }
  }

  /** Removes what the selection drops. The caller must hold the lock exclusively. */
  async drop(
    options: Omit<DropOptions, 'ownShortId'>,
    request: Omit<PullRequest, 'onPhase'>,
    signal: AbortSignal,
  ): Promise<LeftFiles> {
    const parts = await this.#begin(request, signal)
    return await dropItems(parts, { ...options, ownShortId: shortIdOf(this.#options.ownDevice) }, signal)
  }

  /** The caller must hold the lock exclusively. */
  async resolveConflicts(
    copies: readonly string[],
    choice: ConflictChoice,
    request: ChangeRequest,
    signal: AbortSignal,
  ): Promise<ChangeOutcome> {
    const parts = await this.#begin(request, signal)
    const failures = await resolveConflicts(parts, copies, choice, signal)
    return { failures, rescan: [...parts.rescan] }
  }

  /** Brings back both files of resolved conflicts, or none. The caller must hold the lock exclusively. */
  async undoConflicts(
    resolved: readonly ResolvedConflict[],
    request: ChangeRequest,
    signal: AbortSignal,
  ): Promise<ChangeOutcome> {
    const parts = await this.#begin(request, signal)
    const versioner = await this.#deps.versioner()
    const failures = await undoConflicts({ ...parts, versioner }, resolved, signal)
    return { failures, rescan: [...parts.rescan] }
  }

  /** Deletes kept files here. The caller must hold the lock exclusively. */
  async deleteKept(names: readonly string[], request: ChangeRequest, signal: AbortSignal): Promise<ChangeOutcome> {
    const parts = await this.#begin(request, signal)
    const failures = await deleteKept(parts, names, signal)
    return { failures, rescan: [...parts.rescan] }
  }

  /** Lets the next pull fetch items that are missing here; those that another device has. */
  async refetch(
    names: Iterable<string>,
    request: ChangeRequest,
    signal: AbortSignal,
  ): Promise<ChangeOutcome & { readonly refetched: readonly string[] }> {
    const parts = await this.#begin(request, signal)
    const refetched = await refetchItems({ ...parts, sources: this.#deps.sources }, names, signal)
    return { failures: new Map(), rescan: [...parts.rescan], refetched }
  }

  /** Restores old versions, by name and time. The caller must hold the lock exclusively. */
  async restore(
    wanted: ReadonlyMap<string, number>,
    request: ChangeRequest,
    signal: AbortSignal,
  ): Promise<ChangeOutcome> {
    const versioner = await this.#deps.versioner()
    const { index, rescan, tree } = await this.#begin(request, signal)
    const failures = new Map<string, string>()
    for (const [name, versionMs] of wanted) {
      signal.throwIfAborted()
      const restoring = versioner?.restore(name, versionMs, tree, signal)
      await restoring?.catch((error: unknown) => void failures.set(name, messageOf(error)))
    }
    const restored = [...wanted.keys()].filter((name) => !failures.has(name))
    await index.history.expectRestored(restored)
    return { failures, rescan: [...rescan, ...restored] }
  }

  /** Makes items what they were at a moment. The caller must hold the lock exclusively. */
  async rewind(
    chunk: RewindChunk,
    request: ChangeRequest,
    signal: AbortSignal,
  ): Promise<RewindOutcome & ChangeOutcome> {
    const { counts, pastVersions, platform, sources } = this.#deps
    const parts = await this.#begin(request, signal, 'rewind')
    const { hasher } = platform
    const { folder, index } = parts
    const found = new PastSources({ folder: folder.id, index, versions: pastVersions(), hasher, sources })
    const contents = new Contents({ ...this.#deps, ...parts }, this.#options)
    const shared = { ...parts, hasher, contents, sources: found, counting: counts.counting }
    const outcome = await rewindItems(shared, chunk, signal)
    return { ...outcome, rescan: [...parts.rescan] }
  }

  async #iterate(parts: PullParts, request: PullRequest, signal: AbortSignal): Promise<Omit<PullOutcome, 'rescan'>> {
    const { platform, label } = this.#deps
    const { root, folder } = this.#options
    const { disk, clock, random, system } = platform
    const { records } = parts
    const contents = new Contents({ ...this.#deps, ...parts }, this.#options)
    const space = new SpaceCheck({ disk, clock, root, label }, folder.minDiskFree)
    space.begin()
    let problems = new Map<string, string>()
    this.#clashes.begin()
    // The first error explains the problem.
    const onProblem = (path: string, reason: string) =>
      void (problems.size < PROBLEMS_MAX && !problems.has(path) && problems.set(path, reason))
    const onTransfer = () => request.onPhase('syncing')
    const shared = { ...this.#deps, ...parts, progress: this.#progress, leftovers: this.#leftovers }
    const merges = new Merges(shared, signal)
    const items = new Items({ ...shared, merges, clashes: this.#clashes, onProblem }, signal)
    for (let round = 0; round < ITERATIONS_MAX;) {
      request.onPhase('sync-preparing')
      problems = new Map()
      const before = records.count
      const { cpuCount } = system
      const transfers = new Transfers({ ...shared, random, cpuCount, contents, space, items, onTransfer }, signal)
      const { more, waiting } = await new Iteration({ ...shared, items, transfers }, signal).run()
      const changed = records.count > before
      if (!changed) return { problems: listed(problems), complete: problems.size === 0 && !waiting }
      if (!more) round++
    }
    return { problems: listed(problems), complete: problems.size === 0 && !(await this.#lacksAnything()) }
  }

  /** Stored records first: what was pulled just now may be a conflict copy. */
  async #settleCopies(parts: PullParts, signal: AbortSignal): Promise<void> {
    const { counts, merging } = this.#deps
    await parts.records.flush()
    const shared = { ...parts, counts, merging }
    await settleCopies({ ...shared, merges: new Merges(shared, signal) }, signal)
  }

  async #begin(request: ChangeRequest, signal: AbortSignal, origin: HistoryOrigin = 'action'): Promise<BegunPull> {
    const { counts, folderLock, guard, kept, log, onConflict, platform } = this.#deps
    const { folder } = this.#options
    const { clock } = platform
    const { ignore } = request
    const rescan = new Set<string>()
    const scanLater = (name: string) => void (rescan.size < RESCAN_MAX && rescan.add(name))
    const index = await this.#deps.index()
    await counts.load()
    await kept.load()
    const attributes = await this.#deps.attributes?.()
    const isRewind = origin === 'rewind'
    const archive = await this.#archive(isRewind, signal)
    const tree = new FolderTree(
      { platform, index: index.records, ignore, archive, attributes, kept, scanLater, onConflict },
      this.#options,
    )
    const checkHealth = () => request.checkHealth()
    const onMade = this.#deps.onChangedHere
    const onStored = isRewind ? onMade : this.#deps.onStored
    const own = { index: index.records, tree, clock, counts, guard, kept, origin }
    const records = new PulledRecords({ ...own, checkHealth, onStored, onMade })
    const collects = this.#deps.collects()
    return { folder, index, ignore, tree, records, folderLock, kept, collects, clock, log, scanLater, rescan }
  }

  async #archive(isRewind: boolean, signal: AbortSignal): Promise<FolderTreeDeps['archive']> {
    const versioner = await (isRewind ? this.#deps.rewindVersioner() : this.#deps.versioner())
    if (versioner === undefined) return undefined
    return { keep: (name) => versioner.keep(name, signal), move: (name) => versioner.archive(name, signal) }
  }
}

function listed(problems: ReadonlyMap<string, string>): readonly ScanProblem[] {
  return [...problems].map(([path, reason]) => ({ path, error: `syncing: ${reason}` }))
}
