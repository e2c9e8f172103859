import { messageOf, systemCode, TwinfoldError } from '../../core/errors.ts'
import type { FolderConfig } from '../../core/config/config.ts'
import { shortIdOf, shortIdText } from '../../core/device-id.ts'
import { isInvalid, type FileHead } from '../../core/records/file-info.ts'
import type { ShortId } from '../../core/ids.ts'
import { IgnoreRules } from '../../core/ignore/ignore.ts'
import type { FolderIndex } from '../../db/types.ts'
import type { ItemType, Logger } from '../../events/types.ts'
import { isCaseInsensitive } from '../../scanner/presence.ts'
import { scanFolder } from '../../scanner/scanner.ts'
import type { ScanProgress, ScanRequest, ScanResult, StoredBatch } from '../../scanner/types.ts'
import { SharedMutex } from '../../sync/shared-mutex.ts'
import type { RunningFolderDeps, RunningFolderOptions } from '../deps.ts'
import { FOLDER_POLICIES } from '../state/folder-policy.ts'
import type { FolderAttributes } from '../puller/attributes.ts'
import type { FolderCheck, FolderWork } from './folder-contracts.ts'
import { checkHealth, checkSameRoot, type HealthOptions } from '../state/health.ts'
import { loadIgnores } from './ignore-file.ts'
import { FolderVersions } from './folder-versions.ts'
import type { JobQueue } from '../state/job-queue.ts'
import { createMarker, DEFAULT_MARKER_NAME } from './marker.ts'
import type { PullProgress } from '../puller/file-progress.ts'
import { overrideOthers } from '../override.ts'
import { CounterFloor } from '../state/counter-floor.ts'
import { Puller, type PullOutcome, type PullPhase } from '../puller/puller.ts'
import { readAccounts } from '../../platform/accounts.ts'

const NO_RULES = new IgnoreRules([])
const PROGRESS_INTERVAL_MS = 2_000
/** Free space is checked at most once in this interval: a disk does not fill up between two batches of a scan. */
const SPACE_INTERVAL_MS = 1_000
/** The case sensitivity of a file system rarely changes. */
const CASE_INTERVAL_MS = 10_000
/** A scan that waited longer than this for its slot checks the folder again before it begins. */
const CHECK_AGE_MS_MAX = 500
const ITEM_TYPES: Readonly<Record<FileHead['type'], ItemType>> = { file: 'file', directory: 'dir', symlink: 'symlink' }

export interface FolderOnDiskOptions extends RunningFolderOptions {
  readonly root: string
  readonly jobs: JobQueue
}

/** The folder loop's operations on a directory and an index. */
export class FolderOnDisk implements FolderWork {
  readonly #deps: RunningFolderDeps
  readonly #folder: FolderConfig
  readonly #root: string
  readonly #options: FolderOnDiskOptions
  readonly #log: Logger
  readonly #ownShortId: ShortId
  readonly #ownName: string
  readonly #counts: CounterFloor
  readonly #puller: Puller
  readonly versions: FolderVersions
  /** A scan compares disk and index, so it excludes every operation that changes both. */
  readonly #folderLock = new SharedMutex()
  #spaceSeenMs = Number.NEGATIVE_INFINITY
  #caseSeenMs = Number.NEGATIVE_INFINITY
  #caseInsensitive = false
  #attributes: Promise<FolderAttributes> | undefined
  #pulls = 0

