import { type ScanScope, WHOLE_FOLDER } from '../core/paths.ts'
import { messageOf, TwinfoldError } from '../core/errors.ts'
import type { Config } from '../core/config/config.ts'
import { folderExtensions, type Extensions } from '../core/config/extensions.ts'
import type { FileHead } from '../core/records/file-info.ts'
import type { DeviceId, FolderId } from '../core/ids.ts'
import type { FolderIndex, Listing, TreeEntry } from '../db/types.ts'
import type { Logger } from '../events/types.ts'
import type { ScanProblem } from '../scanner/types.ts'
import { TimeSlice } from '../sync/time-slice.ts'
import type { ModelDeps, ModelOptions } from './deps.ts'
import { FOLDER_POLICIES } from './state/folder-policy.ts'
import type { ContentView } from './content/reader-types.ts'
import { DownloadPublisher } from './peers/download-publisher.ts'
import type { FolderExplorer } from './queries/explorer.ts'
import { rescanItem } from './rescan-item.ts'
import { FolderRegistry } from './folder-registry.ts'
import { FolderRemedies, type FolderRemediesView } from './folder-remedies.ts'
import { isIndexDamage, isIndexUnusable } from './state/exchange-failure.ts'
import { viewIgnores, writeIgnores } from './folder/ignore-file.ts'
import { KnownStatuses, NO_TOTALS, PAUSED_STATUS, statusOf, WAITING_STATUS } from './queries/known-status.ts'
import { describeHolders } from './queries/last-holders.ts'
import { localChanges } from './folder/local-changes.ts'
import { superviseAll } from './folder/supervise-all.ts'
import { NOTHING_NEEDED, pageOf } from './queries/paging.ts'
import type { ModelSignals } from './signals.ts'
import type { GuardSide } from '../core/guard/guard-state.ts'
import type { RewindChunk, RewindOutcome } from './puller/rewind-items.ts'
import { Selections } from './selections.ts'
import { SummaryPublisher } from './queries/summary.ts'
import type {
  ConflictChoice,
  ResolvedConflict,
  EmptyOptions,
  FileVersion,
  FileView,
  FolderStatistics,
  FolderStatus,
  GuardDecision,
  GuardView,
  IgnoresView,
  KeptAction,
  KeptPage,
  NeedPage,
  Paging,
  PathChoice,
  SelectionPreview,
  SelectionView,
  VersionsUsed,
} from './types.ts'
export { loadFolderCode } from './folder-registry.ts'

/**
 * What REST uses of the model. Unknown folder: `folder-missing`; paused: `folder-paused`; configured but not started:
 * `folder-not-running`; a folder that is in error: `folder-error` with the reason as message.
 */
export type Hub = Omit<
  Model,
  'name' | 'run' | 'apply' | 'applyExtensions' | 'explorer' | 'content' | 'hold' | 'release' | 'rewindItems'
>

/**
 * The hub: runs the folders and exposes their operations and queries. It makes no decisions about files.
 *
 * `FolderRegistry` holds the folders and applies the configuration to them. A folder that is not paused is a `Folder`:
 * its single loop decides when to do what and owns its state. It consists of
 * - `ScanWork`, which compares the disk with the index and stores what differs,
 * - `Pulls`, which decides when needed items are pulled and runs the puller beside the loop.
 *
 * Queries read the index directly, which serves them in order, so that none waits for a scan.
 */
