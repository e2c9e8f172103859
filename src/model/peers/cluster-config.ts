import { hash as digestOf } from 'node:crypto'
import { checkPasswords } from '../../core/encryption/check-passwords.ts'
import { isOfFolderOnly, REFUSALS, type RefusalCode } from '../../core/refusals.ts'
import type { FolderCipher } from '../../core/encryption/folder-cipher.ts'
import { tokenLength } from '../../core/encryption/keys.ts'
import type { Config, DeviceConfig, FolderConfig } from '../../core/config/config.ts'
import { withoutRelayToken } from '../../core/network/announced-address.ts'
import { parseFolderId, type DeviceId, type FolderId } from '../../core/ids.ts'
import type { IndexPosition } from '../../core/records/index-position.ts'
import type { ClusterConfig, ClusterDevice, ClusterFolder } from '../../protocol/types.ts'
import type { FolderTokens } from '../encryption/folder-encryption.ts'

/** Index positions of a folder: of our own index and of those received from others. */
export interface FolderPositions {
  readonly own: IndexPosition
  readonly others: ReadonlyMap<DeviceId, IndexPosition>
}

const NO_POSITION: IndexPosition = { indexId: 0n, sequence: 0 }
const NO_TOKEN = new Uint8Array(0)
/** Bounds the folders that are read from one message. */
const FOLDERS_MAX = 10_000
const LABEL_LENGTH_MAX = 256

/** A folder that another device offers and we do not share with it. */
export interface FolderOffer {
  readonly folder: FolderId
  readonly label: string
  readonly receiveEncrypted: boolean
  readonly remoteEncrypted: boolean
}

/** What follows from a received cluster config for one folder that we share with the device. */
export type FolderVerdict =
  | {
      readonly kind: 'exchange'
      /** How much of our index the device has. */
      readonly knownToThem: IndexPosition
      /** Its own index. */
      readonly theirs: IndexPosition
      readonly tempIndexes: boolean
      /** Records and blocks are encrypted for the device. */
      readonly cipher: FolderCipher | undefined
      /** The folder is stored encrypted here, and so are all its records. */
      readonly isEncrypted: boolean
      /** First contact of a folder that is stored encrypted: the token of its password. */
      readonly newToken: Uint8Array | undefined
    }
  | { readonly kind: 'paused-there' }
  | { readonly kind: 'paused-here' }
  /** It is not exchanged with this device; the others are. */
  | { readonly kind: 'refused' }

/** A folder whose encryption both ends configured differently. */
export interface RefusedFolder {
  readonly folder: FolderId
  readonly code: RefusalCode
}

export type ClusterVerdict =
  | { readonly kind: 'close'; readonly reason: string; readonly refused?: RefusedFolder }
  /** `folders` holds those that both share; one of ours that is missing there is not shared by the device. */
  | {
      readonly kind: 'accept'
      readonly folders: ReadonlyMap<FolderId, FolderVerdict>
      readonly offers: readonly FolderOffer[]
      /** The first one that is refused by itself, while the others are exchanged. */
      readonly refused: RefusedFolder | undefined
    }

/** Both ends of one connection. */
export interface ConnectionEnds {
  readonly own: DeviceId
  readonly peer: DeviceId
}

/** Folders that we share with a device, encrypted or not. */
export function foldersSharedWith(config: Config, device: DeviceId): readonly FolderConfig[] {
  return config.folders.filter((folder) => isSharedWith(folder, device))
}

function isSharedWith(folder: FolderConfig, device: DeviceId): boolean {
  return folder.devices.some(({ deviceID }) => deviceID === device)
}

/** Whether a device gets no plain data of a folder: it is encrypted for the device, or stored encrypted here. */
export function isHiddenFrom({ type, devices }: FolderConfig, device: DeviceId): boolean {
  const password = devices.find(({ deviceID }) => deviceID === device)?.encryptionPassword ?? ''
  return type === 'receiveencrypted' || password !== ''
}

/**
 * The cluster config for a device. A folder without positions does not run and is announced as paused. One that is
 * stored encrypted is announced once its password is determined.
 */
