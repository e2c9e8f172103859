import type { Compression } from '../core/config/config.ts'
import { deviceIdBytes, deviceIdFromBytes } from '../core/device-id.ts'
import { violation } from '../core/wire/errors.ts'
import { CLUSTER_CONFIG, type WireDevice, type WireFolder } from './messages.ts'
import { decode, encode } from '../core/wire/schema.ts'
import type { ClusterConfig, ClusterDevice, ClusterFolder, WireFolderType } from './types.ts'

const COMPRESSIONS: readonly Compression[] = ['metadata', 'never', 'always']
const FOLDER_TYPES: readonly WireFolderType[] = ['sendreceive', 'sendonly', 'receiveonly', 'receiveencrypted']
const PAUSED = 1
const DEVICE_ID_BYTES = 32
/** Folders, devices and addresses together. */
const PART_COUNT_MAX = 250_000

/** When a folder is listed twice, the first entry applies. */
export function readClusterConfig(body: Uint8Array): ClusterConfig {
  const { folders, secondary } = decode(CLUSTER_CONFIG, body, PART_COUNT_MAX)
  const byId = new Map<string, ClusterFolder>()
  for (const folder of folders) if (!byId.has(folder.id)) byId.set(folder.id, folderFromWire(folder))
  return { folders: [...byId.values()], secondary }
}

export function writeClusterConfig(config: ClusterConfig): Uint8Array {
  return encode(CLUSTER_CONFIG, { folders: config.folders.map(folderToWire), secondary: config.secondary })
}

function folderFromWire(folder: WireFolder): ClusterFolder {
  return {
    id: folder.id,
    label: folder.label,
    type: FOLDER_TYPES[folder.type] ?? 'sendreceive',
    paused: folder.stop_reason === PAUSED,
    disableTempIndexes: folder.disable_temp_indexes,
    devices: folder.devices.map(deviceFromWire),
  }
}

function deviceFromWire(device: WireDevice): ClusterDevice {
  if (device.id.length !== DEVICE_ID_BYTES || device.id.every((byte) => byte === 0)) {
    throw violation('protocol error on cluster-config: device ID invalid: incorrect length')
  }
  if (!Number.isSafeInteger(device.max_sequence)) {
    throw violation('protocol error on cluster-config: sequence number out of range')
  }
  return {
    id: deviceIdFromBytes(device.id),
    name: device.name,
    addresses: device.addresses,
    compression: COMPRESSIONS[device.compression] ?? 'metadata',
    certName: device.cert_name,
    maxSequence: Math.max(0, device.max_sequence),
    introducer: device.introducer,
    indexId: device.index_id,
    skipIntroductionRemovals: device.skip_introduction_removals,
    encryptionPasswordToken: device.encryption_password_token.slice(),
  }
}

function folderToWire(folder: ClusterFolder): WireFolder {
  return {
    id: folder.id,
    label: folder.label,
    type: FOLDER_TYPES.indexOf(folder.type),
    ignore_permissions: false,
    ignore_delete: false,
    disable_temp_indexes: folder.disableTempIndexes,
    stop_reason: folder.paused ? PAUSED : 0,
    devices: folder.devices.map(deviceToWire),
  }
}

function deviceToWire(device: ClusterDevice): WireDevice {
  return {
    id: deviceIdBytes(device.id),
    name: device.name,
    addresses: [...device.addresses],
    compression: COMPRESSIONS.indexOf(device.compression),
    cert_name: device.certName,
    max_sequence: device.maxSequence,
    introducer: device.introducer,
    index_id: device.indexId,
    skip_introduction_removals: device.skipIntroductionRemovals,
    encryption_password_token: device.encryptionPasswordToken,
  }
}
