import type { IgnoreRules } from '../../core/ignore/ignore.ts'
import type { ScanResult } from '../../scanner/types.ts'
import type { RootIdentity } from '../state/health.ts'
import type { PullOutcome, PullPhase } from '../puller/puller.ts'

/** Result of the check that precedes a scan. */
export interface FolderCheck {
  readonly root: RootIdentity
  readonly ignore: IgnoreRules
  /** The file system is case-insensitive. */
  readonly caseInsensitive: boolean
  /** Time of the check on the monotonic clock. */
  readonly atMs: number
}

/** The operations of a pull. */
export interface PullWork {
  check(): Promise<FolderCheck>
  isPullNeeded(): Promise<boolean>
  /** Runs concurrently with scans. Rejects when the folder must not be written to any more, or the signal aborts. */
  pull(check: FolderCheck, onPhase: (phase: PullPhase) => void, signal: AbortSignal): Promise<PullOutcome>
}

/** The operations of the folder loop; the loop only decides when they run. */
export interface FolderWork extends PullWork {
  /** Removes surplus old versions. */
  clean(signal: AbortSignal): Promise<void>
  /** Called before the first scan: creates root and marker where that is allowed. */
  prepare(): Promise<void>
  /** Rejects with `folder-error` and the reason when the folder must not be scanned. */
  check(): Promise<FolderCheck>
  /** Rejects like `check` when root or marker change during the scan; nothing more is stored then. */
  scan(subs: readonly string[], check: FolderCheck, signal: AbortSignal): Promise<ScanResult>
  /** Called after a successful scan. */
  scanned(): Promise<void>
}

/** Starts and stops the file watcher of the folder. */
export interface WatchControl {
  /**
   * Called before every scan, so that no change after it is missed. Resolves when the folder is watched, when watching
   * failed or when the signal aborts. Unchanged lines have no effect.
   */
  follow(ignoreLines: readonly string[], signal: AbortSignal): Promise<void>
  /** The folder is in error: stop watching until `follow`. */
  stop(): void
}
