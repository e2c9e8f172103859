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

export type WordDeps = Pick<PeersDeps, 'store' | 'folders'> & { config(): Config }

/** How far the indexes reach that we hold of the folders shared with a device. Folders that rest are not among them. */
export async function positionsToTell(
  { config, store, folders }: WordDeps,
  { own, peer }: Ends,
): Promise<ReadonlyMap<FolderId, FolderPositions>> {
  const positions = new Map<FolderId, FolderPositions>()
  for (const folder of foldersSharedWith(config(), peer)) {
    if (folder.paused || folders.rootOf(folder.id) === undefined) continue
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

/** What we would tell a device, apart from how far each index reaches: equal texts need not be told again. */
export function clusterConfigFingerprint({ config, folders }: WordDeps, ends: Ends): string {
  const running = foldersSharedWith(config(), ends.peer).map(({ id }) => folders.rootOf(id) !== undefined)
  const told = clusterConfigFor(config(), ends, new Map())
  return JSON.stringify([running, told], (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  )
}
