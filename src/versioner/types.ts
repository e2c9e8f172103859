import type { FolderConfig } from '../core/config/config.ts'
import type { Logger } from '../events/types.ts'
import type { Clock } from '../platform/clock.ts'
import type { Disk } from '../platform/disk.ts'
import type { Programs } from '../platform/programs.ts'

/** An old version of a file, identified by its time in whole seconds. */
export interface FileVersion {
  readonly versionMs: number
  readonly modifiedMs: number
  readonly sizeBytes: number
}

/** What all old versions of a folder occupy. */
export interface VersionsUsed {
  readonly files: number
  readonly sizeBytes: number
  /** The oldest versions are removed above this; null is unlimited. */
  readonly maxBytes: number | null
}

/** Old versions to remove; all of them where nothing is given. */
export interface EmptyOptions {
  /** Names of files, and of directories with everything below. */
  readonly paths: readonly string[]
  /** Only versions that were archived before. */
  readonly beforeMs: number | undefined
}

/** An old version that is to be restored. */
export interface FoundVersion {
  /** Moves it to a path, also on another disk; a file there is replaced atomically, if that is wanted. */
  moveTo(path: string, mayReplace: boolean): Promise<void>
  /** To be called when it is durable there. */
  onDurable(): Promise<void>
}

/** Where old versions are restored. */
export interface VersionPlace {
  /** Puts the version under the name of its file; the current file is archived first. */
  restore(name: string, version: FoundVersion): Promise<void>
}

/** A file that was archived before it is replaced. Either `done` or `undo` is called, once. */
export interface KeptFile {
  /** The file was moved away, so the name is free already. */
  readonly gone: boolean
  /** The file was replaced: surplus versions are removed. Never rejects. */
  done(): Promise<void>
  /** The file was not replaced: its version is removed. Never rejects. */
  undo(): Promise<void>
}

/**
 * Archives old versions of one folder's files. Versions are durable before a promise resolves, unless the folder
 * disables fsync. Names are relative to the folder; nothing is read, written or removed through a symlink, or outside
 * the folder and its versions directory.
 */
export interface Versioner {
  /** Archives a file that stays in place until it is replaced. */
  keep(name: string, signal: AbortSignal): Promise<KeptFile>
  /** Moves a file out of the folder into the archive. A missing file is ignored. */
  archive(name: string, signal: AbortSignal): Promise<void>
  /**
   * Moves a copy of a file, at an absolute path outside the reach of other devices, into the archive of its name.
   * Undefined where that is not supported.
   */
  archiveCopy?(name: string, from: string, signal: AbortSignal): Promise<void>
  /** Whether a clean-up may find anything. Does not access the disk. */
  readonly isCleanDue: boolean
  /** Removes versions that are too old, too many or exceed their share of the disk, and empty directories. */
  clean(signal: AbortSignal): Promise<void>
  /** Reads the directory of versions only the first time. */
  used(signal: AbortSignal): Promise<VersionsUsed>
  /** Resolves with what was removed. */
  empty(options: EmptyOptions, signal: AbortSignal): Promise<Pick<VersionsUsed, 'files' | 'sizeBytes'>>
  /** By path, newest first. */
  versions(signal: AbortSignal): Promise<ReadonlyMap<string, readonly FileVersion[]>>
  /** The newest version of one file. */
  newest(name: string): Promise<FileVersion | undefined>
  /** Restores a version. Rejects with `item-failed` and a reason for display. */
  restore(name: string, versionMs: number, place: VersionPlace, signal: AbortSignal): Promise<void>
}

export interface VersionerDeps {
  readonly disk: Disk
  readonly clock: Clock
  readonly programs: Programs
  readonly log: Logger
}

export interface VersionerOptions {
  readonly folder: FolderConfig
  /** Of the folder; absolute. */
  readonly root: string
  readonly userHome: string
  /** The share of the disk that old versions may have; 0 is unlimited. */
  versionsPercentMax(): number
  /** Whether nothing may be removed at the moment. */
  isFrozen(): boolean
}
