import { parseDeviceId } from '../../core/device-id.ts'
import { parseFolderId, type DeviceId } from '../../core/ids.ts'
import type { KeyValue } from '../../db/types.ts'
import type { FolderOffer } from './cluster-config.ts'

/** An unknown device that tried to connect. The name and the address are unverified. */
export interface PendingDevice {
  readonly device: DeviceId
  readonly timeMs: number
  readonly name: string
  readonly address: string
}

/** A folder that a known device offers. */
export interface PendingFolder extends FolderOffer {
  readonly device: DeviceId
  readonly timeMs: number
}

export const DEVICES_KEY = 'pending/devices'
export const FOLDERS_KEY = 'pending/folders'

/** Saves entries that another program collected, to be loaded as those of ours are. */
export async function savePending(
  keyValue: Pick<KeyValue, 'set'>,
  entries: {
    readonly pendingDevices: readonly PendingDevice[]
    readonly pendingFolders: readonly PendingFolder[]
  },
): Promise<void> {
  await keyValue.set(DEVICES_KEY, Buffer.from(JSON.stringify(entries.pendingDevices)))
  await keyValue.set(FOLDERS_KEY, Buffer.from(JSON.stringify(entries.pendingFolders)))
}

/** An entry as it was saved; undefined for anything else. */
export function parsePendingDevice(value: unknown): PendingDevice | undefined {
  const device = deviceOf(value)
  if (device === undefined) return undefined
  return { device, timeMs: numberOf(value, 'timeMs'), name: textOf(value, 'name'), address: textOf(value, 'address') }
}

/** An entry as it was saved; undefined for anything else. */
export function parsePendingFolder(value: unknown): PendingFolder | undefined {
  const device = deviceOf(value)
  const folder = parseFolderId(textOf(value, 'folder'))
  if (device === undefined || folder === undefined) return undefined
  return {
    device,
    folder,
    timeMs: numberOf(value, 'timeMs'),
    label: textOf(value, 'label'),
    receiveEncrypted: fieldOf(value, 'receiveEncrypted') === true,
    remoteEncrypted: fieldOf(value, 'remoteEncrypted') === true,
  }
}

function deviceOf(value: unknown): DeviceId | undefined {
  try {
    return parseDeviceId(textOf(value, 'device'))
  } catch {
    return undefined // not written by us
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

function textOf(value: unknown, name: string): string {
  const field = fieldOf(value, name)
  return typeof field === 'string' ? field : ''
}

function numberOf(value: unknown, name: string): number {
  const field = fieldOf(value, name)
  return typeof field === 'number' && Number.isFinite(field) ? field : 0
}
