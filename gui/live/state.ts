import type { Config } from '../../src/core/config/config.ts'
import type { ConnectionsJson, PendingDevicesJson, PendingFoldersJson } from '../../src/rest/cluster.ts'
import type { CompletionJson, DeviceStatisticsJson } from '../../src/rest/completion.ts'
import type { GuardSummaryJson } from '../../src/rest/guard.ts'
import type { FolderStatisticsJson, FolderStatusJson } from '../../src/rest/db.ts'
import type { LogLineJson, StatusJson, VersionJson } from '../../src/rest/system.ts'
import type { IndexImportJson } from '../../src/rest/index-import.ts'
import type { DisagreementsJson } from '../../src/rest/network.ts'
import type { RemediesJson } from '../../src/rest/remedies.ts'
import type { SummaryJson, WarningsJson } from '../../src/rest/twinfold.ts'

/** The state of the connection to the daemon. `locked`: it requires a login. */
type Link = 'starting' | 'live' | 'lost' | 'locked'

/** One folder as the daemon reports it. */
export interface FolderLive {
  readonly status: FolderStatusJson
  /** How much of it each other device has, by device id. */
  readonly completion: Readonly<Record<string, CompletionJson>>
  /** While a scan hashes: bytes done, bytes in all, bytes a second. */
  readonly scan?:
    | { readonly current: number; readonly total: number; readonly counted?: boolean; readonly rate: number }
    | undefined
  /** The loss of files that its guard holds, and what it noticed; undefined where there is nothing. */
  readonly guard?: GuardSummaryJson | undefined
  /** When an item changed here for the last time; undefined where none is recorded. */
  readonly lastChange?: string | undefined
  /** The items that failed, as the last event or request listed them; undefined until then. */
  readonly errors?: readonly { readonly path: string; readonly error: string }[] | undefined
}

export interface Rate {
  readonly inBps: number
  readonly outBps: number
}

/** One point of the plot of throughput. */
export interface RatePoint extends Rate {
  readonly atMs: number
}

/** The progress of one download. */
interface FileProgress {
  readonly bytesDone: number
  readonly bytesTotal: number
}

/** What the daemon has reported so far. Only `reduce.ts` and `live.ts` make a new one. */
export interface LiveState {
  readonly link: Link
  readonly config: Config | undefined
  readonly system: StatusJson | undefined
  readonly version: VersionJson | undefined
  /** When the daemon was started, to the millisecond: another time is another run. */
  readonly runSince: string | undefined
  readonly folders: Readonly<Record<string, FolderLive>>
  /** By folder and file. */
  readonly progress: Readonly<Record<string, Readonly<Record<string, FileProgress>>>>
  readonly connections: ConnectionsJson
  /** By device id. */
  readonly rates: Readonly<Record<string, Rate>>
  /** Of all devices together, the oldest first. */
  readonly history: readonly RatePoint[]
  /** The same by device id. */
  readonly deviceHistory: Readonly<Record<string, readonly RatePoint[]>>
  readonly pendingDevices: PendingDevicesJson
  readonly pendingFolders: PendingFoldersJson
  readonly warnings: readonly LogLineJson[]
  /** Settings that put the device or its data at risk. */
  readonly risks: WarningsJson
  /** Folders whose encryption is configured differently here and on another device. */
  readonly disagreements: DisagreementsJson
  /** How far the import of the index of Syncthing is; null when none runs. */
  readonly indexImport: IndexImportJson
  /** What the user of this page may do. */
  readonly access: SummaryJson['access']
  /** Folders and devices that are paused for a time. */
  readonly pauses: SummaryJson['pauses']
  /** What rules and conditions pause. */
  readonly scheduledPauses: SummaryJson['scheduledPauses']
  readonly deviceStats: DeviceStatisticsJson
  readonly folderStats: FolderStatisticsJson
  /** The number of conflict copies by folder id; folders without one are not in it. */
  readonly conflicts: Readonly<Record<string, number>>
  /** The causes of errors of folders, with evidence and what solves them. */
  readonly remedies: RemediesJson
  /** Whether everything is loaded that the status is made of: conflicts and failed items arrive after the rest. */
  readonly isComplete: boolean
  readonly restartRequired: boolean
  /** Where the daemon listened, and which version it was, when the page was loaded. */
  readonly servedAs: { readonly address: string; readonly useTLS: boolean; readonly version: string } | undefined
  /** Counts events by folder, so that lists are reloaded when needed. */
  readonly folderEvents: Readonly<Record<string, number>>
}

export const NO_CONNECTIONS: ConnectionsJson = { connections: {}, total: { at: '', inBytesTotal: 0, outBytesTotal: 0 } }

export const INITIAL: LiveState = {
  link: 'starting',
  config: undefined,
  system: undefined,
  version: undefined,
  runSince: undefined,
  folders: {},
  progress: {},
  connections: NO_CONNECTIONS,
  rates: {},
  history: [],
  deviceHistory: {},
  pendingDevices: {},
  pendingFolders: {},
  warnings: [],
  risks: [],
  disagreements: [],
  indexImport: null,
  access: { name: null, scope: 'admin', folders: null },
  pauses: [],
  scheduledPauses: [],
  deviceStats: {},
  folderStats: {},
  conflicts: {},
  remedies: [],
  isComplete: false,
  restartRequired: false,
  servedAs: undefined,
  folderEvents: {},
}
