import { shortIdOf } from '../core/device-id.ts'
import type { ImportingStore } from '../db/store.ts'
import { declineImport, importSyncthingIndex } from '../db/syncthing/import.ts'
import { savePending } from '../model/peers/pending-entries.ts'
import type { Statistics } from '../stats/stats.ts'
import type { DeviceBase } from './device-base.ts'

/**
 * Drops our index if that is wanted, and takes over that of a Syncthing that used this home; before any scan. A folder
 * whose index cannot be read is not opened: what it lacks must not be taken for deleted or new. False: interrupted, and
 * continued by the next start.
 */
export async function takeOverIndex(
  { platform, options, config, identity, logger }: DeviceBase,
  { store, statistics }: { readonly store: ImportingStore; readonly statistics: Statistics },
  signal: AbortSignal,
): Promise<boolean> {
  if (options.resetDatabase) for (const folder of await store.folders()) await store.dropFolder(folder)
  if (options.databaseInMemory) return true
  const { disk, clock } = platform
  const { dataDirectory, databaseDirectory } = options.locations
  const log = logger('db')
  if (options.resetDatabase) await declineImport(disk, { dataDirectory, databaseDirectory })
  const importing = importSyncthingIndex(
    { disk, clock, store, log },
    {
      dataDirectory,
      databaseDirectory,
      folders: config.current.folders.map(({ id, devices }) => ({
        id,
        devices: new Set(devices.map(({ deviceID }) => deviceID).filter((device) => device !== identity.deviceId)),
      })),
      ownShortId: shortIdOf(identity.deviceId),
      signal,
    },
  )
  const result = await importing.catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
  if (result === undefined) return false
  const { extras, failed } = result
  for (const [folder, reason] of failed) {
    log.warn(`folder ${folder} is not opened: ${reason.message}`)
    store.refuse(folder, reason)
  }
  if (extras !== undefined) {
    await statistics.restore(extras)
    await savePending(store.keyValue, extras)
  }
  return true
}
