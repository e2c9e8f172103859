import type { ConnectionsView } from '../connections/types.ts'
import type { DeviceId, FolderId } from '../core/ids.ts'
import type { Locations } from '../core/locations.ts'
import type { ConfigStore } from '../config/types.ts'
import type { EventSink, EventSource, LogControl, Logger } from '../events/types.ts'
import type { CompletionView } from '../model/queries/completion.ts'
import type { FolderExplorer } from '../model/queries/explorer-types.ts'
import type { Hub } from '../model/types.ts'
import type { FolderWork } from '../stats/work-counters.ts'
import type { UpgradeView } from '../upgrade/types.ts'
import type { Clock } from '../platform/clock.ts'
import type { Disk } from '../platform/disk.ts'
import type { HttpServer } from '../platform/http.ts'
import type { Random } from '../platform/random.ts'
import type { System } from '../platform/platform.ts'

/** How many events of each type were made, handed to somebody, and lost. */
export type EventCountsView = () => ReadonlyMap<
  string,
  { readonly created: number; readonly delivered: number; readonly dropped: number }
>

/** What the REST interface needs of the rest of the program, and not one method more. */
export interface RestDeps {
  readonly clock: Clock
  readonly random: Random
  readonly http: HttpServer
  readonly disk: RestDisk
  readonly hub: Hub
  /** Looks into folders for people. */
  explorer(): Promise<FolderExplorer>
  readonly config: ConfigStore
  readonly events: EventSource & EventSink
  readonly log: LogControl
  readonly logger: Logger
  readonly keyValue: TokenStorage
  readonly passwords: Passwords
  readonly lifecycle: Lifecycle
  readonly upgrade: UpgradeView
  readonly system: SystemView
  /** Absent in a daemon that talks to nobody. */
  readonly connections?: ConnectionsView
  readonly pending?: PendingView
  readonly completion?: CompletionView
  readonly deviceStatistics?: DeviceStatisticsView
  readonly folderWork?: FolderWorkView
  readonly eventCounts?: EventCountsView
  /** The certificate for TLS on the GUI address; made on first use. */
  httpsIdentity(): Promise<{ readonly certificatePem: string; readonly keyPem: string }>
}

/** Facts that do not change while the daemon runs. */
export interface RestOptions {
  readonly deviceId: DeviceId
  readonly version: VersionFacts
  readonly locations: Locations
  /** Where the files of the web page may be; the first directory that has them counts. */
  readonly guiDirectories: readonly string[]
  /** What `--gui-address` or `STGUIADDRESS` said. */
  readonly guiAddress?: string
  /** Valid in addition to the configured key (`STGUIAPIKEY`). */
  readonly guiApiKey?: string
}

/** The two calls of the key-value store that keep sessions over a restart. */
export interface TokenStorage {
  get(key: string): Promise<Uint8Array | undefined>
  set(key: string, value: Uint8Array): Promise<void>
}

/** Slow on purpose, therefore asynchronous. */
export interface Passwords {
  hash(password: string): Promise<string>
  verify(password: string, hash: string): Promise<boolean>
}

/** What is looked at on the disk: names of directories, and how large files of the home are. */
export type RestDisk = Pick<Disk, 'open' | 'list' | 'stat' | 'lstat'>

/** The first two return at once; the daemon stops after the reply has been sent. */
export interface Lifecycle {
  shutdown(): void
  restart(): void
  /** Removes the indexes of these folders, none of which may be running. */
  forgetIndexes(folders: readonly FolderId[]): Promise<void>
}

/** When each configured device was last connected, and for how long; zero is never. */
export type DeviceStatisticsView = () => Promise<
  ReadonlyMap<DeviceId, { readonly lastSeenMs: number; readonly lastConnectionMs: number }>
>

/** Who wants to connect and what is offered, until somebody decides. */
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
  /** Whoever offers it, when no device is given. */
  dismissFolder(folder: FolderId, device: DeviceId | undefined): void
}

/** What each folder has done since the start. */
export type FolderWorkView = () => ReadonlyMap<string, FolderWork>

/** Figures about the machine and the running process; later parts add what they know about discovery. */
export interface SystemView extends Pick<System, 'memoryBytes' | 'cpuCount' | 'memorySizeBytes' | 'process'> {
  /** Cached addresses of other devices, for `GET /rest/system/discovery`. */
  discovered?(): ReadonlyMap<DeviceId, readonly string[]>
}

/** What a version line is made of. `version` carries the leading v. */
export interface VersionFacts {
  readonly version: string
  readonly codename: string
  /** Runtime and its version in one word, e.g. `node24.21.0`. */
  readonly runtime: string
  /** As Node names them; they are shown as Go does, because clients compare. */
  readonly platform: string
  readonly architecture: string
  /** Node gives processors of both byte orders one name, Go does not. */
  readonly endianness: 'LE' | 'BE'
  readonly builder: { readonly user: string; readonly host: string }
  readonly builtMs: number
  readonly tags: readonly string[]
  /** Free text of a program that wraps us; filtered before it is shown. */
  readonly extra: string
  readonly container: boolean
}
