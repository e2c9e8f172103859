import type { DeviceId } from '../ids.ts'
import type { FolderConfig } from './config.ts'

type Shared = Pick<FolderConfig, 'devices'>

/**
 * Whether blocks of files in one folder may be copied into files of another. Only if all devices that can read the
 * result may read the source: a device could announce a file with the block hashes of a file that it cannot read, and
 * request the copied blocks. A device with an encryption password cannot read the files.
 */
export function mayCopyBlocks(from: Shared, to: Shared, ownDevice: DeviceId): boolean {
  const readers = readersOf(from)
  readers.add(ownDevice)
  return [...readersOf(to)].every((device) => readers.has(device))
}

function readersOf({ devices }: Shared): Set<DeviceId> {
  return new Set(devices.filter(({ encryptionPassword }) => encryptionPassword === '').map(({ deviceID }) => deviceID))
}
