import type { Config, FolderConfig } from '../core/config/config.ts'
import type { Facility } from '../core/facilities.ts'
import type { DeviceId } from '../core/ids.ts'
import type { IndexStore } from '../db/types.ts'
import type { EventSink, FolderSummaryData, Logger } from '../events/types.ts'
import type { Statistics } from '../stats/stats.ts'
import type { Semaphore } from '../sync/semaphore.ts'
import type { Platform } from '../platform/platform.ts'
import type { OtherFolder } from './puller/context.ts'
import type { Sources } from './state/sources.ts'
import type { FolderStatus } from './types.ts'

type ModelPorts = Pick<
  Platform,
  'clock' | 'random' | 'disk' | 'attributes' | 'walker' | 'hasher' | 'fileMaker' | 'watcher' | 'programs' | 'system'
>

export interface ModelDeps {
  readonly platform: ModelPorts
  readonly store: IndexStore
  readonly events: EventSink
  readonly statistics: Statistics
  /** Those who can give us files. */
  readonly sources: Sources
  logger(facility: Facility): Logger
  /** A status in the words of `GET /rest/db/status`, for the events that carry it. */
  summaryOf(status: FolderStatus): FolderSummaryData
}

export interface ModelOptions {
  readonly config: Config
  readonly ownDevice: DeviceId
  readonly userHome: string
  readonly databaseDirectory: string
}

export interface RunningFolderDeps extends ModelDeps {
  readonly slots: Semaphore
  /** Apart from those of scans: no scan waits for a download, be it of another folder. */
  readonly pullSlots: Semaphore
  /** Folders that run beside this one. */
  otherFolders(): Promise<readonly OtherFolder[]>
  /** The settings of the moment: they may change without a new runner. So may the label. */
  options(): Config['options']
  label(): string
  /** Something about the folder's numbers changed. */
  touched(): void
  onPullStart(): void
}

export interface RunningFolderOptions {
  readonly folder: FolderConfig
  readonly ownDevice: DeviceId
  readonly userHome: string
  readonly databaseDirectory: string
}