export function clusterConfigFor(
  config: Config,
  { own, peer }: ConnectionEnds,
  positions: ReadonlyMap<FolderId, FolderPositions>,
  tokens: FolderTokens,
): ClusterConfig {
  const folders = announcedTo(config, peer, tokens).map((folder): ClusterFolder => {
    const known = folder.paused || tokens.unreadable.has(folder.id) ? undefined : positions.get(folder.id)
    return {
      id: folder.id,
      label: folder.label,
      type: folder.type,
      paused: known === undefined,
      disableTempIndexes: folder.disableTempIndexes,
      devices: membersOf(config, folder, peer).map((device) => {
        const position = device === own ? known?.own : known?.others.get(device)
        const token =
          device === peer
            ? tokens.ciphers.get(folder.id)?.passwordToken
            : device === own
              ? tokens.stored.get(folder.id)
              : undefined
        return clusterDevice(config, device, position ?? NO_POSITION, token ?? NO_TOKEN)
      }),
    }
  })
  return { folders, secondary: false }
}

/** One that is stored encrypted is announced once its password is determined. */
function announcedTo(config: Config, peer: DeviceId, { stored }: FolderTokens): readonly FolderConfig[] {
  return foldersSharedWith(config, peer).filter(({ id, type }) => type !== 'receiveencrypted' || stored.has(id))
}

/** Devices that hold only encrypted data are not announced to others, as in newer versions of Syncthing. */
function membersOf(config: Config, folder: FolderConfig, peer: DeviceId | undefined): readonly DeviceId[] {
  const { devices } = derivedFrom(config)
  return folder.devices
    .filter(
      ({ deviceID, encryptionPassword }) => devices.has(deviceID) && (encryptionPassword === '' || deviceID === peer),
    )
    .map(({ deviceID }) => deviceID)
}

function clusterDevice(
  config: Config,
  id: DeviceId,
  { indexId, sequence }: IndexPosition,
  encryptionPasswordToken: Uint8Array,
): ClusterDevice {
  const device = derivedFrom(config).devices.get(id)
  return {
    id,
    name: device?.name ?? '',
    addresses: (device?.addresses ?? []).map(withoutRelayToken),
    compression: device?.compression ?? 'metadata',
    certName: device?.certName ?? '',
    maxSequence: sequence,
    introducer: device?.introducer ?? false,
    indexId,
    skipIntroductionRemovals: device?.skipIntroductionRemovals ?? false,
    encryptionPasswordToken,
  }
}

/** The cluster config for a device without positions, a text for each folder: equal ones need not be sent again. */
export function fingerprintsFor(config: Config, { peer }: ConnectionEnds, tokens: FolderTokens): readonly string[] {
  return announcedTo(config, peer, tokens).map((folder) => {
    const isHidden = folder.devices.some(({ deviceID, encryptionPassword: p }) => deviceID === peer && p !== '')
    const token = tokens.ciphers.get(folder.id)?.passwordToken ?? NO_TOKEN
    return JSON.stringify([
      commonFingerprint(config, folder),
      isHidden && membersText(config, [peer]),
      Buffer.from(token).toString('hex'),
      Buffer.from(tokens.stored.get(folder.id) ?? NO_TOKEN).toString('hex'),
    ])
  })
}

/** What all devices receive about a folder: with many of them it is long, and a change concerns each of them. */
function commonFingerprint(config: Config, folder: FolderConfig): string {
  const { fingerprints } = derivedFrom(config)
  const known = fingerprints.get(folder.id)
  if (known !== undefined) return known
  const { id, label, type, disableTempIndexes } = folder
  const text =
    JSON.stringify([id, label, type, disableTempIndexes]) + membersText(config, membersOf(config, folder, undefined))
  const fingerprint = digestOf('sha256', text)
  fingerprints.set(folder.id, fingerprint)
  return fingerprint
}

function membersText(config: Config, members: readonly DeviceId[]): string {
  const announced = members.map((id) => ({ ...clusterDevice(config, id, NO_POSITION, NO_TOKEN), indexId: undefined }))
  return JSON.stringify(announced)
}

interface Derived {
  readonly devices: ReadonlyMap<DeviceId, DeviceConfig>
  readonly fingerprints: Map<FolderId, string>
}

const derived = new WeakMap<Config, Derived>()