export class Model {
  readonly name = 'model'
  readonly #deps: ModelDeps
  readonly #log: Logger
  readonly #summaries: SummaryPublisher
  readonly #registry: FolderRegistry
  readonly #downloads: DownloadPublisher
  readonly #statuses = new KnownStatuses()
  readonly #selections: Selections
  readonly #ownDevice: DeviceId
  readonly remedies: FolderRemediesView
  #explorer: Promise<FolderExplorer> | undefined
  #reader: Promise<ContentView> | undefined
  /** Loaded on the first call. */
  readonly content: ContentView = {
    open: async (folder, file, signal) => await (await this.#contentReader()).open(folder, file, signal),
  }

  constructor(deps: ModelDeps, options: ModelOptions) {
    this.#deps = deps
    this.#ownDevice = options.ownDevice
    this.#log = deps.logger('model')
    const { events, platform, roots, signals } = deps
    const { clock } = platform
    const summaryOf = async (folder: FolderId) => deps.summaryOf(await this.status(folder))
    this.#summaries = new SummaryPublisher({ clock, events, log: this.#log, signals, summaryOf })
    this.#registry = new FolderRegistry(deps, options)
    const queries = { platform, folders: this.#registry, query: this.#queryIfKnown }
    this.#selections = new Selections({ ...queries, roots })
    this.remedies = new FolderRemedies(queries)
    this.#downloads = new DownloadPublisher({
      clock,
      events,
      folders: () => this.#registry.pulling(),
      intervalMs: () => this.#registry.options.progressUpdateIntervalS * 1_000,
      blocksMin: () => this.#registry.options.tempIndexMinBlocks,
      broadcast: (folder, updates) => deps.sources.sendDownloadProgress(folder, updates),
    })
    this.#listen(signals)
  }

