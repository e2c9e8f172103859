import type { FolderConfig } from '../../core/config/config.ts'
import { TwinfoldError } from '../../core/errors.ts'
import type { SelectionEntry } from '../../core/ignore/selection.ts'
import { conflictOriginal, isCanonical, scanScope, sortScope, type ScanScope } from '../../core/paths.ts'
import type { LeftFiles } from '../puller/drop.ts'
import type { FolderGuard } from '../state/folder-guard.ts'
import type { RewindChunk, RewindOutcome } from '../puller/rewind-items.ts'
import { FOLDER_POLICIES } from '../state/folder-policy.ts'
import type { ConflictChoice, EmptyOptions, FileVersion, ResolvedConflict, VersionsUsed } from '../types.ts'
import type { FolderCheck, FolderChecks } from './folder-checks.ts'
import type { FolderRequests, FolderTask } from './folder-requests.ts'
import type { DropWork, FolderSelection } from './folder-selection.ts'
import type { FolderVersions } from './folder-versions.ts'
import type { ItemChange, Pulls } from './pulls.ts'
import type { ScanWork } from './scan-work.ts'

const SCANNING = { waiting: 'scan-waiting', working: 'scanning' } as const
const CLEANING = { waiting: 'clean-waiting', working: 'cleaning' } as const

export interface FolderTasksDeps {
  readonly requests: FolderRequests
  readonly work: Pick<ScanWork, 'override' | 'scan'>
  readonly checks: Pick<FolderChecks, 'check'>
  readonly selection: Pick<FolderSelection, 'beforeScan' | 'select'>
  readonly pulls: Pick<Pulls, 'change' | 'drop' | 'exclude'>
  readonly versions: Pick<FolderVersions, 'cleanIntervalMs' | 'isCleanDue' | 'clean' | 'require'>
  readonly guard: Pick<FolderGuard, 'isFrozenNow'>
}

/** What users request of one folder besides scans. The loop runs these tasks between scans. */
export class FolderTasks {
  readonly #deps: FolderTasksDeps
  readonly #type: FolderConfig['type']

  constructor(deps: FolderTasksDeps, { type }: Pick<FolderConfig, 'type'>) {
    this.#deps = deps
    this.#type = type
  }

