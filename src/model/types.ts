import type { SelectionEntry, SelectionState } from '../core/ignore/selection.ts'
import type { FileHead, FileInfo } from '../core/records/file-info.ts'
import type { DeviceId, ShortId } from '../core/ids.ts'
import type { KeptFile } from '../core/records/kept-file.ts'
import type { FolderCounts } from '../db/types.ts'
import type { EmptyOptions, FileVersion, VersionsUsed } from '../versioner/types.ts'
import type { GuardNotice, GuardSide, HeldLoss } from '../core/guard/guard-state.ts'

export type { EmptyOptions, FileVersion, VersionsUsed }

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

/** A page of the files that other devices have deleted and that stay here, by name. */
export interface KeptPage {
  /** Of all pages. */
  readonly total: number
  readonly bytes: number
  readonly items: readonly KeptFile[]
}

/** What becomes of kept files: all devices get them again, or they are deleted here, too. */
export type KeptAction = 'bring-back' | 'delete'

/** What the deletion guard of a folder holds, and what it has noticed. */
export interface GuardView {
  readonly enabled: boolean
  /** What other devices delete becomes an old version: it is not held. */
  readonly trash: boolean
  readonly held: readonly (HeldLoss & { readonly side: GuardSide; readonly examples: readonly string[] })[]
  readonly notices: readonly GuardNotice[]
}

/** `apply`: what is held is deleted here, or announced. `refuse`: the files come back, here or on the other devices. */
export type GuardDecision = 'apply' | 'refuse'

/** How conflicts are resolved. */
export interface ConflictChoice {
  /**
   * `original`: the conflict copy is removed; `copy`: it gets the name of the original; `both`: it gets an ordinary
   * name; `merged`: `merged` replaces the original, and the copy is removed.
   */
  readonly keep: 'original' | 'copy' | 'both' | 'merged'
  /** What is not kept may be lost, where the folder keeps no old versions. */
  readonly mayRemove: boolean
  /** What the user has seen of each copy: nothing is changed, with `refused`, where any differs from it. */
  readonly shown?: ReadonlyMap<string, ShownSides>
  /** The content that replaces the original. */
  readonly merged?: Uint8Array
  /** The name of a device, for the name of a copy that is kept. */
  deviceName?(device: ShortId): string
  /** Called for each conflict that is resolved and can be undone. */
  onResolved?(conflict: ResolvedConflict): void
}

/** The contents of a conflict, by `contentHash`. */
export interface ShownSides {
  /** Of the file; empty where there is none. */
  readonly left: string
  /** Of the conflict copy. */
  readonly right: string
}

/** A resolved conflict, with what undoes it. */
export interface ResolvedConflict {
  readonly keep: ConflictChoice['keep']
  /** The record of the conflict copy, which is gone. */
  readonly copy: FileHead
  /** The path of the file. */
  readonly original: string
  /** The record of the file that was replaced; undefined where there was none, or where it was kept. */
  readonly replaced: FileHead | undefined
  /** The file that was made of it: the copy under another name, or the merged file. */
  readonly made?: Pick<FileHead, 'name' | 'sizeBytes' | 'blocksHash'> | undefined
}

/** A path of a folder that is to be kept or dropped, with everything below it. */
export interface PathChoice {
  readonly path: string
  readonly state: SelectionState
}

/** What is kept and dropped in a folder. */
export interface SelectionView {
  readonly entries: readonly SelectionEntry[]
  /** Dropped items are being removed, or will be when the folder runs. */
  readonly isRemoving: boolean
  /** Why the selection cannot be read. */
  readonly error: string | undefined
}

/** A line of the user decides on a path before the selection does. */
export interface OverruledPath {
  readonly path: string
  readonly line: string
}

interface Amount {
  readonly files: number
  readonly bytes: number
}

/** What a change of the selection does. Only files count. */
export interface SelectionEffect {
  /** Files of this disk that are dropped. */
  readonly freed: Amount
  /** Files that are kept and not on this disk. */
  readonly fetched: Amount
  /** Dropped files of which no other device has a copy. */
  readonly onlyHere: Amount & { readonly examples: readonly string[] }
  /** How much of what is freed or fetched each other device has. */
  readonly holders: ReadonlyMap<DeviceId, Amount>
  /** The limit was reached: there is more. */
  readonly truncated: boolean
}

export interface SelectionPreview {
  readonly effect: SelectionEffect
  readonly overruled: readonly OverruledPath[]
}
