import type { CompareOptions } from '../../core/records/change.ts'
import type { FolderConfig } from '../../core/config/config.ts'
import { TwinfoldError } from '../../core/errors.ts'
import { withDiskTime, type FileInfo, type FileTime } from '../../core/records/file-info.ts'
import type { DeviceId } from '../../core/ids.ts'
import type { IgnoreRules } from '../../core/ignore/ignore.ts'
import { joinPath } from '../../core/paths.ts'
import type { FolderIndex } from '../../db/types.ts'
import type { EventSink, Logger } from '../../events/types.ts'
import type { SharedMutex } from '../../sync/shared-mutex.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Disk } from '../../platform/disk.ts'
import type { FileMaker } from '../../platform/file-maker.ts'
import type { Hasher } from '../../platform/hasher.ts'
import type { Random } from '../../platform/random.ts'
import type { KeptFile } from '../../versioner/types.ts'
import type { FolderAttributes } from './attributes.ts'
import type { CounterFloor } from '../state/counter-floor.ts'
import type { Sources } from '../state/sources.ts'
import type { Parents } from '../../platform/files/parents.ts'
import type { ByteSource } from './file-progress.ts'
import type { Owners } from './owners.ts'
import type { PulledRecords } from './pulled-records.ts'

export interface PullPorts {
  readonly clock: Clock
  readonly random: Random
  readonly disk: Disk
  readonly hasher: Hasher
  readonly fileMaker: FileMaker
  readonly system: { readonly platform: string; readonly cpuCount: number }
}

/** Another folder whose files may hold content that this one needs. */
export interface OtherFolder {
  readonly root: string
  readonly index: Pick<FolderIndex, 'localByBlocks' | 'localWithBlocks'>
}

/** Where old versions of files go. */
export interface Archive {
  /** Keeps a file that is about to be replaced. */
  keep(name: string): Promise<KeptFile>
  /** Takes a file out of the folder and keeps it. */
  move(name: string): Promise<void>
}

/** What all steps of one pull share: built anew for every pull, settings and patterns as they are at its start. */
export interface PullContext {
  readonly platform: PullPorts
  readonly folder: FolderConfig
  /** Absolute, as configured. */
  readonly root: string
  readonly index: FolderIndex
  readonly ignore: IgnoreRules
  readonly compare: CompareOptions
  readonly ownDevice: DeviceId
  readonly sources: Sources
  readonly events: EventSink
  readonly log: Logger
  /** Whoever changes what the index tells of, or replaces a file, holds it shared; a scan holds it alone. */
  readonly turn: SharedMutex
  /** Whoever lets a record take the place of ours says so here first. */
  readonly counts: Pick<CounterFloor, 'note'>
  readonly parents: Parents
  readonly records: PulledRecords
  readonly owners: Owners
  /** Undefined where attributes are left alone. */
  readonly attributes?: Pick<FolderAttributes, 'areSame' | 'giveAt' | 'giveNew' | 'isWanted'>
  otherFolders(): Promise<readonly OtherFolder[]>
  label(): string
  /** Content is in place, and came from there. */
  readonly onArrived?: (source: ByteSource, sizeBytes: number) => void
  /** A file of ours was put aside, because another version won. */
  readonly onConflict?: () => void
  /** Undefined where the folder keeps no versions. */
  readonly archive: Archive | undefined
  /** Something is on disk that the index does not know: it is scanned when the pull has ended. */
  scanLater(name: string): void
}

/** An item that could not be pulled, with the reason in the words of `GET /rest/folder/errors`. */
export function itemFailed(reason: string, cause?: unknown): TwinfoldError {
  return new TwinfoldError('item-failed', reason, cause === undefined ? {} : { cause })
}

export function pathOf(context: { readonly root: string }, name: string): string {
  return joinPath(context.root, name)
}

/**
 * Our record of an item that is now as the global one says, with the time that the disk could keep beside the true one:
 * all who have a version agree on its time, and by that on who wins. Flags are ours and start anew.
 */
export function adopted(global: FileInfo, onDisk: FileTime): FileInfo {
  return { ...withDiskTime(global, onDisk), sequence: 0, localFlags: 0 }
}