  #listen({ countsChanged, exchangeFailed, indexLost, itemDiffers, pullStarted, pullWanted }: ModelSignals): void {
    countsChanged.listen((folder) => this.#summaries.touch(folder))
    pullStarted.listen(() => this.#downloads.wake())
    pullWanted.listen((folder) => this.#registry.running(folder)?.pullSoon())
    // The index is empty now: only a scan fills it again.
    indexLost.listen((folder) => this.#registry.running(folder)?.requests.scanSoon())
    exchangeFailed.listen(({ folder, error }) => this.#registry.running(folder)?.exchangeFailed(error))
    itemDiffers.listen((item) => rescanItem({ store: this.#deps.store, folders: this.#registry, log: this.#log }, item))
  }

  /** Runs all folders until the signal aborts; returns when the last one has released its index. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      await this.#registry.start(signal)
      await this.#registry.tidy()
      const { events, platform } = this.#deps
      await superviseAll([this.#summaries, this.#downloads], { clock: platform.clock, events, log: this.#log }, signal)
    } finally {
      await this.#registry.stop()
    }
  }

  /** Resolves when every folder is running, paused or removed as configured. */
  async apply(from: Config, to: Config): Promise<void> {
    await this.#registry.apply(from, to)
    this.#downloads.wake() // the interval may have changed
  }

  /** Stops a folder until it is released, whatever the settings say. */
  async hold(folder: FolderId, reason: string): Promise<void> {
    await this.#registry.hold(folder, reason)
    this.#deps.signals.countsChanged.emit(folder)
  }

  async release(folder: FolderId): Promise<void> {
    await this.#registry.release(folder)
    this.#deps.signals.countsChanged.emit(folder)
  }

  /** Scans the folders whose ignored items are others now, or whose guard or archive is switched. */
  applyExtensions(from: Extensions, to: Extensions): void {
    for (const { id } of this.#registry.folders) {
      const [before, now] = [folderExtensions(from, id), folderExtensions(to, id)]
      const isLocal = before.archiveLocal !== now.archiveLocal
      if (before.sharedIgnores === now.sharedIgnores && before.guard === now.guard && !isLocal) continue
      this.#registry.running(id)?.requests.scanSoon()
      if (before.guard !== now.guard) this.#registry.running(id)?.pullSoon() // what was held is applied
    }
  }

  /** Resolves when the results of the scan are stored. `nextMs` is the delay until the next automatic rescan. */
  async scan(folder: FolderId, scope: ScanScope = WHOLE_FOLDER, nextMs?: number): Promise<void> {
    const running = this.#registry.find(folder)
    this.#log.debug(() => `folder ${folder}: scan requested${nextMs === undefined ? '' : `, the next in ${nextMs} ms`}`)
    await running.requests.scan(scope, nextMs)
  }

  /** All folders that are not paused, at once. The map holds a message for each that failed. */
  async scanAll(): Promise<ReadonlyMap<FolderId, string>> {
    const failures = new Map<FolderId, string>()
    const active = this.#registry.folders.filter((folder) => !folder.paused)
    await Promise.all(
      active.map(({ id }) => this.scan(id).catch((error: unknown) => void failures.set(id, messageOf(error)))),
    )
    return failures
  }

  bringToFront(folder: FolderId, file: string): void {
    this.#registry.find(folder).jobs.bringToFront(file)
  }

  async need(folder: FolderId, paging: Paging, signal: AbortSignal): Promise<NeedPage> {
    const running = this.#registry.find(folder)
    const slice = new TimeSlice(this.#deps.platform.clock, signal)
    const read = (index: FolderIndex) => pageOf(this.#statuses.setIndex(running, index), running.jobs, paging, slice)
    return await this.#query(folder, read)
  }

  /** The same without waiting while nothing is needed; undefined when the index has to be queried. */
  needNow(folder: FolderId): NeedPage | undefined {
    return this.#statuses.needsNothing(this.#registry.find(folder)) ? NOTHING_NEEDED : undefined
  }

  async status(folder: FolderId): Promise<FolderStatus> {
    const config = this.#registry.configured(folder)
    if (config.paused) return PAUSED_STATUS
    if (!this.#registry.isStarted || this.#registry.heldBecause(folder) !== undefined) return WAITING_STATUS
    const running = this.#registry.find(folder)
    try {
      return await this.#query(folder, async (index) => {
        const { exchange, needs } = this.#statuses.setIndex(running, index)
        const [sequence, remoteSequences] = [await exchange.sequence('local'), await exchange.remoteSequences()]
        return statusOf(running, { sequence, remoteSequences, counts: await needs.counts() })
      })
    } catch (error) {
      if (!isIndexUnusable(error)) throw error
      return { ...running.status(), ...NO_TOTALS, state: 'error', error: messageOf(error) }
    }
  }

  /**
   * The same without waiting, and the same object while nothing changes; undefined when the index has to be queried.
   * Throws where `status` rejects.
   */
  statusNow(folder: FolderId): FolderStatus | undefined {
    if (this.#registry.configured(folder).paused) return PAUSED_STATUS
    if (!this.#registry.isStarted || this.#registry.heldBecause(folder) !== undefined) return WAITING_STATUS
    return this.#statuses.get(this.#registry.find(folder))
  }

  async browse(folder: FolderId, options: Parameters<Listing['browse']>[0]): Promise<readonly TreeEntry[]> {
    this.#registry.find(folder)
    return await this.#query(folder, (index) => index.listing.browse(options))
  }

  /** Rejects with `file-missing` when neither index has the name. */
  async file(folder: FolderId, name: string): Promise<FileView> {
    this.#registry.find(folder)
    return await this.#query(folder, async (index) => {
      const [global, local] = [await index.records.global(name), await index.records.get('local', name)]
      if (global === undefined && local === undefined) {
        throw new TwinfoldError('file-missing', 'No such object in the index')
      }
      return { global, local, availability: await index.records.availability(name) }
    })
  }

  /** Never rejects for a folder that is unknown: the reason is in `error`. */
  async ignores(folder: FolderId): Promise<IgnoresView> {
    const config = this.#registry.folders.find(({ id }) => id === folder)
    if (config === undefined) return { ignore: null, expanded: null, error: `folder ${folder} does not exist` }
    if (!FOLDER_POLICIES[config.type].hasIgnores) return { ignore: null, expanded: null, error: null }
    return await viewIgnores(this.#deps.platform.disk, this.#registry.root(config))
  }

  /** Rejects with `folder-missing` for an unknown folder. An empty list removes the ignore file. */
  async setIgnores(folder: FolderId, lines: readonly string[]): Promise<IgnoresView> {
    const config = this.#registry.configured(folder)
    if (!FOLDER_POLICIES[config.type].hasIgnores) {
      throw new TwinfoldError('bad-request', 'an encrypted folder has no ignore patterns')
    }
    using _lock = await this.#deps.roots.ignoreWriter(folder).lock()
    try {
      await writeIgnores(this.#deps.platform.disk, this.#registry.root(config), lines)
    } catch (error) {
      throw new TwinfoldError('folder-error', `writing ignores: ${messageOf(error)}`, { cause: error })
    }
    this.#registry.running(folder)?.requests.scanSoon()
    return await this.ignores(folder)
  }

  async selection(folder: FolderId): Promise<SelectionView> {
    return await this.#selections.view(folder)
  }

  /** What these choices free and fetch, and who has it. Nothing is changed. */
  async previewSelection(
    folder: FolderId,
    choices: readonly PathChoice[],
    signal: AbortSignal,
  ): Promise<SelectionPreview> {
    return await this.#selections.preview(folder, choices, signal)
  }

  /**
   * Changes what is kept here. Rejects with `refused` for a file that no other device has, unless forced. The map holds
   * a reason for each dropped file that is still here, and stays kept.
   */
  async select(
    folder: FolderId,
    choices: readonly PathChoice[],
    isForced: boolean,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, string>> {
    return await this.#selections.select(folder, choices, isForced, signal)
  }

  async folderErrors(folder: FolderId, { page, perPage }: Paging): Promise<readonly ScanProblem[]> {
    return this.#registry.find(folder).problems.slice((page - 1) * perPage, page * perPage)
  }

  async folderStatistics(): Promise<ReadonlyMap<FolderId, FolderStatistics>> {
    const entries = this.#registry.folders.map(async ({ id }) => [id, await this.#deps.statistics.folder(id)] as const)
    return new Map(await Promise.all(entries))
  }

  /** Makes the local state of a send-only folder the global one. No effect on other and unknown folders. */
  async override(folder: FolderId): Promise<void> {
    await this.#registry.running(folder)?.tasks.override()
  }

  /** Undoes local changes of a receive-only folder. No effect on other and unknown folders. */
  async revert(folder: FolderId): Promise<void> {
    await this.#registry.running(folder)?.tasks.revert()
  }

  /** Local changes of a receive-only folder, in name order. */
  async localChanged(folder: FolderId, paging: Paging, signal: AbortSignal): Promise<readonly FileHead[]> {
    this.#registry.find(folder)
    const slice = new TimeSlice(this.#deps.platform.clock, signal)
    return await this.#query(folder, (index) => localChanges(index, paging, slice))
  }

  /** By path, newest first. Rejects with `folder-error` (`folder has no versioner`) where none are kept. */
  async versions(folder: FolderId): Promise<ReadonlyMap<string, readonly FileVersion[]>> {
    return await this.#registry.find(folder).versions()
  }

  /** Restores the version of each path with this time. The map holds a message for each that failed. */
  async restoreVersions(folder: FolderId, wanted: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, string>> {
    return await this.#registry.find(folder).tasks.restoreVersions(wanted)
  }

  /** What they occupy. Rejects as `versions`. */
  async versionsUsed(folder: FolderId): Promise<VersionsUsed> {
    return await this.#registry.find(folder).versionsUsed()
  }

  /** Removes them. Resolves with what was removed; rejects as `versions`. */
  async emptyVersions(folder: FolderId, options: EmptyOptions): Promise<Pick<VersionsUsed, 'files' | 'sizeBytes'>> {
    return await this.#registry.find(folder).tasks.emptyVersions(options)
  }

  /** Makes items what they were at a moment. */
  async rewindItems(folder: FolderId, chunk: RewindChunk): Promise<RewindOutcome> {
    return await this.#registry.find(folder).tasks.rewind(chunk)
  }

  /**
   * Resolves conflicts by the names of the conflict copies. What is not kept becomes an old version. The map holds a
   * message for each that is unchanged.
   */
  async resolveConflicts(
    folder: FolderId,
    copies: readonly string[],
    choice: ConflictChoice,
  ): Promise<ReadonlyMap<string, string>> {
    return await this.#registry.find(folder).tasks.resolveConflicts(copies, choice)
  }

  /** Brings back both files of resolved conflicts. Rejects with `refused`, nothing changed, where one cannot. */
  async undoConflicts(folder: FolderId, resolved: readonly ResolvedConflict[]): Promise<void> {
    const failures = await this.#registry.find(folder).tasks.undoConflicts(resolved)
    const [first] = failures
    if (first !== undefined) throw new TwinfoldError('refused', `${first[0]}: ${first[1]}`)
  }

  async kept(folder: FolderId, paging: Paging): Promise<KeptPage> {
    const running = this.#registry.running(folder)
    // A folder that is paused or moved has its list, too.
    return await (running?.kept ?? this.#registry.storedKept(folder)).page(paging)
  }

  /** Without names for all of them. The map holds a message for each that stays kept. */
  async changeKept(
    folder: FolderId,
    action: KeptAction,
    names: readonly string[] | undefined,
  ): Promise<ReadonlyMap<string, string>> {
    const { kept } = this.#registry.find(folder)
    const wanted = names ?? (await kept.names())
    return action === 'delete' ? await kept.delete(wanted) : await kept.bringBack(wanted)
  }

  async guard(folder: FolderId): Promise<GuardView> {
    return await this.#registry.find(folder).guarding.view()
  }

  /** Rejects with `refused` where nothing is held, or the files cannot be brought back. */
  async decideGuard(folder: FolderId, decision: GuardDecision, side: GuardSide | undefined): Promise<void> {
    await this.#registry.find(folder).guarding.decide(decision, side)
  }

  /** The user has seen what the guard noticed: old versions are cleaned up again. */
  async dismissGuard(folder: FolderId): Promise<void> {
    await this.#registry.find(folder).guarding.dismiss()
  }

  /** Loaded on the first call. */
  explorer(): Promise<FolderExplorer> {
    return (this.#explorer ??= this.#makeExplorer())
  }

  async #makeExplorer(): Promise<FolderExplorer> {
    const { Explorer } = await import('./queries/explorer.ts')
    const { clock, disk, system } = this.#deps.platform
    return new Explorer({ clock, disk, system, folders: this.#registry, query: this.#queryIfKnown }, this.#ownDevice)
  }

  /** Undefined for a folder that never had an index, or has one that cannot be used. */
  readonly #queryIfKnown = async <T>(
    folder: FolderId,
    read: (index: FolderIndex) => Promise<T>,
  ): Promise<T | undefined> => {
    // A query on a folder that never ran must not create an index: the folder would no longer count as new.
    const known = this.#registry.running(folder) !== undefined || (await this.#deps.store.folders()).includes(folder)
    if (!known) return undefined
    return await this.#query(folder, read).catch((error: unknown) => {
      if (isIndexUnusable(error)) return undefined // the folder's status has the reason
      throw error
    })
  }

  #contentReader(): Promise<ContentView> {
    return (this.#reader ??= this.#makeContentReader())
  }

  async #makeContentReader(): Promise<ContentView> {
    const { ContentReader } = await import('./content/content-reader.ts')
    const { platform, sources, statistics } = this.#deps
    const { blocks, clock, fileMaker } = platform
    const registry = this.#registry
    return new ContentReader({
      blocks,
      clock,
      fileMaker,
      sources,
      log: this.#log,
      folder: (folder) => {
        registry.find(folder) // throws when it does not run
        const config = registry.configured(folder)
        return { root: registry.root(config), isEncrypted: config.type === 'receiveencrypted' }
      },
      records: (folder, name) => this.#query(folder, (index) => index.records.both(name)),
      lastHolders: (holders) => describeHolders(holders, registry.devices, (device) => statistics.device(device)),
    })
  }

  /** A damaged index is rebuilt by the folder's own loop; the query fails. */
  async #query<T>(folder: FolderId, read: (index: FolderIndex) => Promise<T>): Promise<T> {
    try {
      return await read(await this.#deps.store.folder(folder))
    } catch (error) {
      if (isIndexDamage(error)) this.#registry.running(folder)?.requests.scanSoon()
      throw error
    }
  }
}
