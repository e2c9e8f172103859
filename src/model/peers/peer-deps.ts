import type { Config } from '../../core/config/config.ts'
import type { DeviceId, FolderId } from '../../core/ids.ts'
import type { IndexStore } from '../../db/types.ts'
import type { EventSink, Logger } from '../../events/types.ts'
import type { Statistics } from '../../stats/stats.ts'
import type { BlockReader } from '../../platform/files/block-reader.ts'
import type { Clock } from '../../platform/clock.ts'
import type { FileInfo } from '../../core/records/file-info.ts'
import type { ClusterConfig } from '../../protocol/types.ts'
import type { FolderOffer } from './cluster-config.ts'

/** The folder operations that connections to other devices need. */
export interface PeerFolders {
  /** Absolute; undefined for a folder that does not run. */
  rootOf(folder: FolderId): string | undefined
  /** A connected device may have needed items. */
  pullSoon(folder: FolderId): void
  /** A file differs from our index and is to be rescanned; `wholly` when size and time do not show the difference. */
  recheck(folder: FolderId, record: FileInfo, wholly: boolean): void
  /** The counts of the folder changed. */
  touched(folder: FolderId): void
}

export interface PeersDeps {
  readonly clock: Clock
  readonly blocks: BlockReader
  readonly platform: string
  readonly store: Pick<IndexStore, 'folder'>
  readonly events: EventSink
  readonly statistics: Statistics
  readonly log: Logger
  readonly folders: PeerFolders
  /** All folders that a device offers and we do not share with it. */
  foldersOffered(device: DeviceId, offers: readonly FolderOffer[]): void
  /** A configured device sent its cluster config. */
  onClusterConfig(device: DeviceId, config: ClusterConfig, offers: readonly FolderOffer[]): void
  /** A device announced a name and has none here. */
  nameDevice(device: DeviceId, name: string): void
}

/** State of a folder on another device, with the values of `GET /rest/db/completion`. */
export type RemoteState = 'unknown' | 'valid' | 'notSharing' | 'paused'

export interface PeersOptions {
  readonly config: Config
  readonly ownDevice: DeviceId
}
