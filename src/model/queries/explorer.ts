import { TwinfoldError } from '../../core/errors.ts'
import type { FolderConfig } from '../../core/config/config.ts'
import { shortIdOf } from '../../core/device-id.ts'
import type { DeviceId, FolderId } from '../../core/ids.ts'
import { resolveIncludes } from '../../core/ignore/ignore-include.ts'
import { joinPath } from '../../core/paths.ts'
import { IgnoreRules } from '../../core/ignore/ignore.ts'
import { withSharedIgnores } from '../../core/ignore/shared-ignores.ts'
import { FLAG_IGNORED, type FileHead } from '../../core/records/file-info.ts'
import type { DiskFacts } from '../../core/records/disk-reasons.ts'
import type { FolderFacts } from '../../core/records/reasons.ts'
import type { FolderIndex, NameRecords } from '../../db/types.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Disk } from '../../platform/disk.ts'
import type { System } from '../../platform/platform.ts'
import { planAction, type PlannedAction, type PlannedEffect } from './action-plan.ts'
import { ConflictList, type ListRange } from './conflict-list.ts'
import { type ConflictSides, readConflict } from './conflict-sides.ts'
import type { MergeOffer } from '../folder/merge-offer.ts'
import { DiskNames } from './disk-names.ts'
import type {
  ConflictsPage,
  FileFacts,
  FoundItems,
  IgnorePreview,
  NameQuery,
  NextTo,
  SharedIgnoresView,
  TreeOptions,
  TreePage,
  WaitingPage,
} from './explorer-types.ts'
import { FOLDER_POLICIES } from '../state/folder-policy.ts'
import type { FolderRegistry } from '../folder-registry.ts'
import { includesOf, loadIgnores } from '../folder/ignore-file.ts'
import { historyPage, type HistoryPage, type HistoryQuery } from './history.ts'
import { compareIgnores, previewIgnores } from './ignore-preview.ts'
import { diskFacts } from './on-disk.ts'
import { devicesOf, itemsOf, othersOf } from './item-view.ts'
import { BY_NAME, findNames, Trees } from './tree.ts'
import { TimeSlice } from '../../sync/time-slice.ts'
import type { Paging } from '../types.ts'
import { isNameNeeded, placeOf, waitingItems } from './waiting.ts'

export interface ExplorerDeps {
  readonly clock: Clock
  readonly disk: Disk
  readonly system: Pick<System, 'platform'>
  readonly folders: Pick<FolderRegistry, 'collects' | 'configured' | 'find' | 'running' | 'root' | 'storedKept'>
  /** Runs a query on the index of a folder; undefined for a folder that never had one. */
  query<T>(folder: FolderId, read: (index: FolderIndex) => Promise<T>): Promise<T | undefined>
}

const NO_RULES = new IgnoreRules([])
const NOTHING = { total: 0, items: [] } as const

/** What REST uses of it. */
export type FolderExplorer = Pick<Explorer, keyof Explorer>

/**
 * Queries about folder contents for the user interface. Unknown folder: `folder-missing`. A paused folder shows its
 * stored index. Long queries run in time slices and stop when the signal aborts. Created on the first query: most
 * devices run without an open user interface.
 */
export class Explorer {
  readonly #deps: ExplorerDeps
  readonly #own: DeviceId
  readonly #trees = new Trees()
  readonly #conflicts = new Map<FolderId, ConflictList>()

  constructor(deps: ExplorerDeps, ownDevice: DeviceId) {
    this.#deps = deps
    this.#own = ownDevice
  }

