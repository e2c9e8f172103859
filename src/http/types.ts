import type { Grant } from '../core/access.ts'
import type { DoctorFacts } from '../core/doctor/facts.ts'
import type { TrustedProxies } from '../core/network/trusted-proxies.ts'
import type { ConnectionsView } from '../connections/types.ts'
import type { DiscoveryView } from '../discover/types.ts'
import type { DeviceId, FolderId } from '../core/ids.ts'
import type { Locations } from '../core/locations.ts'
import type { NewFolderCheck } from '../config/new-folder.ts'
import type {
  ConfigStore,
  ExtensionStore,
  GrantStore,
  InvitationsView,
  SetupView,
  TimedPausesView,
} from '../config/types.ts'
import type { EventSink, EventSource, LogControl, Logger } from '../events/types.ts'
import type { HooksView } from '../hooks/types.ts'
import type { ContentView } from '../model/content/reader-types.ts'
import type { Disagreement } from '../model/peers/disagreements.ts'
import type { CompletionView } from '../model/queries/completion.ts'
import type { MoveView } from '../model/move/types.ts'
import type { RewindView } from '../model/rewind/types.ts'
import type { FolderExplorer } from '../model/queries/explorer.ts'
import type { Hub } from '../model/model.ts'
import type { SeriesView } from '../stats/series-recorder.ts'
import type { ScheduleView } from '../schedule/types.ts'
import type { FolderWork } from '../stats/work-counters.ts'
import type { PortMappingView } from '../upnp/types.ts'
import type { UpgradeView } from '../upgrade/types.ts'
import type { Clock } from '../platform/clock.ts'
import type { DialDirectory } from '../platform/directory.ts'
import type { Disk } from '../platform/disk.ts'
import type { HttpServer } from '../platform/http.ts'
import type { Random } from '../platform/random.ts'
import type { WatchBudget } from '../platform/watch.ts'
import type { System } from '../platform/platform.ts'

/** The number of events of each type that were created, delivered and dropped. */
export type EventCountsView = () => ReadonlyMap<
  string,
  { readonly created: number; readonly delivered: number; readonly dropped: number }
>

/** The dependencies of the REST interface. */
export interface RestDeps {
  readonly clock: Clock
  readonly random: Random
  readonly http: HttpServer
  readonly disk: RestDisk
  readonly hub: Hub
  /** Queries about single items of folders. */
  explorer(): Promise<FolderExplorer>
  /** Contents of files, also of those that are not on this device. */
  readonly content: ContentView
  readonly config: ConfigStore
  readonly extensions: ExtensionStore
  readonly grants: GrantStore
  readonly setup: SetupView
  /** Figures over time. */
  readonly series: SeriesView
  /** What the checks of the device decide on, collected anew. */
  doctorFacts(): Promise<DoctorDeviceFacts>
  /** The disks of the folders and of the home. */
  disks(): Promise<readonly DiskSpace[]>
  /** Whose request it is, where these parts are limited to what it may see. */
  readonly grant?: Grant
  readonly events: EventSource & EventSink
  readonly log: LogControl
  readonly logger: Logger
  readonly keyValue: TokenStorage
  readonly passwords: Passwords
  readonly dialDirectory: DialDirectory
  readonly lifecycle: Lifecycle
  readonly upgrade: UpgradeView
  readonly pauses: TimedPausesView
  readonly mover: MoveView
  readonly hooks: HooksView
  readonly rewinder: RewindView
  readonly schedule: ScheduleView
  readonly system: SystemView
  /** Absent in a daemon without network. */
  readonly connections?: ConnectionsView
  readonly discovery?: DiscoveryView
  readonly portMapping?: PortMappingView
  readonly pending?: PendingView
  readonly invitations?: InvitationsView
  /** Folders whose encryption is configured differently here and on another device. */
  disagreements?(): readonly Disagreement[]
  readonly completion?: CompletionView
  readonly deviceStatistics?: DeviceStatisticsView
  readonly folderWork?: FolderWorkView
  readonly indexWork?: IndexWorkView
  readonly eventCounts?: EventCountsView
  /** The watches for changes, where the system limits them. */
  watchBudget?(): WatchBudget | undefined
  /** Settings that put the device or its data at risk. */
  warnings?(): Promise<readonly DeviceWarning[]>
  /** How far the import of the index of Syncthing is; undefined when none runs. */
  indexImport?(): IndexImportView | undefined
  /** Checks a directory that is to become a folder. */
  checkFolder(path: string): Promise<NewFolderCheck>
  /** The certificate for TLS on the GUI address; created on first use. */
  /** Called with every address on which it listens, in the form of `--gui-address`. */
  onListening?(address: string): Promise<void>
  httpsIdentity(): Promise<{ readonly certificatePem: string; readonly keyPem: string }>
}