  constructor(deps: RunningFolderDeps, options: FolderOnDiskOptions) {
    this.#deps = deps
    this.#options = options
    this.#folder = options.folder
    this.#root = options.root
    this.#log = deps.logger('model')
    this.#ownShortId = shortIdOf(options.ownDevice)
    this.#ownName = shortIdText(this.#ownShortId)
    const { events, sources, platform } = deps
    this.#counts = new CounterFloor(
      { keyValue: deps.store.keyValue, clock: platform.clock },
      options.folder.id,
      this.#ownShortId,
    )
    this.versions = new FolderVersions({ ...platform, log: deps.logger('versioner') }, options)
    this.#puller = new Puller(
      {
        platform,
        sources,
        events,
        log: this.#log,
        jobs: options.jobs,
        folderLock: this.#folderLock,
        counts: this.#counts,
        index: () => deps.store.folder(options.folder.id),
        label: () => deps.label(),
        otherFolders: () => deps.otherFolders(),
        ...(this.#attributeUse.set && { attributes: () => this.#loadAttributes() }),
        versioner: () => this.versions.versioner(),
        onStored: (batch, sequence) => this.#publishPulled(batch, sequence),
        onArrived: (source, sizeBytes) => deps.statistics.work.countPulled(options.folder.id, source, sizeBytes),
        onConflict: () => deps.statistics.work.countConflict(options.folder.id),
      },
      { folder: options.folder, root: options.root, ownDevice: options.ownDevice },
    )
  }

  get isPulling(): boolean {
    return this.#pulls > 0
  }

  get pulling(): ReadonlyMap<string, PullProgress> {
    return this.#puller.progress
  }

  /**
   * Root and marker are created only for a folder that was never scanned. The files of one whose index was lost may be
   * on a disk that is not mounted.
   */
  async prepare(): Promise<void> {
    const { store, platform } = this.#deps
    const { id, markerName } = this.#folder
    if (markerName !== DEFAULT_MARKER_NAME) return
    try {
      const known = await hasRecords(await store.folder(id))
      if (known || store.recoveries.some((recovery) => recovery.folder === id)) return
      await createMarker(platform.disk, this.#root, id, platform.clock.nowMs())
    } catch (error) {
      this.#log.warn(`folder ${id}: cannot prepare ${this.#root}: ${messageOf(error)}`)
    }
  }

  async check(): Promise<FolderCheck> {
    const { clock, disk } = this.#deps.platform
    const atMs = clock.monotonicMs()
    // All checks run in parallel: they are most of the cost of scanning one file. The health error takes precedence.
    const checks = [checkHealth(disk, this.#health()), this.#ignores(), this.#isCaseInsensitive(atMs)] as const
    const [root, ignore] = await Promise.allSettled(checks)
    if (root.status === 'rejected') throw root.reason
    this.#spaceSeenMs = atMs
    if (ignore.status === 'rejected') throw ignore.reason
    return { root: root.value, ignore: ignore.value, caseInsensitive: await checks[2], atMs }
  }

  async #isCaseInsensitive(nowMs: number): Promise<boolean> {
    if (nowMs - this.#caseSeenMs >= CASE_INTERVAL_MS) {
      this.#caseInsensitive = await isCaseInsensitive(this.#deps.platform.disk, this.#root)
      this.#caseSeenMs = nowMs
    }
    return this.#caseInsensitive
  }

  async #ignores(): Promise<IgnoreRules> {
    if (!FOLDER_POLICIES[this.#folder.type].hasIgnores) return NO_RULES
    try {
      return (await loadIgnores(this.#deps.platform.disk, this.#root)) ?? NO_RULES
    } catch (error) {
      throw new TwinfoldError('folder-error', `loading ignores: ${messageOf(error)}`, { cause: error })
    }
  }

  async scan(subs: readonly string[], check: FolderCheck, signal: AbortSignal): Promise<ScanResult> {
    const { clock, disk, hasher, walker } = this.#deps.platform
    const { id } = this.#folder
    const checkHealth = () => this.#checkSameRoot(check)
    const index = await this.#deps.store.folder(id)
    await this.#counts.load()
    const onProgress = ({ currentBytes, totalBytes, rate }: ScanProgress) =>
      this.#deps.events.emit('FolderScanProgress', { folder: id, current: currentBytes, total: totalBytes, rate })
    const deps = {
      clock,
      disk,
      hasher,
      walker,
      index,
      checkHealth,
      onProgress,
      log: this.#deps.logger('scanner'),
      onBatch: (batch: StoredBatch) => this.#publishLocal(batch),
    }
    using _lock = await this.#folderLock.exclusive(signal)
    try {
      await this.#puller.flush() // otherwise the scan would record pulled files as local changes
      const attributes = this.#attributeUse.announce ? (await this.#loadAttributes()).pass(subs) : undefined
      const result = await scanFolder(
        deps,
        { ...this.#request(subs, check), ownership: await this.#ownership(), attributes },
        signal,
      )
      attributes?.done()
      this.#deps.statistics.work.countScan(id, result)
      return result
    } catch (error) {
      if (signal.aborted || error instanceof TwinfoldError || systemCode(error) === undefined) throw error
      // After a disk error the health check usually gives a more precise reason than the failed call.
      await checkHealth()
      throw new TwinfoldError('folder-error', messageOf(error), { cause: error })
    }
  }

  async isPullNeeded(): Promise<boolean> {
    return await this.#puller.isNeeded()
  }

  async pull(check: FolderCheck, onPhase: (phase: PullPhase) => void, signal: AbortSignal): Promise<PullOutcome> {
    const checkHealth = () => checkSameRoot(this.#deps.platform.disk, this.#health(), check.root)
    this.#pulls++
    this.#deps.signals.pullStarted.emit(this.#folder.id)
    try {
      return await this.#puller.pull({ ignore: check.ignore, checkHealth, onPhase }, signal)
    } finally {
      this.#pulls--
    }
  }

  /** Makes the local state win on all devices. */
  async override({ ignore }: FolderCheck, signal: AbortSignal): Promise<void> {
    using _lock = await this.#folderLock.exclusive(signal)
    const index = await this.#deps.store.folder(this.#folder.id)
    const nowS = Math.floor(this.#deps.platform.clock.nowMs() / 1_000)
    await this.#counts.load()
    const options = { ownShortId: this.#ownShortId, nowS, minCounter: this.#counts.minCounter }
    await overrideOthers(
      { index, ignore, onStored: (records, sequence) => this.#publishLocal({ records, sequence }) },
      options,
      signal,
    )
  }

  /** Reverts local changes; resolves with the paths that must be scanned afterwards. */
  async revert(check: FolderCheck, signal: AbortSignal): Promise<readonly string[]> {
    using _lock = await this.#folderLock.exclusive(signal)
    await this.#puller.flush()
    const checkHealth = () => checkSameRoot(this.#deps.platform.disk, this.#health(), check.root)
    return await this.#puller.revert({ ignore: check.ignore, checkHealth }, signal)
  }

  /** The map holds a message for each version that could not be restored. */
  async restore(wanted: ReadonlyMap<string, number>, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
    using _lock = await this.#folderLock.exclusive(signal)
    await this.#puller.flush()
    return await this.versions.restore(wanted, signal)
  }

  async clean(signal: AbortSignal): Promise<void> {
    // Otherwise a version being written would be removed as incomplete.
    using _lock = await this.#folderLock.exclusive(signal)
    await this.versions.clean(signal)
  }

  async scanned(): Promise<void> {
    await this.#deps.statistics.scanned(this.#folder.id, this.#deps.platform.clock.nowMs())
    this.#deps.signals.countsChanged.emit(this.#folder.id)
  }

  async #ownership(): Promise<ScanRequest['ownership']> {
    const { sendOwnership, syncOwnership } = this.#folder
    const { disk, system } = this.#deps.platform
    if ((!sendOwnership && !syncOwnership) || system.platform === 'win32') return undefined
    return { accounts: await readAccounts(disk), synced: syncOwnership }
  }

  /** Whether extended attributes are read and announced, and whether received ones are set. */
  get #attributeUse(): { readonly announce: boolean; readonly set: boolean } {
    const { sendXattrs, syncXattrs, type } = this.#folder
    const { ignoresPermissions, takesFiles } = FOLDER_POLICIES[type]
    const isPossible = this.#deps.platform.system.platform === 'linux' && !ignoresPermissions
    return { announce: isPossible && (sendXattrs || syncXattrs), set: isPossible && syncXattrs && takesFiles }
  }

  /** Loaded on first use: few folders synchronize attributes. */
  async #loadAttributes(): Promise<FolderAttributes> {
    const { attributes, disk } = this.#deps.platform
    this.#attributes ??= import('../puller/attributes.ts').then(
      ({ FolderAttributes }) =>
        new FolderAttributes(
          { attributes, disk, log: this.#log },
          { folder: this.#folder, root: this.#root, ownShortId: this.#ownShortId, synced: this.#attributeUse.set },
        ),
    )
    return await this.#attributes
  }

  #request(subs: readonly string[], { atMs, caseInsensitive, ignore }: FolderCheck): ScanRequest {
    const { autoNormalize, hashers, ignorePerms, modTimeWindowS, scanProgressIntervalS, type } = this.#folder
    const policy = FOLDER_POLICIES[type]
    return {
      root: this.#root,
      subs,
      ignore,
      ignorePerms: ignorePerms || policy.ignoresPermissions,
      modTimeWindowMs: modTimeWindowS * 1_000,
      autoNormalize,
      hashers,
      ownShortId: this.#ownShortId,
      minCounter: this.#counts.minCounter,
      receiveOnly: policy.localChangesStayHere,
      checked: this.#deps.platform.clock.monotonicMs() - atMs < CHECK_AGE_MS_MAX ? { caseInsensitive } : undefined,
      keepTemporariesMs: this.#deps.options().keepTemporariesH * 3_600_000,
      progressIntervalMs: scanProgressIntervalS === 0 ? PROGRESS_INTERVAL_MS : scanProgressIntervalS * 1_000,
    }
  }

  async #checkSameRoot({ root }: FolderCheck): Promise<void> {
    const { clock, disk } = this.#deps.platform
    const nowMs = clock.monotonicMs()
    const spaceKnown = nowMs - this.#spaceSeenMs < SPACE_INTERVAL_MS
    await checkSameRoot(disk, { ...this.#health(), spaceKnown }, root)
    if (!spaceKnown) this.#spaceSeenMs = nowMs
  }

  #health(): HealthOptions {
    const { minHomeDiskFree } = this.#deps.options()
    const { databaseDirectory } = this.#options
    return { root: this.#root, markerName: this.#folder.markerName, databaseDirectory, minHomeDiskFree }
  }

  #publishLocal({ records, sequence }: StoredBatch): void {
    this.#publishStored('LocalChangeDetected', records, sequence)
  }

  async #publishPulled(records: readonly FileHead[], sequence: number): Promise<void> {
    this.#publishStored('RemoteChangeDetected', records, sequence)
    const last = records.findLast((record) => !isInvalid(record) && record.type !== 'directory')
    if (last === undefined) return
    const atMs = this.#deps.platform.clock.nowMs()
    await this.#deps.statistics.received(this.#folder.id, { filename: last.name, deleted: last.deleted, atMs })
  }

  #publishStored(
    type: 'LocalChangeDetected' | 'RemoteChangeDetected',
    records: readonly FileHead[],
    sequence: number,
  ): void {
    const { id } = this.#folder
    const label = this.#deps.label()
    const { events, platform } = this.#deps
    const filenames = records.map((record) => record.name)
    events.emit('LocalIndexUpdated', { folder: id, items: records.length, filenames, sequence, version: sequence })
    this.#deps.signals.localIndexChanged.emit(id)
    let author = this.#ownShortId
    let authorName = this.#ownName
    for (const record of records) {
      if (isInvalid(record)) continue
      if (record.modifiedBy !== author) {
        author = record.modifiedBy
        authorName = shortIdText(author)
      }
      events.emit(type, {
        folder: id,
        folderID: id,
        label,
        path: platform.system.platform === 'win32' ? record.name.replaceAll('/', '\\') : record.name,
        type: ITEM_TYPES[record.type],
        action: record.deleted ? 'deleted' : 'modified',
        modifiedBy: authorName,
      })
    }
    this.#deps.signals.countsChanged.emit(this.#folder.id)
  }
}

async function hasRecords(index: FolderIndex): Promise<boolean> {
  return (await index.page('local', { within: '', afterName: '', limit: 1 })).length > 0
}
