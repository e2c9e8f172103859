import type { Config, FolderConfig } from '../../core/config/config.ts'
import { isEncryptedParent } from '../../core/encryption/names.ts'
import { messageOf, systemCode, TwinfoldError } from '../../core/errors.ts'
import { SHARED_IGNORES_NAME } from '../../core/ignore/shared-ignores.ts'
import type { ShortId } from '../../core/ids.ts'
import { temporaryName, type ScanScope } from '../../core/paths.ts'
import type { CountTime } from '../../core/records/version-vector.ts'
import type { FolderIndex, IndexStore } from '../../db/types.ts'
import type { EventSink, Logger } from '../../events/types.ts'
import { readAccounts } from '../../platform/accounts.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Random } from '../../platform/random.ts'
import { scanFolder } from '../../scanner/scanner.ts'
import type { ScanDeps, ScanProgress, ScanRequest, ScanResult } from '../../scanner/types.ts'
import type { Statistics } from '../../stats/stats.ts'
import { overrideItems, overrideOthers, type OverrideDeps } from '../override.ts'
import type { ModelSignals } from '../signals.ts'
import type { CounterFloor } from '../state/counter-floor.ts'
import { FOLDER_POLICIES, permissionRule } from '../state/folder-policy.ts'
import type { JobQueue } from '../state/job-queue.ts'
import type { FolderGuard } from '../state/folder-guard.ts'
import type { KeptFiles } from '../state/kept-files.ts'
import type { FolderTreeOptions } from '../tree/folder-tree.ts'
import type { ChangePublisher } from './change-publisher.ts'
import type { FolderCheck, FolderChecks } from './folder-checks.ts'
import type { FolderMounts } from './folder-mounts.ts'
import type { FolderRequests } from './folder-requests.ts'
import type { LazyAttributes } from './lazy-attributes.ts'
import type { LocalClones } from './local-clones.ts'
import { DEFAULT_MARKER_NAME } from '../../core/folder-stop.ts'
import { createMarker } from './marker.ts'
import type { MergeKeeper } from './merge-keeper.ts'
import type { Pulls } from './pulls.ts'
import type { SharedIgnores } from './shared-ignores.ts'

const PROGRESS_INTERVAL_MS = 2_000
/** A scan that waited longer than this for its slot checks the folder again before it begins. */
const CHECK_AGE_MS_MAX = 500

export interface ScanWorkDeps {
  readonly platform: Pick<Platform, 'clock' | 'disk' | 'hasher' | 'random' | 'walker' | 'system'>
  readonly store: IndexStore
  readonly events: EventSink
  readonly statistics: Statistics
  readonly signals: ModelSignals
  readonly checks: FolderChecks
  readonly pulls: Pulls
  readonly jobs: JobQueue
  readonly publisher: ChangePublisher
  readonly mounts: FolderMounts
  readonly counts: CounterFloor
  readonly kept: KeptFiles
  readonly guard: FolderGuard
  readonly requests: Pick<FolderRequests, 'scanSoon'>
  readonly sharedIgnores: Pick<SharedIgnores, 'isEnabled'>
  readonly attributes: LazyAttributes
  readonly clones: Pick<LocalClones, 'archive' | 'beginScan' | 'update'>
  readonly merging: Pick<MergeKeeper, 'candidates' | 'stored' | 'update'>
  logger(facility: 'model' | 'scanner'): Logger
  /** The current settings: they may change while the folder runs. */
  options(): Config['options']
}

/** What the loop of one folder does to its index: scans, and overrides of other devices' changes. */
export class ScanWork {
  readonly #deps: ScanWorkDeps
  readonly #folder: FolderConfig
  readonly #root: string
  #isPrepared = false

  constructor(deps: ScanWorkDeps, { folder, root }: Omit<FolderTreeOptions, 'ownDevice'>) {
    this.#deps = deps
    this.#folder = folder
    this.#root = root
  }