  /** One directory ('' is the top): directories first, then by the order; ignored items last. */
  async tree(
    folder: FolderId,
    directory: string,
    paging: Paging,
    signal: AbortSignal,
    { order = BY_NAME, withIgnored = false }: TreeOptions = {},
  ): Promise<TreePage> {
    const others = this.#others(folder)
    const slice = this.#newSlice(signal)
    const found = await this.#deps.query(folder, async (index) => ({
      page: await this.#trees.page(index, { directory, order }, others, paging, slice),
      names: withIgnored ? await this.#trees.names(index, { directory, order }, slice) : [],
    }))
    const page = found?.page ?? { ...NOTHING, truncated: false }
    if (!withIgnored) return { ...page, ignored: [] }
    const { total, ignored } = await this.#ignored(folder, directory, paging, found?.names ?? [])
    return { ...page, total: page.total + total, ignored }
  }

  /** The part of a page that ignored items fill, which come after the known names. */
  async #ignored(
    folder: FolderId,
    directory: string,
    { page, perPage }: Paging,
    known: readonly string[],
  ): Promise<Pick<TreePage, 'total' | 'ignored'>> {
    const config = this.#deps.folders.configured(folder)
    const root = this.#deps.folders.root(config)
    const hasIgnores = FOLDER_POLICIES[config.type].hasIgnores
    const own = hasIgnores ? await loadIgnores(this.#deps.disk, root).catch(() => undefined) : undefined
    const rules = withSharedIgnores(own ?? NO_RULES, this.#shared(folder))
    if (rules.lines.length === 0) return { total: 0, ignored: [] }
    const disk = new DiskNames(this.#deps.disk, root)
    const names = await disk.ignored(rules, directory, new Set(known))
    const first = (page - 1) * perPage - known.length
    return {
      total: names.length,
      ignored: await disk.items(names.slice(Math.max(0, first), Math.max(0, first + perPage))),
    }
  }

  /** Names that contain the text in any case; with a slash in it, paths that do. A part of the folder in one call. */
  async search(folder: FolderId, wanted: NameQuery, signal: AbortSignal): Promise<FoundItems> {
    const others = this.#others(folder)
    const slice = this.#newSlice(signal)
    const found = await this.#deps.query(folder, async (index) => {
      const { names, next, searched } = await findNames(index.listing, wanted, slice)
      return { items: await itemsOf(index.listing, names, others), next, searched, workedMs: slice.workedMs }
    })
    return found ?? { items: [], next: undefined, searched: 0, workedMs: 0 }
  }

  /** What is needed, in the order of downloading. */
  async waiting(folder: FolderId, paging: NextTo, signal: AbortSignal): Promise<WaitingPage> {
    const facts = this.#facts(folder)
    const queue = this.#deps.folders.running(folder)
    const page = await this.#deps.query(folder, async (index) => {
      const { files, directories, symlinks, deleted } = (await index.needs.counts()).need
      const items = await waitingItems(index, queue, paging, this.#newSlice(signal))
      return { total: files + directories + symlinks + deleted, items }
    })
    return { folder: facts, ...(page ?? NOTHING) }
  }

  async file(folder: FolderId, name: string): Promise<FileFacts> {
    const facts = this.#facts(folder)
    const [records] = (await this.#deps.query(folder, (index) => index.listing.recordsOf([name]))) ?? []
    const running = this.#deps.folders.running(folder)
    const needed = records !== undefined && isNameNeeded(records)
    const isLive = records?.local?.deleted === false
    return {
      folder: facts,
      disk: needsDisk(records) ? await this.#onDisk(folder, name) : undefined,
      records,
      problem: running?.problems.find(({ path }) => path === name)?.error,
      queue: needed && running !== undefined ? placeOf(running, name) : undefined,
      devices: devicesOf(records, this.#others(folder)),
      deletedBy: isLive ? undefined : running?.kept.deleterOf(name),
      guarded: running?.guarding.heldBecause(name),
    }
  }

  /** The newest version of an item that exists. Throws `folder-paused` and `folder-not-running`. */
  async globalItem(folder: FolderId, name: string): Promise<FileHead | undefined> {
    return await this.#global(folder, (index) => index.listing.globalItem(name))
  }

  /** The same for all items in one directory ('' is the top), by name, in pieces of some milliseconds of work. */
  async *globalLevel(folder: FolderId, directory: string, signal: AbortSignal): AsyncGenerator<readonly FileHead[]> {
    for (let start: string | undefined = ''; start !== undefined;) {
      const from: string = start
      const { found, next } = await this.#global(folder, (index) => index.listing.globalLevel(directory, from))
      if (found.length > 0) yield found
      start = next
      if (start !== undefined) await this.#deps.clock.sleep(0, signal) // other work in between
    }
  }

  /** Of a folder that runs: without an index nothing is known, which must not look like an empty folder. */
  async #global<T>(folder: FolderId, read: (index: FolderIndex) => Promise<T>): Promise<T> {
    this.#deps.folders.find(folder)
    const found = await this.#deps.query(folder, async (index) => ({ value: await read(index) }))
    if (found === undefined) throw new TwinfoldError('folder-not-running', `the index of ${folder} cannot be read`)
    return found.value
  }

  /** Which names of the index and the disk the lines of an ignore file would leave out. Nothing is changed. */
  async previewIgnores(folder: FolderId, lines: readonly string[], signal: AbortSignal): Promise<IgnorePreview> {
    const config = this.#deps.folders.configured(folder)
    if (!FOLDER_POLICIES[config.type].hasIgnores) {
      throw new TwinfoldError('bad-request', 'an encrypted folder has no ignore patterns')
    }
    const root = this.#deps.folders.root(config)
    const lookup = await includesOf(this.#deps.disk, root, lines)
    const slice = this.#newSlice(signal)
    const disk = new DiskNames(this.#deps.disk, root)
    const preview = await this.#deps.query(folder, (index) =>
      previewIgnores({ listing: index.listing, disk }, lines, lookup, slice),
    )
    return preview ?? (await previewIgnores({ listing: undefined, disk }, lines, lookup, slice))
  }

  /** What an action will do here and on other devices; `lines` are those of a new ignore file. Nothing is changed. */
  async plan(
    folder: FolderId,
    action:
      | Exclude<PlannedAction, { readonly kind: 'ignores' }>
      | { readonly kind: 'ignores'; readonly lines: readonly string[] },
    signal: AbortSignal,
  ): Promise<readonly PlannedEffect[]> {
    const config = this.#deps.folders.configured(folder)
    checkPlanned(action, config, this.#others(folder))
    const root = this.#deps.folders.root(config)
    const { disk } = this.#deps
    const hasIgnores = FOLDER_POLICIES[config.type].hasIgnores
    const shared = this.#shared(folder)
    const own = hasIgnores ? await loadIgnores(disk, root).catch(() => undefined) : undefined
    const planned = action.kind === 'ignores' ? await this.#withRules(root, action.lines, shared) : action
    const kept = this.#deps.folders.storedKept(folder)
    await kept.load()
    const facts = {
      folder: config,
      platform: this.#deps.system.platform,
      rules: withSharedIgnores(own ?? NO_RULES, shared),
      collects: this.#deps.folders.collects(folder),
      devices: this.#others(folder),
      kept: (name: string) => kept.find(name)?.file,
      sizeOnDisk: async (name: string) => {
        const stat = await disk.lstat(joinPath(root, name)).catch(() => undefined)
        return stat?.type === 'file' ? stat.sizeBytes : stat && 0
      },
      walk: (rules: IgnoreRules, check: (name: string) => void, slice: TimeSlice) =>
        new DiskNames(disk, root).walk(rules, new Map(), check, slice),
    }
    const nowS = Math.floor(this.#deps.clock.nowMs() / 1_000)
    const effects = await this.#deps.query(folder, async (index) => {
      const counting = { nowS, ownShortId: shortIdOf(this.#own), counterId: await index.exchange.counterId() }
      return await planAction(index, planned, { ...facts, counting }, this.#newSlice(signal))
    })
    return effects ?? []
  }

  async #withRules(root: string, lines: readonly string[], shared: readonly string[]): Promise<PlannedAction> {
    const lookup = await includesOf(this.#deps.disk, root, lines)
    return { kind: 'ignores', rules: withSharedIgnores(new IgnoreRules(resolveIncludes(lines, lookup)), shared) }
  }

  /** The shared patterns, and what switching them on, or off, would change here. */
  async sharedIgnores(folder: FolderId, signal: AbortSignal): Promise<SharedIgnoresView> {
    const config = this.#deps.folders.configured(folder)
    const shared = this.#deps.folders.running(folder)?.sharedIgnores
    if (config.paused) throw new TwinfoldError('folder-paused', 'folder is paused')
    if (shared === undefined) throw new TwinfoldError('folder-not-running', 'folder is not running')
    if (!FOLDER_POLICIES[config.type].hasIgnores)
      throw new TwinfoldError('bad-request', 'an encrypted folder has no ignore patterns')
    const root = this.#deps.folders.root(config)
    const own = (await loadIgnores(this.#deps.disk, root)) ?? NO_RULES
    const found = await shared.read()
    const lines = shared.isEnabled ? shared.lines : found.kind === 'lines' ? found.lines : []
    const rules = [own, withSharedIgnores(own, lines)] as const
    const [from, to] = shared.isEnabled ? [rules[1], rules[0]] : rules
    const disk = new DiskNames(this.#deps.disk, root)
    const slice = this.#newSlice(signal)
    const compare = (listing?: FolderIndex['listing']) => compareIgnores({ listing, disk }, { from, to }, slice)
    const change = (await this.#deps.query(folder, (index) => compare(index.listing))) ?? (await compare())
    const problem = found.kind === 'problem' ? found.reason : null
    return { enabled: shared.isEnabled, lines, problem, change }
  }

  /** What is offered for a conflict copy. */
  async mergeOffer(folder: FolderId, name: string, signal: AbortSignal): Promise<MergeOffer> {
    return await this.#deps.folders.find(folder).merging.offer(name, signal)
  }

  /** Rejects with the reason where local deletions and edits cannot be archived. */
  async requireLocalArchive(folder: FolderId): Promise<void> {
    await this.#deps.folders.find(folder).clones.requirePossible()
  }

  /** What changed here, newest first. */
  async history(folder: FolderId, query: HistoryQuery, signal: AbortSignal): Promise<HistoryPage> {
    this.#deps.folders.configured(folder)
    const page = await this.#deps.query(folder, (index) => historyPage(index.history, query, this.#newSlice(signal)))
    return page ?? { entries: [], next: undefined, completeSinceMs: undefined }
  }

  /** Conflict copies that exist here, by name. */
  async conflicts(folder: FolderId, { page, perPage }: Paging, signal: AbortSignal): Promise<ConflictsPage> {
    return await this.conflictRange(folder, { from: (page - 1) * perPage, count: perPage }, signal)
  }

  /** The same for a part of a list that does not begin with a page of this folder. */
  async conflictRange(folder: FolderId, range: ListRange, signal: AbortSignal): Promise<ConflictsPage> {
    this.#deps.folders.configured(folder)
    const known = this.#conflicts.get(folder) ?? new ConflictList()
    this.#conflicts.set(folder, known)
    return (await this.#deps.query(folder, (index) => known.range(index, range, this.#newSlice(signal)))) ?? NOTHING
  }

  /** Both files of a conflict, by the name of the copy. */
  async conflictSides(folder: FolderId, name: string): Promise<ConflictSides> {
    const { disk, folders } = this.#deps
    const root = folders.root(folders.configured(folder))
    const sides = await this.#deps.query(folder, (index) => readConflict(index.records, { disk, root }, name))
    if (sides === undefined) throw new TwinfoldError('file-missing', `folder ${folder} has no conflict copies`)
    return sides
  }

  #onDisk(folder: FolderId, name: string): Promise<DiskFacts> {
    const config = this.#deps.folders.configured(folder)
    const { hasIgnores } = FOLDER_POLICIES[config.type]
    return diskFacts(this.#deps.disk, this.#deps.folders.root(config), name, hasIgnores, this.#shared(folder))
  }

  /** The shared patterns in force. */
  #shared(folder: FolderId): readonly string[] {
    return this.#deps.folders.running(folder)?.sharedIgnores.lines ?? []
  }

  #newSlice(signal: AbortSignal): TimeSlice {
    return new TimeSlice(this.#deps.clock, signal)
  }

  #others(folder: FolderId): readonly DeviceId[] {
    return othersOf(this.#deps.folders.configured(folder), this.#own)
  }

  #facts(folder: FolderId): FolderFacts {
    const config = this.#deps.folders.configured(folder)
    const { paused, type, ignoreDelete } = config
    const running = paused ? undefined : this.#deps.folders.running(folder)
    const error = running?.explainError(this.#deps.folders.root(config)) ?? ''
    const { state = '', watchError = '' } = running?.status() ?? {}
    return { paused, type, error, scanning: state.startsWith('scan'), ignoreDelete, watchError }
  }
}

function checkPlanned(
  action: { readonly kind: PlannedAction['kind']; readonly type?: string; readonly device?: DeviceId },
  { id, type }: FolderConfig,
  devices: readonly DeviceId[],
): void {
  const refuse = (reason: string): never => {
    throw new TwinfoldError('bad-request', `folder ${id}: ${reason}`)
  }
  const { kind, device, type: next } = action
  const policy = FOLDER_POLICIES[type]
  if (kind === 'override' && !policy.canOverride) refuse(`it is ${type}; only a sendonly folder is overridden`)
  if (kind === 'revert' && !policy.canRevert) refuse(`it is ${type}; only a receiveonly folder is reverted`)
  if (kind === 'ignores' && !policy.hasIgnores) refuse('an encrypted folder has no ignore patterns')
  const isHidden = (each: string | undefined) => each === 'receiveencrypted'
  if (kind === 'type' && isHidden(type) !== isHidden(next)) refuse('a folder cannot become encrypted, or plain, later')
  if (device === undefined) return
  if (kind === 'unshare' && !devices.includes(device)) refuse('it is not shared with this device')
  if (kind === 'share' && devices.includes(device)) refuse('it is shared with this device already')
}

/** Names without a record and ignored ones, of which only the disk shows the cause, and those that should be there. */
function needsDisk(records: NameRecords | undefined): boolean {
  if (records === undefined) return true
  const { local } = records
  return local !== undefined && ((local.localFlags & FLAG_IGNORED) !== 0 || !local.deleted)
}
