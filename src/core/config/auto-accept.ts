import type { Config, FolderConfig } from './config.ts'
import type { DeviceId, FolderId } from '../ids.ts'
import { cutToBytes } from '../paths.ts'
import { plainText } from '../formats/plain-text.ts'
import { safetyOn } from './safety.ts'

/** A folder that another device offers. The label is untrusted. */
export interface OfferedFolder {
  readonly folder: FolderId
  readonly label: string
  readonly receiveEncrypted: boolean
  readonly remoteEncrypted: boolean
}

/** Limit of folders for automatic acceptance: protects the disk against a flood of offers. */
const FOLDERS_MAX = 1_000
const NAME_SIZE_BYTES_MAX = 120
const LABEL_LENGTH_MAX = 256
/** Characters that are special to a shell, to Windows or in a path, and invisible ones. */
const NOT_IN_NAMES = /[\p{C}\p{Zl}\p{Zp}\s'/\\[\]{};:!@$%&^#<>"|?*`]+/gu
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i

/**
 * An untrusted label as a directory name: one component, visible, safe on every system.
 * Empty when no character is left.
 */
export function directoryNameOf(text: string): string {
  const clean = text.normalize('NFC').toWellFormed().replace(NOT_IN_NAMES, ' ')
  // No hidden directory, no parent directory, no home directory; Windows drops trailing dots and blanks.
  const trimmed = cutToBytes(clean.replace(/^[\s.~]+/u, ''), NAME_SIZE_BYTES_MAX).replace(/[\s.]+$/u, '')
  return RESERVED.test(trimmed) ? `-${trimmed}` : trimmed
}

/** Whether a folder of this device is accepted without confirmation. */
export function isAutoAccepted(config: Config, device: DeviceId, offer: OfferedFolder): boolean {
  const configured = config.devices.find(({ deviceID }) => deviceID === device)
  if (configured === undefined || !configured.autoAcceptFolders || configured.untrusted) return false
  if (offer.remoteEncrypted) return false // only a user has the password
  if (configured.ignoredFolders.some(({ id }) => id === offer.folder)) return false
  const ours = config.folders.find(({ id }) => id === offer.folder)
  if (ours === undefined) return config.folders.length < FOLDERS_MAX && pathsFor(config, offer).length > 0
  const isSameKind = (ours.type === 'receiveencrypted') === offer.receiveEncrypted
  return isSameKind && !ours.devices.some(({ deviceID }) => deviceID === device)
}

/** Candidate paths of a new folder, the best first: the first that does not exist is used. */
export function pathsFor(config: Config, { folder, label }: OfferedFolder): readonly string[] {
  const { path } = config.defaults.folder
  const names = new Set([directoryNameOf(label), directoryNameOf(folder)].filter((name) => name !== ''))
  return [...names].map((name) => (path === '' ? name : `${path.replace(/\/+$/, '')}/${name}`))
}

/** The configuration with the folder at `path`, or, where we have it already, shared with the device. */
export function withAccepted(config: Config, device: DeviceId, offer: OfferedFolder, path: string | undefined): Config {
  if (!isAutoAccepted(config, device, offer)) return config
  const share = { deviceID: device, introducedBy: '' as const, encryptionPassword: '' }
  if (config.folders.some(({ id }) => id === offer.folder)) {
    return {
      ...config,
      folders: config.folders.map((folder) =>
        folder.id === offer.folder ? { ...folder, devices: [...folder.devices, share] } : folder,
      ),
    }
  }
  if (path === undefined) return config
  const { defaults } = config
  const folder: FolderConfig = {
    ...defaults.folder,
    id: offer.folder,
    label: plainText(offer.label, LABEL_LENGTH_MAX),
    path,
    ...(offer.receiveEncrypted && { type: 'receiveencrypted' as const }),
    devices: [...defaults.folder.devices, share],
    paused: false,
  }
  const { versioning = folder.versioning } = safetyOn(folder)
  return { ...config, folders: [...config.folders, { ...folder, versioning }] }
}
