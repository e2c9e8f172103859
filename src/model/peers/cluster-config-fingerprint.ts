import type { Config, FolderConfig } from '../../core/config/config.ts'
import type { DeviceId, FolderId } from '../../core/ids.ts'
import type { FolderIndex } from '../../db/types.ts'
import type { FolderTokens } from '../encryption/folder-encryption.ts'
import { isIndexUnusable } from '../state/exchange-failure.ts'
import {
  clusterConfigFor,
  foldersSharedWith,
  type Ends,
  type FolderPositions,
  type IndexPosition,
} from './cluster-config.ts'
import type { PeersDeps } from './peer-deps.ts'
import { ownPosition } from './peer-folder.ts'

export type ClusterConfigDeps = Pick<PeersDeps, 'store' | 'roots' | 'signals'> & { config(): Config }

/**
 * Positions of all indexes of the folders shared with a device, without those that are paused or whose index cannot be
 * used. These are announced as paused, not left out: the device would take a missing folder as no longer shared, and,
 * if this device is its introducer, stop sharing it with the devices that were introduced for it.
 */
export async function announcedPositions(
  { config, store, roots, signals }: ClusterConfigDeps,
  { own, peer }: Ends,
): Promise<ReadonlyMap<FolderId, FolderPositions>> {
  const positions = new Map<FolderId, FolderPositions>()
  for (const folder of foldersSharedWith(config(), peer)) {
    if (folder.paused || roots.get(folder.id) === undefined) continue
    try {
      positions.set(folder.id, await positionsOf(await store.folder(folder.id), folder, own))
    } catch (error) {
      if (!isIndexUnusable(error)) throw error
      signals.exchangeFailed.emit({ folder: folder.id, error })
    }
  }
  return positions
}

async function positionsOf(index: FolderIndex, folder: FolderConfig, own: DeviceId): Promise<FolderPositions> {
  const others = new Map<DeviceId, IndexPosition>()
  for (const { deviceID } of folder.devices) {
    if (deviceID === own) continue
    others.set(deviceID, {
      indexId: await index.exchange.remoteIndexId(deviceID),
      sequence: await index.exchange.sequence(deviceID),
    })
  }
  return { own: await ownPosition(index), others }
}

/** The cluster config for a device without index positions: an equal text need not be sent again. */
export function clusterConfigFingerprint(
  { config, roots }: ClusterConfigDeps,
  ends: Ends,
  tokens: FolderTokens,
): string {
  const running = foldersSharedWith(config(), ends.peer).map(({ id }) => roots.get(id) !== undefined)
  const message = clusterConfigFor(config(), ends, new Map(), tokens)
  return JSON.stringify([running, message], (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  )
}