/** What the device knows; disks and errors of folders are added by the route. */
export type DoctorDeviceFacts = Omit<DoctorFacts, 'disks' | 'troubles'>

/** A disk with its folders; the one of the home may have none. */
export interface DiskSpace {
  /** The mount point. */
  readonly path: string
  readonly folders: readonly FolderId[]
  readonly freeBytes: number
  readonly totalBytes: number
}

/** A setting that puts the device or its data at risk, and its remedy. */
export interface DeviceWarning {
  readonly code: 'gui-open' | 'folder-contains-home' | 'proxy-not-trusted'
  readonly message: string
  readonly remedy: string
}

/** The import of the index of a Syncthing that used this home. */
export interface IndexImportView {
  readonly version: string
  /** The folder being imported, and its place among all of them, from 1. */
  readonly folder: FolderId | undefined
  readonly folderNumber: number
  readonly folderCount: number
  readonly items: number
  readonly totalItems: number
}

/** Values that do not change while the daemon runs. */
export interface RestOptions {
  readonly deviceId: DeviceId
  readonly version: VersionFacts
  readonly locations: Locations
  /** Directories that may contain the web page; the first that does is used. */
  readonly guiDirectories: readonly string[]
  /** The value of `--gui-address` or `STGUIADDRESS`. */
  readonly guiAddress?: string
  /** Valid in addition to the configured key (`STGUIAPIKEY`). */
  readonly guiApiKey?: string
  /** The value of `--trusted-proxies` or `TWINFOLD_TRUSTED_PROXIES`. */
  readonly trustedProxies?: TrustedProxies
}

/** The two methods of the key-value store that persist sessions. */
export interface TokenStorage {
  get(key: string): Promise<Uint8Array | undefined>
  set(key: string, value: Uint8Array): Promise<void>
}

/** Slow on purpose, therefore asynchronous. */
export interface Passwords {
  hash(password: string): Promise<string>
  verify(password: string, hash: string): Promise<boolean>
}

/** Reads the names of directories and the sizes of files in the home. */
export type RestDisk = Pick<Disk, 'open' | 'list' | 'stat' | 'lstat'>

/** The first two return at once; the daemon stops after the reply has been sent. */
export interface Lifecycle {
  shutdown(): void
  restart(): void
  /** Removes the indexes of these folders, none of which may be running. */
  deleteIndexes(folders: readonly FolderId[]): Promise<void>
}

/** When each configured device was last connected, and for how long; zero is never. */
export type DeviceStatisticsView = () => Promise<
  ReadonlyMap<DeviceId, { readonly lastSeenMs: number; readonly lastConnectionMs: number }>
>

/** Pending devices and pending folders. */
export interface PendingView {
  readonly devices: readonly {
    readonly device: DeviceId
    readonly timeMs: number
    readonly name: string
    readonly address: string
  }[]
  readonly folders: readonly {
    readonly device: DeviceId
    readonly folder: FolderId
    readonly timeMs: number
    readonly label: string
    readonly receiveEncrypted: boolean
    readonly remoteEncrypted: boolean
  }[]
  dismissDevice(device: DeviceId): void
  /** From all devices, when none is given. */
  dismissFolder(folder: FolderId, device: DeviceId | undefined): void
}

/** The counters of each folder since the start. */
export type FolderWorkView = () => ReadonlyMap<string, FolderWork>

/** The work on the index of each folder since the start. */
export type IndexWorkView = () => ReadonlyMap<
  string,
  {
    readonly queries: number
    readonly queryMs: number
    readonly changes: number
    readonly changeMs: number
    readonly records: number
  }
>

/** Values about the machine and the process. */
export type SystemView = Pick<System, 'memoryBytes' | 'cpuCount' | 'memorySizeBytes' | 'process'>

/** The parts of the version text. `version` includes the leading v. */
export interface VersionFacts {
  readonly version: string
  readonly codename: string
  /** Runtime and its version without a space, e.g. `node24.21.0`. */
  readonly runtime: string
  /** In Node's names; replies use Go's names, because clients compare them. */
  readonly platform: string
  readonly architecture: string
  /** Node has one name for processors of both byte orders, Go has two. */
  readonly endianness: 'LE' | 'BE'
  readonly builder: { readonly user: string; readonly host: string }
  readonly builtMs: number
  readonly tags: readonly string[]
  /** Free text of a wrapper program; filtered before it is shown. */
  readonly extra: string
  readonly container: boolean
}
