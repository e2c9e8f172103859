import type { FolderDeviceConfig } from '../config/config.ts'
import type { DeviceId } from '../ids.ts'
import type { FileHead } from './file-info.ts'

/** An item of ours, and the record that would replace it. */
export interface ReplacedItem {
  readonly local: FileHead | undefined
  readonly global: FileHead
  /** The devices that announce the global record, without our own. */
  readonly holders: readonly DeviceId[]
}

/**
 * Whether an item would get another type, and only devices that must not read the folder announce it. They can make a
 * record out of a block of chosen content, so that a file could become a symlink.
 */
export function isUntrustedTypeChange(
  { local, global, holders }: ReplacedItem,
  devices: readonly Pick<FolderDeviceConfig, 'deviceID' | 'encryptionPassword'>[],
): boolean {
  if (local === undefined || local.deleted || global.deleted || local.type === global.type) return false
  const untrusted = devices.filter(({ encryptionPassword }) => encryptionPassword !== '')
  return holders.length > 0 && holders.every((holder) => untrusted.some(({ deviceID }) => deviceID === holder))
}
