import type { IgnoreRules } from '../../core/ignore/ignore.ts'
import type { ScanResult } from '../../scanner/types.ts'
import type { RootIdentity } from '../state/health.ts'
import type { PullWork } from './pull-control.ts'

/** What a look at the folder before a scan tells. */
export interface FolderCheck {
  readonly root: RootIdentity
  readonly ignore: IgnoreRules
  /** The disk takes names that differ in case for the same. */
  readonly caseInsensitive: boolean
  /** When it was, on the clock that only goes forward. */
  readonly atMs: number
}

/** What the loop does to the folder; it decides only when. */
export interface FolderWork extends PullWork {
  /** Removes old versions that have become too many. */
  clean(signal: AbortSignal): Promise<void>
  /** Called before the first scan: makes root and marker where they may be made. */
  prepare(): Promise<void>
  /** Rejects with `folder-error` and the reason when the folder must not be scanned. */
  check(): Promise<FolderCheck>
  /** Rejects like `check` when the folder stops being what it was: then nothing more is stored. */
  scan(subs: readonly string[], check: FolderCheck, signal: AbortSignal): Promise<ScanResult>
  /** Called after a scan that ended well. */
  scanned(): Promise<void>
}

/** The folder as a watcher of its files is told of it. */
export interface WatchControl {
  /**
   * The folder is healthy and about to be scanned with these patterns: watch it, so that nothing that changes from now
   * on is missed. Resolves once it does, or cannot, or the signal aborts. Called before every scan; the same lines change nothing.
   */
  follow(ignoreLines: readonly string[], signal: AbortSignal): Promise<void>
  /** The folder is in trouble: stop until `follow`. */
  rest(): void
}
