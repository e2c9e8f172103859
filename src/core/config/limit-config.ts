import type { FolderLimit } from '../access.ts'
import type { DeviceId } from '../ids.ts'
import type { Config } from './config.ts'
import { redactConfig } from './redact.ts'

/**
 * The configuration as a key sees it that may not change it: without secrets, and without other folders and the devices
 * that only those are shared with.
 */
export function limitConfig(config: Config, limit: FolderLimit, ownDevice: DeviceId): Config {
  const shown = redactConfig(config, { personal: false })
  if (limit === undefined) return shown
  const folders = shown.folders.filter(({ id }) => limit.has(id))
  const known = new Set([ownDevice, ...folders.flatMap(({ devices }) => devices.map(({ deviceID }) => deviceID))])
  const devices = shown.devices
    .filter(({ deviceID }) => known.has(deviceID))
    .map((device) => ({ ...device, ignoredFolders: device.ignoredFolders.filter(({ id }) => limit.has(id)) }))
  return { ...shown, folders, devices, remoteIgnoredDevices: [] }
}