  /** Resolves when the local state has become the global one. No-op unless the folder type allows it. */
  async override(): Promise<void> {
    if (!FOLDER_POLICIES[this.#type].canOverride) return
    const { requests, work } = this.#deps
    await requests.perform({ states: SCANNING, run: (check, signal) => work.override(check, signal) })
  }

  /** Resolves when local changes are reverted, except for items to be pulled. No-op if the folder type forbids it. */
  async revert(): Promise<void> {
    if (!FOLDER_POLICIES[this.#type].canRevert) return
    await this.#change((puller, request, signal) => puller.revert(request, signal))
  }

  /** By path, newest first. Rejects with `folder-error` where the folder keeps no versions. */
  async versions(signal: AbortSignal): Promise<ReadonlyMap<string, readonly FileVersion[]>> {
    return await (await this.#deps.versions.require()).versions(signal)
  }

  async versionsUsed(signal: AbortSignal): Promise<VersionsUsed> {
    return await (await this.#deps.versions.require()).used(signal)
  }

  /** Resolves with what was removed. */
  async emptyVersions(options: EmptyOptions): Promise<Pick<VersionsUsed, 'files' | 'sizeBytes'>> {
    const { pulls, requests, versions } = this.#deps
    const versioner = await versions.require()
    let removed = { files: 0, sizeBytes: 0 }
    const run: FolderTask['run'] = async (_check, signal) => {
      using _lock = await pulls.exclude(signal)
      removed = await versioner.empty(options, signal)
    }
    await requests.perform({ states: CLEANING, run })
    return removed
  }

  /** The map holds a message for each version that could not be restored. */
  async restoreVersions(wanted: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, string>> {
    await this.#deps.versions.require()
    return await this.#change((puller, request, signal) => puller.restore(wanted, request, signal))
  }

  /** The map holds a message for each conflict copy that is unchanged. */
  async resolveConflicts(copies: readonly string[], choice: ConflictChoice): Promise<ReadonlyMap<string, string>> {
    // An edit that is not known yet must not be taken for what was shown.
    const shown = [...(choice.shown?.keys() ?? [])]
      .flatMap((name) => [name, conflictOriginal(name)])
      .filter(isCanonical)
    const scanned = shown.length === 0 ? undefined : scanScope(shown)
    return await this.#change(
      (puller, request, signal) => puller.resolveConflicts(copies, choice, request, signal),
      scanned,
    )
  }

  /** Brings back both files of each conflict. The map holds the reasons where none was brought back. */
  async undoConflicts(resolved: readonly ResolvedConflict[]): Promise<ReadonlyMap<string, string>> {
    const paths = scanScope(
      resolved.flatMap(({ copy, original, made }) => [copy.name, original, made?.name ?? original]),
    )
    return await this.#change((puller, request, signal) => puller.undoConflicts(resolved, request, signal), paths)
  }

  /** Makes items what they were at a moment. */
  async rewind(chunk: RewindChunk): Promise<RewindOutcome> {
    let outcome: RewindOutcome | undefined
    await this.#change(async (puller, request, signal) => {
      const done = await puller.rewind(chunk, request, signal)
      outcome = done
      return done
    })
    if (outcome === undefined) throw new TwinfoldError('stopped', 'the rewind was not begun')
    return outcome
  }

  /**
   * Resolves with a message for each item that is unchanged. What is in `scanned` is scanned before, and then what was
   * changed as well: a list of conflicts that is requested next has none that is resolved.
   */
  async #change(work: ItemChange, scanned?: ScanScope): Promise<ReadonlyMap<string, string>> {
    const { checks, pulls, requests } = this.#deps
    let failures: ReadonlyMap<string, string> = new Map()
    const run: FolderTask['run'] = async (check, signal) => {
      if (scanned !== undefined) await this.#scan(scanned, check, signal)
      const { rescan, ...outcome } = await pulls.change(work, check, signal)
      failures = outcome.failures
      const scanLater = () => requests.scanPaths(rescan)
      if (scanned === undefined || rescan.length === 0) return scanLater()
      await checks
        .check()
        .then((next) => this.#scan(sortScope(rescan), next, signal))
        .catch(scanLater) // what was changed stays changed
    }
    await requests.perform({ states: SCANNING, run })
    return failures
  }

  /** Changes what is kept here. The map holds a reason for each dropped file that is still here, and stays kept. */
  async select(changes: readonly SelectionEntry[], isForced: boolean): Promise<LeftFiles> {
    const { checks, requests, selection } = this.#deps
    const paths = scanScope(changes.map(({ path }) => path))
    let left: LeftFiles = new Map()
    const run: FolderTask['run'] = async (check, signal) => {
      await this.#scan(paths, check, signal) // changes that no other device has yet must be known
      left = await selection.select(changes, isForced, check, this.#dropWork(signal))
      await this.#scan(paths, await checks.check(), signal)
    }
    await requests.perform({ states: SCANNING, run })
    return left
  }

  #dropWork(signal: AbortSignal): DropWork {
    return (dropped, next, force) => this.#deps.pulls.drop(dropped, force, next, signal)
  }

  async #scan(scope: ScanScope, check: FolderCheck, signal: AbortSignal): Promise<void> {
    const { selection, work } = this.#deps
    const next = await selection.beforeScan(scope, check, this.#dropWork(signal), signal)
    await work.scan(next.scope, next.check, signal)
  }

  /** Interval of the clean-up of old versions; 0 disables it. */
  get cleanIntervalMs(): number {
    return this.#deps.versions.cleanIntervalMs
  }

  async isCleanDue(): Promise<boolean> {
    return await this.#deps.versions.isCleanDue()
  }

  /** Removes surplus old versions. */
  get cleanUp(): FolderTask {
    const { pulls, versions } = this.#deps
    const run: FolderTask['run'] = async (_check, signal) => {
      if (await this.#deps.guard.isFrozenNow()) return
      using _lock = await pulls.exclude(signal) // a version being written would be removed as incomplete
      await versions.clean(signal)
    }
    return { states: CLEANING, run }
  }
}
