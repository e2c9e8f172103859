import type { ScanScope } from '../core/paths.ts'
import type { FileHead, FileInfo } from '../core/records/file-info.ts'
import type { DeviceId, FolderId } from '../core/ids.ts'
import type { FolderCounts, TreeEntry } from '../db/types.ts'
import type { ScanProblem } from '../scanner/types.ts'
import type { FileVersion } from '../versioner/types.ts'

export type { FileVersion }

export type FolderStateName =
  | 'idle'
  | 'scanning'
  | 'scan-waiting'
  | 'sync-waiting'
  | 'sync-preparing'
  | 'syncing'
  | 'cleaning'
  | 'clean-waiting'
  | 'error'

/** The data of `GET /rest/db/status`. A paused folder has no state and no counts. */
export interface FolderStatus {
  readonly state: FolderStateName | ''
  readonly stateChangedMs: number
  readonly error: string
  readonly errorCount: number
  readonly watchError: string
  readonly ignorePatterns: boolean
  readonly sequence: number
  readonly remoteSequences: ReadonlyMap<DeviceId, number> | undefined
  readonly counts: FolderCounts
}

export interface NeedPage {
  readonly progress: readonly FileHead[]
  readonly queued: readonly FileHead[]
  readonly rest: readonly FileHead[]
}

/** `page` from 1. Both already clamped. */
export interface Paging {
  readonly page: number
  readonly perPage: number
}

export interface FileView {
  readonly global: FileInfo | undefined
  readonly local: FileInfo | undefined
  readonly availability: readonly DeviceId[]
}

export interface IgnoresView {
  readonly ignore: readonly string[] | null
  readonly expanded: readonly string[] | null
  readonly error: string | null
}

export interface FolderStatistics {
  readonly lastFile: { readonly atMs: number; readonly filename: string; readonly deleted: boolean }
  readonly lastScanMs: number
}

/** How conflicts are resolved. */
export interface ConflictChoice {
  /** The conflict copy gets the name of the original, or is removed. */
  readonly keep: 'original' | 'copy'
  /** What is not kept may be lost, where the folder keeps no old versions. */
  readonly mayRemove: boolean
}

/**
 * The interface of the hub for REST. Unknown folder: `folder-missing`; paused: `folder-paused`; configured but not
 * started: `folder-not-running`; a folder that is in error: `folder-error` with the reason as message.
 */
export interface Hub {
  /**
   * Resolves when the scan has ended and its results are stored. Without a scope the whole folder is scanned. `nextMs`
   * is the delay until the next automatic rescan.
   */
  scan(folder: FolderId, scope?: ScanScope, nextMs?: number): Promise<void>
  /** All folders that are not paused, at once. The map holds a message for each that failed. */
  scanAll(): Promise<ReadonlyMap<FolderId, string>>
  bringToFront(folder: FolderId, file: string): Promise<void>
  need(folder: FolderId, paging: Paging, signal: AbortSignal): Promise<NeedPage>
  status(folder: FolderId): Promise<FolderStatus>
  /**
   * The same without waiting, and the same object while nothing changes; undefined when the index has to be queried.
   * Throws where `status` rejects.
   */
  statusNow(folder: FolderId): FolderStatus | undefined
  browse(
    folder: FolderId,
    options: { readonly prefix: string; readonly levels: number | undefined; readonly directoriesOnly: boolean },
  ): Promise<readonly TreeEntry[]>
  /** Rejects with `file-missing` when neither index has the name. */
  file(folder: FolderId, name: string): Promise<FileView>
  /** Never rejects for a folder that is unknown: the reason is in `error`. */
  ignores(folder: FolderId): Promise<IgnoresView>
  /** Rejects with `folder-missing` for an unknown folder. An empty list removes the ignore file. */
  setIgnores(folder: FolderId, lines: readonly string[]): Promise<IgnoresView>
  folderErrors(folder: FolderId, paging: Paging): Promise<readonly ScanProblem[]>
  folderStatistics(): Promise<ReadonlyMap<FolderId, FolderStatistics>>
  /** Makes the local state of a send-only folder the global one. No effect on other and unknown folders. */
  override(folder: FolderId): Promise<void>
  /** Undoes local changes of a receive-only folder. No effect on other and unknown folders. */
  revert(folder: FolderId): Promise<void>
  /** Local changes of a receive-only folder, in name order. */
  localChanged(folder: FolderId, paging: Paging, signal: AbortSignal): Promise<readonly FileHead[]>
  /** By path, newest first. Rejects with `folder-error` (`folder has no versioner`) where none are kept. */
  versions(folder: FolderId): Promise<ReadonlyMap<string, readonly FileVersion[]>>
  /** Restores the version of each path with this time. The map holds a message for each that failed. */
  restoreVersions(folder: FolderId, wanted: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, string>>
  /**
   * Resolves conflicts by the names of the conflict copies. What is not kept becomes an old version. The map holds a
   * message for each that is unchanged.
   */
  resolveConflicts(
    folder: FolderId,
    copies: readonly string[],
    choice: ConflictChoice,
  ): Promise<ReadonlyMap<string, string>>
}
