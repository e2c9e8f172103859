import type { Config } from '../../core/config/config.ts'
import type { DeviceId } from '../../core/ids.ts'
import type { IndexStore } from '../../db/types.ts'
import type { EventSink, Logger } from '../../events/types.ts'
import type { Statistics } from '../../stats/stats.ts'
import type { BlockReader } from '../../platform/files/block-reader.ts'
import type { Disk } from '../../platform/disk.ts'
import type { FolderKeys } from '../../platform/folder-keys.ts'
import type { Random } from '../../platform/random.ts'
import type { Clock } from '../../platform/clock.ts'
import type { ClusterConfig } from '../../protocol/types.ts'
import type { ModelSignals } from '../signals.ts'
import type { FolderRates } from '../state/folder-rates.ts'
import type { FolderRoots } from '../state/folder-roots.ts'
import type { FolderOffer } from './cluster-config.ts'

export interface PeersDeps {
  readonly clock: Clock
  readonly random: Random
  readonly disk: Disk
  readonly folderKeys: FolderKeys
  readonly blocks: BlockReader
  readonly platform: string
  /** Limits of folders; none where they are absent. */
  readonly folderRates?: FolderRates
  readonly store: Pick<IndexStore, 'folder'>
  readonly events: EventSink
  readonly statistics: Statistics
  readonly log: Logger
  readonly signals: ModelSignals
  readonly roots: Pick<FolderRoots, 'continuity' | 'get' | 'lock'>
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
