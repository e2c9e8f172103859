import type { Config, FolderConfig } from '../core/config/config.ts'
import type { FolderExtensions } from '../core/config/extensions.ts'
import type { Facility } from '../core/facilities.ts'
import type { DeviceId, FolderId } from '../core/ids.ts'
import type { IndexStore } from '../db/types.ts'
import type { EventSink, FolderSummaryData, Logger } from '../events/types.ts'
import type { Statistics } from '../stats/stats.ts'
import type { Semaphore } from '../sync/semaphore.ts'
import type { Platform } from '../platform/platform.ts'
import type { OtherFolder } from './content/local-blocks.ts'
import type { ModelSignals } from './signals.ts'
import type { FolderRates } from './state/folder-rates.ts'
import type { PullShares } from './state/pull-shares.ts'
import type { FolderRoots } from './state/folder-roots.ts'
import type { Sources } from './state/sources.ts'
import type { FolderStatus } from './types.ts'

type ModelPorts = Pick<
  Platform,
  | 'clock'
  | 'random'
  | 'disk'
  | 'attributes'
  | 'walker'
  | 'hasher'
  | 'fileMaker'
  | 'blocks'
  | 'watcher'
  | 'programs'
  | 'system'
>

export interface ModelDeps {
  readonly platform: ModelPorts
  readonly store: IndexStore
  readonly events: EventSink
  readonly statistics: Statistics
  readonly signals: ModelSignals
  readonly roots: FolderRoots
  /** The devices that can serve blocks. */
  readonly sources: Sources
  /** Limits of folders; none where they are absent. */
  readonly folderRates?: FolderRates
  logger(facility: Facility): Logger
  /** The current settings of a folder that Syncthing does not have. */
  extensions(folder: FolderId): FolderExtensions
  /** A status in the format of `GET /rest/db/status`, for the events that carry it. */
  summaryOf(status: FolderStatus): FolderSummaryData
}

export interface ModelOptions {
  readonly config: Config
  readonly ownDevice: DeviceId
  readonly userHome: string
  readonly databaseDirectory: string
  /** Of the lists of kept files. */
  readonly keptDirectory: string
}

export interface FolderPartsDeps extends ModelDeps {
  readonly slots: Semaphore
  /** Separate from those of scans: no scan waits for a download, even of another folder. */
  readonly pullSlots: Semaphore
  readonly pullShares: PullShares
  /** Folders that run beside this one. */
  otherFolders(): Promise<readonly OtherFolder[]>
  /** The current settings: they may change while the folder runs. So may the label. */
  options(): Config['options']
  label(): string
}

export interface FolderPartsOptions extends Omit<ModelOptions, 'config'> {
  readonly folder: FolderConfig
}
