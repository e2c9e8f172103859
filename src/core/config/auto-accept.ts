import type { Config, FolderConfig } from './config.ts'
import type { DeviceId, FolderId } from '../ids.ts'
import { cutToBytes } from '../paths.ts'
import { plainText } from '../formats/plain-text.ts'

/** A folder that another device offers. The label is whatever it says. */
export interface OfferedFolder {
  readonly folder: FolderId
  readonly label: string
  readonly receiveEncrypted: boolean
  readonly remoteEncrypted: boolean
}

/** Folders beyond which none is accepted unasked: then somebody is filling our disk. */
const FOLDERS_MAX = 1_000
const NAME_SIZE_BYTES_MAX = 120
const LABEL_LENGTH_MAX = 256
/** What means something to a shell, to Windows or to a path, and everything that cannot be seen. */
const NOT_IN_NAMES = /[\p{C}\p{Zl}\p{Zp}\s'/\\[\]{};:!@$%&^#<>"|?*`]+/gu
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i

/**
 * What a stranger calls something, as the name of a directory of ours: one component, visible, harmless everywhere.
 * Empty where nothing is left of it.
 */
export function directoryNameOf(text: string): string {
  const clean = text.normalize('NFC').toWellFormed().replace(NOT_IN_NAMES, ' ')
  // No hidden directory, no way up, no home of anybody; Windows drops what is at the end.
  const trimmed = cutToBytes(clean.replace(/^[\s.~]+/u, ''), NAME_SIZE_BYTES_MAX).replace(/[\s.]+$/u, '')
  return RESERVED.test(trimmed) ? `-${trimmed}` : trimmed
}

/** Whether a folder is taken from this device without anybody being asked. */
export function isAutoAccepted(config: Config, device: DeviceId, offer: OfferedFolder): boolean {
  const known = config.devices.find(({ deviceID }) => deviceID === device)
  if (known === undefined || !known.autoAcceptFolders || known.untrusted) return false
  // Nobody here can keep encrypted data yet; in the clear it would not be what was offered.
  if (offer.receiveEncrypted || offer.remoteEncrypted) return false
  if (known.ignoredFolders.some(({ id }) => id === offer.folder)) return false
  const ours = config.folders.find(({ id }) => id === offer.folder)
  if (ours === undefined) return config.folders.length < FOLDERS_MAX && pathsFor(config, offer).length > 0
  return ours.type !== 'receiveencrypted' && !ours.devices.some(({ deviceID }) => deviceID === device)
}

/** Where a new folder may be put, the best first: whichever is not there yet is taken. */
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
    devices: [...defaults.folder.devices, share],
    paused: false,
  }
  return { ...config, folders: [...config.folders, folder] }
}
