import { parseFolderId, type DeviceId } from '../../core/ids.ts'
import { decode } from '../../core/wire/schema.ts'
import { OBSERVED_DEVICE, OBSERVED_FOLDER, PARTS_MAX, timeMs } from './messages.ts'
import type {
  DeviceStatistics,
  FolderStatistics,
  ForeignExtras,
  PendingDeviceEntry,
  PendingFolderEntry,
} from './types.ts'
import { storedBool, storedDurationMs, storedTimeMs } from './values.ts'

/** The statistics of a folder, whose names end the keys of 1.x without a separator. */
export const FOLDER_STATISTICS = ['lastScan', 'lastFileAt', 'lastFileName', 'lastFileDeleted'] as const

/** Collects the values of both databases, which differ in their keys only. */
export class ExtrasBuilder {
  readonly #folders = new Map<string, Map<string, Buffer>>()
  readonly #devices = new Map<DeviceId, Map<string, Buffer>>()
  readonly #pendingDevices: PendingDeviceEntry[] = []
  readonly #pendingFolders: PendingFolderEntry[] = []

  folderStatistic(folder: string, name: string, value: Buffer): void {
    valuesOf(this.#folders, folder).set(name, value)
  }

  deviceStatistic(device: DeviceId, name: string, value: Buffer): void {
    valuesOf(this.#devices, device).set(name, value)
  }

  pendingDevice(device: DeviceId, value: Buffer): void {
    const { time, name, address } = decode(OBSERVED_DEVICE, value, PARTS_MAX)
    this.#pendingDevices.push({ device, timeMs: timeMs(time), name, address })
  }

  pendingFolder(device: DeviceId, folderText: string, value: Buffer): void {
    const folder = parseFolderId(folderText)
    if (folder === undefined) return
    const { time, label, receive_encrypted, remote_encrypted } = decode(OBSERVED_FOLDER, value, PARTS_MAX)
    this.#pendingFolders.push({
      device,
      folder,
      timeMs: timeMs(time),
      label,
      receiveEncrypted: receive_encrypted,
      remoteEncrypted: remote_encrypted,
    })
  }

  build(): ForeignExtras {
    return {
      folders: [...this.#folders].flatMap(([folder, values]) => folderStatistics(folder, values)),
      devices: [...this.#devices].map(([device, values]) => deviceStatistics(device, values)),
      pendingDevices: this.#pendingDevices,
      pendingFolders: this.#pendingFolders,
    }
  }
}

function valuesOf<K>(map: Map<K, Map<string, Buffer>>, key: K): Map<string, Buffer> {
  const values = map.get(key) ?? new Map<string, Buffer>()
  map.set(key, values)
  return values
}

function folderStatistics(text: string, values: ReadonlyMap<string, Buffer>): readonly FolderStatistics[] {
  const folder = parseFolderId(text)
  if (folder === undefined) return []
  return [
    {
      folder,
      lastScanMs: storedTimeMs(values.get('lastScan')),
      lastFileMs: storedTimeMs(values.get('lastFileAt')),
      lastFileName: values.get('lastFileName')?.toString() ?? '',
      lastFileDeleted: storedBool(values.get('lastFileDeleted')),
    },
  ]
}

function deviceStatistics(device: DeviceId, values: ReadonlyMap<string, Buffer>): DeviceStatistics {
  return {
    device,
    lastSeenMs: storedTimeMs(values.get('lastSeen')),
    lastConnectionMs: storedDurationMs(values.get('lastConnDuration')),
  }
}
