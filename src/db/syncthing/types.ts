import type { DeviceId, FolderId } from '../../core/ids.ts'
import type { FileInfo } from '../../core/records/file-info.ts'
import type { IndexOwner } from '../types.ts'

/** The position of one device in the index of a folder. */
export interface DevicePosition {
  readonly owner: IndexOwner
  /** 0: none, or one that must not be used again. */
  readonly indexId: bigint
  /** The highest sequence number ever assigned or received, which may belong to no record any more. */
  readonly sequence: number
}

/** All records of one name. */
export interface NameGroup {
  readonly name: string
  readonly records: ReadonlyMap<IndexOwner, FileInfo>
  /** Devices whose record of this name cannot be used. */
  readonly unusable: readonly IndexOwner[]
}

export interface ForeignFolder extends AsyncDisposable {
  /** This device first. */
  readonly positions: readonly DevicePosition[]
  /** How many names there are, about; for the progress. */
  readonly nameCount: number
  /** Names after `after` ('' is the beginning) in the order of their bytes. */
  groups(after: string): AsyncIterable<readonly NameGroup[]>
}

export interface FolderStatistics {
  readonly folder: FolderId
  readonly lastScanMs: number
  readonly lastFileMs: number
  readonly lastFileName: string
  readonly lastFileDeleted: boolean
}

export interface DeviceStatistics {
  readonly device: DeviceId
  readonly lastSeenMs: number
  readonly lastConnectionMs: number
}

export interface PendingDeviceEntry {
  readonly device: DeviceId
  readonly timeMs: number
  readonly name: string
  readonly address: string
}

export interface PendingFolderEntry {
  readonly device: DeviceId
  readonly folder: FolderId
  readonly timeMs: number
  readonly label: string
  readonly receiveEncrypted: boolean
  readonly remoteEncrypted: boolean
}

/** What belongs to no folder. */
export interface ForeignExtras {
  readonly folders: readonly FolderStatistics[]
  readonly devices: readonly DeviceStatistics[]
  readonly pendingDevices: readonly PendingDeviceEntry[]
  readonly pendingFolders: readonly PendingFolderEntry[]
}

/** The index of a Syncthing that does not run. Reading rejects with `database-damaged` or `database-newer`. */
export interface SyncthingIndex extends AsyncDisposable {
  readonly folders: readonly FolderId[]
  open(folder: FolderId, devices: ReadonlySet<DeviceId>): Promise<ForeignFolder>
  extras(): Promise<ForeignExtras>
}
