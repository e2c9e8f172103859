import type { Compression } from '../core/config/config.ts'
import { deviceIdBytes, deviceIdFromBytes } from '../core/device-id.ts'
import { malformed, violation } from '../core/wire/errors.ts'
import { WIRE_BYTES, WIRE_VARINT, WireReader } from '../core/wire/reader.ts'
import { encode, readFieldsInSteps } from '../core/wire/schema.ts'
import {
  CLUSTER_CONFIG,
  CLUSTER_DEVICE_COUNT_MAX,
  FOLDER,
  FOLDERS_FIELD,
  SECONDARY_FIELD,
  type WireDevice,
  type WireFolder,
} from './messages.ts'
import { STEP_BYTES, type Steps } from './steps.ts'
import type { ClusterConfig, ClusterDevice, ClusterFolder, WireFolderType } from './types.ts'

const COMPRESSIONS: readonly Compression[] = ['metadata', 'never', 'always']
const FOLDER_TYPES: readonly WireFolderType[] = ['sendreceive', 'sendonly', 'receiveonly', 'receiveencrypted']
const PAUSED = 1
const DEVICE_ID_BYTES = 32
/** Folders, devices and addresses together. */
const PART_COUNT_MAX = 50_000
/** A folder with a longer id is left out: ids of real folders are short. */
const FOLDER_ID_BYTES_MAX = 256
/** Devices per step: the text of a device id is costly. */
const STEP_DEVICE_COUNT = 128
const FOLDERS_TAG = FOLDERS_FIELD * 8 + WIRE_BYTES
const SECONDARY_TAG = SECONDARY_FIELD * 8 + WIRE_VARINT

/** When a folder is listed twice, the first entry applies. */
export function* readClusterConfig(body: Uint8Array): Steps<never, ClusterConfig> {
  const byId = new Map<string, ClusterFolder>()
  const reader = new WireReader(body, PART_COUNT_MAX)
  let secondary = false
  let deviceCount = 0
  let stepEndBytes = reader.leftBytes - STEP_BYTES
  while (!reader.done) {
    if (reader.leftBytes <= stepEndBytes) {
      yield
      stepEndBytes = reader.leftBytes - STEP_BYTES
    }
    const tag = reader.tag()
    if (tag === FOLDERS_TAG) {
      const folder = yield* readFolder(reader)
      deviceCount += folder.devices.length
      if (deviceCount > CLUSTER_DEVICE_COUNT_MAX) throw malformed('a cluster config of too many devices')
      const isUsable = Buffer.byteLength(folder.id) <= FOLDER_ID_BYTES_MAX && !byId.has(folder.id)
      if (isUsable) byId.set(folder.id, yield* folderFromWire(folder))
    } else if (tag === SECONDARY_TAG) secondary = reader.bool()
    else reader.skip(tag)
  }
  return { folders: [...byId.values()], secondary }
}

function* readFolder(reader: WireReader): Steps<never, WireFolder> {
  reader.countPart()
  const outerEnd = reader.enter(Infinity)
  const folder = yield* readFieldsInSteps(FOLDER, reader, FOLDER.start(), STEP_BYTES)
  reader.leave(outerEnd)
  return folder
}

export function writeClusterConfig(config: ClusterConfig): Uint8Array {
  return encode(CLUSTER_CONFIG, { folders: config.folders.map(folderToWire), secondary: config.secondary })
}

function* folderFromWire(folder: WireFolder): Steps<never, ClusterFolder> {
  const devices: ClusterDevice[] = []
  for (const device of folder.devices) {
    devices.push(deviceFromWire(device))
    if (devices.length % STEP_DEVICE_COUNT === 0) yield
  }
  return {
    id: folder.id,
    label: folder.label,
    type: FOLDER_TYPES[folder.type] ?? 'sendreceive',
    paused: folder.stop_reason === PAUSED,
    disableTempIndexes: folder.disable_temp_indexes,
    devices,
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
