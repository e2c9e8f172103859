import type { FolderConfig } from '../core/config/config.ts'
import type { Logger } from '../events/types.ts'
import type { Clock } from '../platform/clock.ts'
import type { Disk } from '../platform/disk.ts'
import type { Programs } from '../platform/programs.ts'

/** An old version of a file. Its time names it: whole seconds. */
export interface FileVersion {
  readonly versionMs: number
  readonly modifiedMs: number
  readonly sizeBytes: number
}

/** A file that is about to be replaced and has been kept before. One of the two is called, once. */
export interface KeptFile {
  /** The name is free already: whoever kept the file took it away. */
  readonly gone: boolean
  /** The file was replaced. What keeping it made too many goes. Never rejects. */
  done(): Promise<void>
  /** It was not, and stays what it is: there is no old version of it. Never rejects. */
  undo(): Promise<void>
}

/**
 * Keeps what files of one folder were. Whatever it promises to keep would survive a loss of power before the promise
 * resolves, unless the folder does without that. Names are those of the folder; nothing is ever read, written or removed
 * through a symlink, or outside the folder and the place for its versions.
 */
export interface Versioner {
  /** Keeps a file under its own name, too, until it is replaced. */
  keep(name: string, signal: AbortSignal): Promise<KeptFile>
  /** Takes a file out of the folder and keeps it. One that is not there is nothing to keep. */
  archive(name: string, signal: AbortSignal): Promise<void>
  /** Removes what has become too old or too many, and empty directories. */
  clean(signal: AbortSignal): Promise<void>
  /** By path, newest first. */
  versions(signal: AbortSignal): Promise<ReadonlyMap<string, readonly FileVersion[]>>
  /** Brings a version back; what has its name now is kept in turn. Rejects with `item-failed` and a reason for people. */
  restore(name: string, versionMs: number, signal: AbortSignal): Promise<void>
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
}
