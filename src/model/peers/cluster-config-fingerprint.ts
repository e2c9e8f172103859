import type { Config } from '../../core/config/config.ts'
import type { DeviceId, FolderId } from '../../core/ids.ts'
import {
  clusterConfigFor,
  foldersSharedWith,
  type Ends,
  type FolderPositions,
  type IndexPosition,
} from './cluster-config.ts'
import type { PeersDeps } from './peer-deps.ts'
import { ownPosition } from './peer-folder.ts'

export type ClusterConfigDeps = Pick<PeersDeps, 'store' | 'roots'> & { config(): Config }

/** Positions of all indexes of the folders shared with a device, without paused folders. */
export async function announcedPositions(
  { config, store, roots }: ClusterConfigDeps,
  { own, peer }: Ends,
): Promise<ReadonlyMap<FolderId, FolderPositions>> {
  const positions = new Map<FolderId, FolderPositions>()
  for (const folder of foldersSharedWith(config(), peer)) {
    if (folder.paused || roots.get(folder.id) === undefined) continue
    const index = await store.folder(folder.id)
    const others = new Map<DeviceId, IndexPosition>()
    for (const { deviceID } of folder.devices) {
      if (deviceID === own) continue
      others.set(deviceID, { indexId: await index.remoteIndexId(deviceID), sequence: await index.sequence(deviceID) })
    }
    positions.set(folder.id, { own: await ownPosition(index), others })
  }
  return positions
}

/** The cluster config for a device without index positions: an equal text need not be sent again. */
export function clusterConfigFingerprint({ config, roots }: ClusterConfigDeps, ends: Ends): string {
  const running = foldersSharedWith(config(), ends.peer).map(({ id }) => roots.get(id) !== undefined)
  const message = clusterConfigFor(config(), ends, new Map())
  return JSON.stringify([running, message], (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  )
}
