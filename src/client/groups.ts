import type { DeviceConfig, FolderConfig } from '../core/config/config.ts'
import { TwinfoldError } from '../core/errors.ts'
import type { Change } from '../rest/config.ts'
import type { PendingDevicesJson, PendingFoldersJson } from '../rest/cluster.ts'
import type { Reply } from '../rest/declaration.ts'
import type { Routes } from '../rest/routes.ts'
import type { OperationArguments, OperationName } from './operation.ts'

/** Any part of a device's settings, not validated yet. */
export type DeviceChange = Change<DeviceConfig>

/** Any part of a folder's settings, not validated yet. */
export type FolderChange = Change<FolderConfig>

export interface Caller {
  call<K extends OperationName>(name: K, ...args: OperationArguments<K>): Promise<Reply<Routes[K]>>
}

/** The configured devices. Called, it lists them as `list` does. */
export interface Devices {
  (): Promise<readonly DeviceConfig[]>
  /** All, with the device itself. */
  list(): Promise<readonly DeviceConfig[]>
  /** Missing fields are taken from the daemon's device defaults. Replaces one of the same id. */
  add(device: DeviceChange & { readonly deviceID: string }): Promise<void>
  change(id: string, change: DeviceChange): Promise<void>
  remove(id: string): Promise<void>
}

/** Unknown devices that want to connect, and folders that other devices offer. */
export interface Pending {
  devices(): Promise<PendingDevicesJson>
  folders(): Promise<PendingFoldersJson>
  /** Adds a device, by default with the name that it gives itself. It is connected soon. */
  acceptDevice(id: string, settings?: DeviceChange): Promise<void>
  /**
   * Adds an offered folder in a directory, or shares one that exists with all devices that offer it. Rejects with
   * `folder-missing` when no device offers it.
   */
  acceptFolder(id: string, settings: FolderChange & { readonly path: string }): Promise<void>
  /** Until it connects again. */
  dismissDevice(id: string): Promise<void>
  /** Until it is offered again; without a device, by all devices. */
  dismissFolder(id: string, device?: string): Promise<void>
}

export function devicesOf(client: Caller): Devices {
  const list = () => client.call('GET /rest/config/devices')
  return Object.assign(() => list(), {
    list,
    add: async (device: DeviceChange & { readonly deviceID: string }) => {
      await client.call('POST /rest/config/devices', { body: device })
    },
    change: async (id: string, change: DeviceChange) => {
      await client.call('PATCH /rest/config/devices/:id', { id, body: change })
    },
    remove: async (id: string) => {
      await client.call('DELETE /rest/config/devices/:id', { id })
    },
  })
}

export function pendingOf(client: Caller): Pending {
  const devices = () => client.call('GET /rest/cluster/pending/devices')
  const folders = () => client.call('GET /rest/cluster/pending/folders')
  return {
    devices,
    folders,
    acceptDevice: async (id, settings = {}) => {
      const name = valueOf(await devices(), id)?.name
      const body = { ...(name !== undefined && { name }), ...settings, deviceID: id }
      await client.call('POST /rest/config/devices', { body })
    },
    acceptFolder: async (id, settings) => {
      const offers = Object.entries(valueOf(await folders(), id)?.offeredBy ?? {})
      const [first] = offers
      if (first === undefined) throw new TwinfoldError('folder-missing', `no device offers a folder "${id}"`)
      const offering = offers.map(([deviceID]) => ({ deviceID }))
      const existing = (await client.call('GET /rest/config/folders')).find((folder) => folder.id === id)
      if (existing !== undefined) {
        const body = { devices: [...existing.devices, ...offering] }
        return void (await client.call('PATCH /rest/config/folders/:id', { id, body }))
      }
      const isEncrypted = offers.some(([, offer]) => offer.receiveEncrypted)
      const type = isEncrypted ? { type: 'receiveencrypted' as const } : {}
      const body = { label: first[1].label, devices: offering, ...type, ...settings, id }
      await client.call('POST /rest/config/folders', { body })
    },
    dismissDevice: async (device) => {
      await client.call('DELETE /rest/cluster/pending/devices', { query: { device } })
    },
    dismissFolder: async (folder, device) => {
      await client.call('DELETE /rest/cluster/pending/folders', { query: { folder, device } })
    },
  }
}

/** The id is an argument: it must not match an inherited property of the object. */
function valueOf<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}