function derivedFrom(config: Config): Derived {
  const known = derived.get(config)
  if (known !== undefined) return known
  const made: Derived = {
    devices: new Map(config.devices.map((device) => [device.deviceID, device])),
    fingerprints: new Map(),
  }
  derived.set(config, made)
  return made
}

/** Evaluates a received cluster config. Throws for no message; of a folder listed twice the first entry counts. */
export function judgeClusterConfig(
  config: Config,
  { own, peer }: ConnectionEnds,
  received: ClusterConfig,
  tokens: FolderTokens,
): ClusterVerdict {
  const folders = new Map<FolderId, FolderVerdict>()
  const offers = new Map<FolderId, FolderOffer>()
  let refused: RefusedFolder | undefined
  const isUntrusted = config.devices.find(({ deviceID }) => deviceID === peer)?.untrusted ?? false
  for (const folder of received.folders.slice(0, FOLDERS_MAX)) {
    const id = parseFolderId(folder.id)
    if (id === undefined || folders.has(id) || offers.has(id)) continue
    const theirs = folder.devices.find((device) => device.id === peer)
    const ours = folder.devices.find((device) => device.id === own)
    if (theirs === undefined) return close('remote device missing in cluster config')
    if (ours === undefined) return close('local device missing in cluster config')
    const configured = config.folders.find((candidate) => candidate.id === id)
    if (configured === undefined || !isSharedWith(configured, peer)) {
      offers.set(id, offerOf(id, folder, ours, theirs))
      continue
    }
    const cipher = tokens.ciphers.get(id)
    const isEncryptedHere = configured.type === 'receiveencrypted'
    if (cipher === undefined && !isEncryptedHere && isHiddenFrom(configured, peer)) {
      throw new Error(`folder ${id} has a password for device ${peer}, and no cipher`) // never plain instead
    }
    if (tokens.unreadable.has(id)) {
      folders.set(id, { kind: 'refused' })
      continue
    }
    const agreement = checkPasswords({
      tokenBytes: tokenLength(id),
      isUntrusted,
      forUs: ours.encryptionPasswordToken,
      ofPeer: theirs.encryptionPasswordToken,
      own: cipher?.passwordToken,
      isEncryptedHere,
      stored: tokens.stored.get(id),
    })
    if (agreement.kind === 'refused') {
      const { code } = agreement
      if (!isOfFolderOnly(code)) return { kind: 'close', reason: REFUSALS[code].reason, refused: { folder: id, code } }
      refused ??= { folder: id, code }
      folders.set(id, { kind: 'refused' })
      continue
    }
    const newToken = agreement.kind === 'store' ? agreement.token : undefined
    folders.set(id, verdictOf(configured, folder, { ours, theirs }, { cipher, newToken }))
  }
  return { kind: 'accept', folders, offers: [...offers.values()], refused }
}

function close(reason: string): ClusterVerdict {
  return { kind: 'close', reason }
}

function verdictOf(
  configured: FolderConfig,
  folder: ClusterFolder,
  { ours, theirs }: { readonly ours: ClusterDevice; readonly theirs: ClusterDevice },
  { cipher, newToken }: Pick<Extract<FolderVerdict, { kind: 'exchange' }>, 'cipher' | 'newToken'>,
): FolderVerdict {
  if (folder.paused) return { kind: 'paused-there' }
  if (configured.paused) return { kind: 'paused-here' }
  const isEncrypted = configured.type === 'receiveencrypted'
  return {
    kind: 'exchange',
    knownToThem: positionOf(ours),
    theirs: positionOf(theirs),
    tempIndexes: !folder.disableTempIndexes && cipher === undefined && !isEncrypted,
    cipher,
    isEncrypted,
    newToken,
  }
}

function positionOf({ indexId, maxSequence }: ClusterDevice): IndexPosition {
  return { indexId, sequence: maxSequence }
}

function offerOf(folder: FolderId, { label }: ClusterFolder, ours: ClusterDevice, theirs: ClusterDevice): FolderOffer {
  return {
    folder,
    label: label.slice(0, LABEL_LENGTH_MAX),
    receiveEncrypted: ours.encryptionPasswordToken.length > 0,
    remoteEncrypted: theirs.encryptionPasswordToken.length > 0,
  }
}
