import type { FolderConfig } from '../../core/config/config.ts'
import { withDiskState, type DiskState, type FileInfo } from '../../core/records/file-info.ts'
import type { DeviceId } from '../../core/ids.ts'
import type { IgnoreRules } from '../../core/ignore/ignore.ts'
import type { FolderIndex } from '../../db/types.ts'
import type { EventSink, Logger } from '../../events/types.ts'
import type { SharedMutex } from '../../sync/shared-mutex.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Disk } from '../../platform/disk.ts'
import type { FileMaker } from '../../platform/file-maker.ts'
import type { Hasher } from '../../platform/hasher.ts'
import type { Random } from '../../platform/random.ts'
import type { CounterFloor } from '../state/counter-floor.ts'
import type { Sources } from '../state/sources.ts'
import type { Contents } from '../content/contents.ts'
import type { FolderTree } from '../tree/folder-tree.ts'
import type { PulledRecords } from './pulled-records.ts'

export interface PullPorts {
  readonly clock: Clock
  readonly random: Random
  readonly disk: Disk
  readonly hasher: Hasher
  readonly fileMaker: FileMaker
  readonly system: { readonly platform: string; readonly cpuCount: number }
}

/** Shared by all steps of one pull; holds settings and patterns as of its start. */
export interface PullContext {
  readonly platform: PullPorts
  readonly folder: FolderConfig
  /** Absolute, as configured. */
  readonly root: string
  readonly index: FolderIndex
  readonly ignore: IgnoreRules
  readonly tree: FolderTree
  readonly contents: Contents
  readonly ownDevice: DeviceId
  readonly sources: Sources
  readonly events: EventSink
  readonly log: Logger
  /** Held shared to change indexed items or replace files; held exclusively by scans. */
  readonly folderLock: SharedMutex
  /** Must be notified before a received record replaces ours. */
  readonly counts: Pick<CounterFloor, 'note' | 'counting'>
  readonly records: PulledRecords
  label(): string
  /** Schedules a scan after the pull, for items on disk that are not in the index. */
  scanLater(name: string): void
}

/**
 * Our record of an item that matches the global one. It keeps the state on disk beside the global time: all devices
 * must agree on the time of a version, because it decides conflicts. Flags are local and reset.
 */
export function adopted(global: FileInfo, onDisk: DiskState): FileInfo {
  return { ...withDiskState(global, onDisk), sequence: 0, localFlags: 0 }
}