  /**
   * Called until it succeeds, before the first scan. Root and marker are created only for a folder that was never
   * scanned. The files of one whose index was lost may be on a disk that is not mounted.
   */
  async prepare(): Promise<void> {
    const { checks, store, platform } = this.#deps
    const { id, markerName } = this.#folder
    if (this.#isPrepared || markerName !== DEFAULT_MARKER_NAME) return
    try {
      const known = await hasRecords(await store.folder(id))
      if (!known && !store.recoveries.some((recovery) => recovery.folder === id)) {
        await createMarker(platform.disk, this.#root, id, platform.clock.nowMs())
      }
      this.#isPrepared = true
      checks.setMarkerError(undefined)
    } catch (error) {
      checks.setMarkerError(`cannot create the folder marker: ${messageOf(error)}`)
      this.#deps.logger('model').warn(`folder ${id}: cannot prepare ${this.#root}: ${messageOf(error)}`)
    }
  }

  /** What is mounted at and below the root; undefined for a scan of some paths, which is too frequent to look. */
  async place(scope: ScanScope, { root }: FolderCheck): Promise<string | undefined> {
    if (!scope.includes('')) return undefined
    return `${root.deviceId} ${root.inode} ${(await this.#deps.mounts.mounted()).join('/ ')}`
  }

  /** Rejects with the reason when root or marker change during the scan; nothing more is stored then. */
  async scan(scope: ScanScope, check: FolderCheck, signal: AbortSignal): Promise<ScanResult> {
    const result = await this.#scan(scope, check, signal)
    await this.#deps.clones.update(signal)
    await this.#deps.merging.update(signal)
    if (this.#deps.merging.candidates.any) this.#deps.pulls.request()
    return result
  }

  async #scan(scope: ScanScope, check: FolderCheck, signal: AbortSignal): Promise<ScanResult> {
    const { checks, clones, counts, guard, kept, logger, platform, pulls, store } = this.#deps
    const log = logger('model')
    const startedMs = platform.clock.monotonicMs()
    log.debug(() => `folder ${this.#folder.id}: scanning ${describe(scope)}`)
    const deps = await this.#scanDeps(check, signal)
    using _lock = await pulls.exclude(signal, check.ignore)
    try {
      clones.beginScan()
      await counts.load()
      await kept.load()
      const attributes = await this.#attributes(scope)
      const isAnnounced = !FOLDER_POLICIES[this.#folder.type].localChangesStayHere
      const request = {
        ...this.#request(scope, check),
        ownership: await this.#ownership(),
        attributes,
        guard: isAnnounced ? await guard.begin('local', scope) : undefined,
      }
      const result = await scanFolder(deps, request, signal)
      attributes?.done()
      await kept.store()
      if (scope.includes('')) await (await store.folder(this.#folder.id)).history.begin()
      await guard.checkRewritten()
      if (result.changed > 0 || scope.includes('')) await this.#deps.mounts.remember(startedMs)
      await this.#count(result)
      const durationMs = Math.round(platform.clock.monotonicMs() - startedMs)
      log.debug(() => `folder ${this.#folder.id}: scanned ${describe(scope)}: ${textOf(result)}, ${durationMs} ms`)
      return result
    } catch (error) {
      if (signal.aborted || error instanceof TwinfoldError || systemCode(error) === undefined) throw error
      // After a disk error the health check usually gives a more precise reason than the failed call.
      await checks.checkAgain(check)
      throw new TwinfoldError('folder-error', messageOf(error), { cause: error })
    }
  }

  /** Makes the local state win on all devices. */
  async override(check: FolderCheck, signal: AbortSignal): Promise<void> {
    using _lock = await this.#deps.pulls.exclude(signal)
    const { deps, options } = await this.#overriding(check)
    await overrideOthers(deps, options, signal)
  }

  /** The same for these names. */
  async overrideItems(names: readonly string[], check: FolderCheck, signal: AbortSignal): Promise<void> {
    using _lock = await this.#deps.pulls.exclude(signal)
    const { deps, options } = await this.#overriding(check)
    await overrideItems(deps, names, options, signal)
  }

  async #overriding({ ignore }: FolderCheck): Promise<{ deps: OverrideDeps; options: CountTime }> {
    const { counts, platform, publisher, store } = this.#deps
    const index = await store.folder(this.#folder.id)
    const nowS = Math.floor(platform.clock.nowMs() / 1_000)
    await counts.load()
    const onStored: OverrideDeps['onStored'] = (records, sequence) => publisher.publishLocal({ records, sequence })
    return { deps: { index, ignore, onStored }, options: { nowS, ...counts.counting } }
  }

  async #count(result: ScanResult): Promise<void> {
    const { platform, signals, statistics } = this.#deps
    statistics.work.countScan(this.#folder.id, result)
    await statistics.scanned(this.#folder.id, platform.clock.nowMs())
    signals.countsChanged.emit(this.#folder.id)
  }

  async #scanDeps(check: FolderCheck, signal: AbortSignal): Promise<ScanDeps> {
    const { checks, clones, events, guard, kept, logger, merging, mounts } = this.#deps
    const { platform, publisher, requests, sharedIgnores, store } = this.#deps
    const { clock, disk, hasher, walker } = platform
    const { id } = this.#folder
    const index = await store.folder(id)
    const onProgress = ({ currentBytes, totalBytes, counted, rate }: ScanProgress) =>
      events.emit('FolderScanProgress', { folder: id, current: currentBytes, total: totalBytes, counted, rate })
    const log = logger('scanner')
    const checkHealth = () => checks.checkAgain(check)
    const onBatch: ScanDeps['onBatch'] = (batch) => {
      for (const { deleted, name } of batch.records) if (!deleted) kept.forget(name)
      guard.stored(batch.records)
      merging.stored(batch.records)
      publisher.publishLocal(batch)
      // The scan may have been of this file alone, and others are ignored now.
      if (sharedIgnores.isEnabled && batch.records.some(({ name }) => name === SHARED_IGNORES_NAME)) requests.scanSoon()
    }
    const unmounted = () => mounts.unmounted()
    const beforeBatch: ScanDeps['beforeBatch'] = (records) => clones.archive(records, signal)
    const own = { index: index.records, log, checkHealth, unmounted, beforeBatch, onBatch, onProgress }
    return { clock, disk, hasher, walker, ...own }
  }

  async #attributes(scope: ScanScope) {
    const { attributes } = this.#deps
    return attributes.areAnnounced ? (await attributes.load()).pass(scope) : undefined
  }

  async #ownership(): Promise<ScanRequest['ownership']> {
    const { sendOwnership, syncOwnership } = this.#folder
    const { disk, system } = this.#deps.platform
    if ((!sendOwnership && !syncOwnership) || system.platform === 'win32') return undefined
    return { accounts: await readAccounts(disk), synced: syncOwnership }
  }

  #request(scope: ScanScope, { atMs, caseInsensitive, ignore, madeHere }: FolderCheck): ScanRequest {
    const { autoNormalize, hashers, modTimeWindowS, scanProgressIntervalS, type } = this.#folder
    const policy = FOLDER_POLICIES[type]
    const { system } = this.#deps.platform
    const permissions = permissionRule(this.#folder, system.platform)
    return {
      root: this.#root,
      subs: scope,
      ignore,
      madeHere: madeHere && { paths: madeHere, counterId: newCounterId(this.#deps.platform.random) },
      isNoItem: type === 'receiveencrypted' ? isEncryptedParent : undefined,
      ignorePerms: permissions !== 'applied',
      keepPermissions: permissions === 'kept',
      modTimeWindowMs: modTimeWindowS * 1_000,
      autoNormalize,
      hashers,
      ...this.#deps.counts.counting,
      receiveOnly: policy.localChangesStayHere,
      kept: this.#deps.kept,
      caseSensitive: this.#folder.caseSensitiveFS,
      checked: this.#deps.platform.clock.monotonicMs() - atMs < CHECK_AGE_MS_MAX ? { caseInsensitive } : undefined,
      keepTemporariesMs: this.#deps.options().keepTemporariesH * 3_600_000,
      temporariesInUse: this.#deps.jobs.inProgress().map((name) => temporaryName(name, system.platform)),
      progressIntervalMs: scanProgressIntervalS === 0 ? PROGRESS_INTERVAL_MS : scanProgressIntervalS * 1_000,
    }
  }
}

function newCounterId(random: Random): ShortId {
  return (Buffer.from(random.bytes(8)).readBigUInt64BE() || 1n) as ShortId
}

async function hasRecords({ records }: FolderIndex): Promise<boolean> {
  return (await records.page('local', { within: '', afterName: '', limit: 1 })).length > 0
}

function describe(scope: ScanScope): string {
  return scope.length === 1 && scope[0] === '' ? 'everything' : scope.map((sub) => JSON.stringify(sub)).join(' ')
}

function textOf({ itemsSeen, changed, bytesHashed, problems }: ScanResult): string {
  return `${itemsSeen} items, ${changed} changed, ${bytesHashed} bytes hashed, ${problems.length} problems`
}
