import type { Config } from '../../src/core/config/config.ts'
import type { Change } from '../../src/rest/config.ts'
import type { LiveState } from '../live/state.ts'

/** An unknown device that has tried to connect. */
export interface DeviceRequest {
  readonly deviceID: string
  readonly name: string
  readonly address: string
  readonly time: string
}

/** A folder that a device offers and that is not shared with it. */
export interface Offer {
  readonly folderID: string
  readonly label: string
  readonly deviceID: string
  readonly time: string
  /** We have a folder of this id already: it is only to be shared. */
  readonly isHere: boolean
  /** The device encrypts it for us: we only store it. */
  readonly isEncrypted: boolean
  /** The device stores it encrypted: we need the password to read it. */
  readonly needsPassword: boolean
}

/** Sorted by name, so that rows do not move when a device connects again and gets a newer time. */
export function deviceRequestsOf({ pendingDevices }: Pick<LiveState, 'pendingDevices'>): readonly DeviceRequest[] {
  return Object.entries(pendingDevices)
    .map(([deviceID, request]) => ({ deviceID, ...request }))
    .sort(byName)
}

export function offersOf({ pendingFolders, config }: Pick<LiveState, 'pendingFolders' | 'config'>): readonly Offer[] {
  const here = new Set<string>(config?.folders.map(({ id }) => id))
  return Object.entries(pendingFolders)
    .flatMap(([folderID, { offeredBy }]) =>
      Object.entries(offeredBy).map(([deviceID, { label, time, receiveEncrypted, remoteEncrypted }]) => ({
        folderID,
        label,
        deviceID,
        time,
        isHere: here.has(folderID),
        isEncrypted: receiveEncrypted,
        needsPassword: remoteEncrypted,
      })),
    )
    .sort(byName)
}

interface Named {
  readonly name?: string
  readonly label?: string
  readonly deviceID: string
}

function byName(one: Named, other: Named): number {
  return (
    compareText(one.name ?? one.label ?? '', other.name ?? other.label ?? '') ||
    compareText(one.deviceID, other.deviceID)
  )
}

function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

/** The configuration with the device among the ignored ones. */
export function ignoringDevice(
  config: Config,
  { deviceID, name, address }: DeviceRequest,
  now: string,
): Change<Config> {
  const others = config.remoteIgnoredDevices.filter((ignored) => ignored.deviceID !== deviceID)
  return { ...config, remoteIgnoredDevices: [...others, { deviceID, name, address, time: now }] }
}

/** The device's list of ignored folders, with one more. */
export function ignoringFolder(
  config: Config,
  { deviceID, folderID, label }: Offer,
  now: string,
): Change<Config['devices'][number]> {
  const ignored = config.devices.find((device) => device.deviceID === deviceID)?.ignoredFolders ?? []
  return { ignoredFolders: [...ignored.filter(({ id }) => id !== folderID), { id: folderID, label, time: now }] }
}

/** The device list of a folder after sharing it with the device, or after ending that. */
export function sharingWith(
  config: Config,
  folderId: string,
  deviceId: string,
  shared: boolean,
): Change<Config['folders'][number]> {
  const devices = config.folders.find(({ id }) => id === folderId)?.devices ?? []
  const others = devices.filter(({ deviceID }) => deviceID !== deviceId)
  if (!shared) return { devices: others }
  const kept = devices.find(({ deviceID }) => deviceID === deviceId)
  return { devices: [...others, kept ?? { deviceID: deviceId, introducedBy: '', encryptionPassword: '' }] }
}
