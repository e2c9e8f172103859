import { directoryNameOf } from '../config/auto-accept.ts'
import type { Config, DeviceConfig, FolderConfig } from '../config/config.ts'
import { safetyOn } from '../config/safety.ts'
import { TwinfoldError } from '../errors.ts'
import type { DeviceId, FolderId } from '../ids.ts'
import type { Invitation, InvitedFolder } from './invitation.ts'

/** A device that has proved an invitation. Its name is not verified. */
export interface InvitedDevice {
  readonly device: DeviceId
  readonly name: string
}

/** Why a device cannot use an invitation, though it has proved it; undefined if it can. */
export function redeemRefusal(config: Config, device: DeviceId, folders: readonly FolderId[]): string | undefined {
  const isLeft = folders.length === 0 || folders.some((id) => config.folders.some((folder) => folder.id === id))
  if (!isLeft) return 'its folders have been removed'
  const known = config.devices.find(({ deviceID }) => deviceID === device)
  return known?.untrusted === true ? 'the device is configured as untrusted' : undefined
}

/** The configuration of the inviting device, with the other one added and the folders shared. */
export function withInvited(config: Config, { device, name }: InvitedDevice, folders: readonly FolderId[]): Config {
  const added = config.devices.some(({ deviceID }) => deviceID === device)
    ? config.devices
    : [...config.devices, { ...config.defaults.device, deviceID: device, name, paused: false }]
  const shared = config.folders.map((folder) => (folders.includes(folder.id) ? sharedWith(folder, device) : folder))
  return { ...config, devices: added, folders: shared }
}

/** A folder of an invitation on the joining device. */
export interface JoinedFolder extends InvitedFolder {
  /** Where its files are; of a folder that is there already its own path. */
  readonly path: string
  readonly isNew: boolean
}

/** Why this device cannot join, with the remedy; undefined if it can. */
export function joinRefusal(config: Config, own: DeviceId, { device, folders }: Invitation): string | undefined {
  if (device === own) return 'this is an invitation of this device; use it on the other one'
  const known = config.devices.find(({ deviceID }) => deviceID === device)
  if (known?.paused === true) return `the device "${known.name}" is paused here; resume it first`
  if (known?.untrusted === true) return `the device "${known.name}" is untrusted here; it cannot get a readable folder`
  const encrypted = config.folders.find(({ id, type }) => type === 'receiveencrypted' && isNamed(folders, id))
  return encrypted === undefined ? undefined : `the folder "${encrypted.id}" is encrypted on this device`
}

/** Where the folders are placed: in the named directory, several ones below it, or below the default path. */
export function joinedFolders(
  config: Config,
  { folders }: Invitation,
  path: string | undefined,
): readonly JoinedFolder[] {
  const isAnyNew = folders.some(({ id }) => !config.folders.some((folder) => folder.id === id))
  if (path !== undefined && !isAnyNew) {
    throw new TwinfoldError('refused', 'every folder of the invitation is on this device already; leave out the path')
  }
  const parent = (path ?? config.defaults.folder.path).replace(/(?<=.)\/+$/, '')
  return folders.map((folder) => {
    const ours = config.folders.find(({ id }) => id === folder.id)
    if (ours !== undefined) return { ...folder, path: ours.path, isNew: false }
    if (path !== undefined && folders.length === 1) return { ...folder, path, isNew: true }
    const name = directoryNameOf(folder.label) || directoryNameOf(folder.id)
    if (name === '') throw new TwinfoldError('refused', `the folder "${folder.id}" needs a directory; name its path`)
    return { ...folder, path: parent === '' ? name : `${parent}/${name}`, isNew: true }
  })
}

/** The configuration of the joining device, with the inviting one added and the folders shared. */
export function withInviter(config: Config, invitation: Invitation, folders: readonly JoinedFolder[]): Config {
  const { device } = invitation
  const isKnown = config.devices.some(({ deviceID }) => deviceID === device)
  const devices = isKnown
    ? config.devices.map((one) => (one.deviceID === device ? withAddresses(one, invitation.addresses) : one))
    : [...config.devices, newInviter(config, invitation)]
  const remoteIgnoredDevices = config.remoteIgnoredDevices.filter(({ deviceID }) => deviceID !== device)
  const existing = config.folders.map((folder) => (isNamed(folders, folder.id) ? sharedWith(folder, device) : folder))
  const added = folders.filter(({ isNew }) => isNew).map((folder) => newFolder(config, folder, device))
  return { ...config, devices, remoteIgnoredDevices, folders: [...existing, ...added] }
}

function newInviter({ defaults }: Config, { device, name, addresses }: Invitation): DeviceConfig {
  return {
    ...withAddresses({ ...defaults.device, addresses: ['dynamic'] }, addresses),
    deviceID: device,
    name,
    paused: false,
  }
}

function withAddresses(device: DeviceConfig, addresses: readonly string[]): DeviceConfig {
  return { ...device, addresses: [...new Set([...device.addresses, ...addresses])] }
}

function newFolder({ defaults }: Config, { id, label, type, path }: JoinedFolder, device: DeviceId): FolderConfig {
  const folder = sharedWith({ ...defaults.folder, id, label, type, path, paused: false }, device)
  const { versioning = folder.versioning } = safetyOn(folder)
  return { ...folder, versioning }
}

function sharedWith(folder: FolderConfig, device: DeviceId): FolderConfig {
  if (folder.devices.some(({ deviceID }) => deviceID === device)) return folder
  const share = { deviceID: device, introducedBy: '' as const, encryptionPassword: '' }
  return { ...folder, devices: [...folder.devices, share] }
}

function isNamed(folders: readonly InvitedFolder[], id: FolderId): boolean {
  return folders.some((folder) => folder.id === id)
}
