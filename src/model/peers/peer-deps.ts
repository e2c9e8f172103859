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

/** What those who talk to other devices ask of the folders. */
export interface PeerFolders {
  /** Absolute; undefined for a folder that does not run. */
  rootOf(folder: FolderId): string | undefined
  /** Somebody may have what the folder needs. */
  pullSoon(folder: FolderId): void
  /** A file is not what our index says: it wants another look, `wholly` when size and time do not show it. */
  recheck(folder: FolderId, record: FileInfo, wholly: boolean): void
  /** Something about the folder's numbers changed. */
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
  /** All that a device offers and we do not share with it. */
  foldersOffered(device: DeviceId, offers: readonly FolderOffer[]): void
  /** A device that is let in has said what it shares, and with whom. */
  onClusterConfig(device: DeviceId, word: ClusterConfig, offers: readonly FolderOffer[]): void
  /** A device told a name and has none here. */
  nameDevice(device: DeviceId, name: string): void
}

/** How a folder stands with another device, in the words of `GET /rest/db/completion`. */
export type RemoteState = 'unknown' | 'valid' | 'notSharing' | 'paused'

export interface PeersOptions {
  readonly config: Config
  readonly ownDevice: DeviceId
}
