import type { Config } from '../../core/config/config.ts'
import { messageOf } from '../../core/errors.ts'
import type { DeviceId, FolderId } from '../../core/ids.ts'
import { hostOf } from '../../core/network/ip.ts'
import type { KeyValue } from '../../db/types.ts'
import type { EventMap, EventSink, Logger } from '../../events/types.ts'
import { PacedTask } from '../../sync/paced-task.ts'
import type { Clock } from '../../platform/clock.ts'
import type { FolderOffer } from './cluster-config.ts'
import {
  DEVICES_KEY,
  FOLDERS_KEY,
  parsePendingDevice,
  parsePendingFolder,
  type PendingDevice,
  type PendingFolder,
} from './pending-entries.ts'

/** Bounds memory, as any host can connect with any number of device IDs: the oldest entries are dropped. */
const DEVICES_MAX = 500
const FOLDERS_MAX = 2_000
/** The folders of one device, so that none displaces those of all others. Ids and labels are short. */
const OFFER_BYTES_MAX = 256 * 1024
const OFFER_BYTES = 128
const TEXT_LENGTH_MAX = 256
/** Bounds disk writes when many unknown devices connect. Entries lost in a crash return with the next connection. */
const SAVE_PAUSE_MS = 5_000

export interface PendingDeps {
  readonly clock: Clock
  readonly keyValue: KeyValue
  readonly events: EventSink
  readonly log: Logger
}

/** Unknown devices and offered folders, until the user decides. Kept over a restart; storage errors are only logged. */
export class Pending {
  readonly #deps: PendingDeps
  readonly #devices = new Map<DeviceId, PendingDevice>()
  readonly #folders = new Map<string, PendingFolder>()
  #config: Config
  readonly #saving: PacedTask
  #devicesChanged = false
  #foldersChanged = false

  constructor(deps: PendingDeps, config: Config) {
    this.#deps = deps
    this.#config = config
    this.#saving = new PacedTask(deps.clock, { pauseMs: SAVE_PAUSE_MS, run: () => this.#write() })
  }

  /** Reads what was pending at the last stop. Unreadable entries count as dismissed until the next connection. */
  async load(): Promise<void> {
    try {
      for (const entry of await this.#read(DEVICES_KEY)) {
        const known = parsePendingDevice(entry)
        if (known !== undefined) this.#devices.set(known.device, known)
      }
      for (const entry of await this.#read(FOLDERS_KEY)) {
        const known = parsePendingFolder(entry)
        if (known !== undefined) this.#folders.set(keyOf(known), known)
      }
    } catch (error) {
      this.#deps.log.warn(`pending devices and folders could not be read: ${messageOf(error)}`)
    }
    this.#tidy()
  }

  /** Resolves when everything is on disk. */
  async saved(): Promise<void> {
    await this.#saving.settled()
  }

  get devices(): readonly PendingDevice[] {
    return [...this.#devices.values()]
  }

  get folders(): readonly PendingFolder[] {
    return [...this.#folders.values()]
  }

  onUnknownDevice({ device, name, address }: Omit<PendingDevice, 'timeMs'>): void {
    if (this.#config.devices.some(({ deviceID }) => deviceID === device)) return
    if (this.#config.remoteIgnoredDevices.some(({ deviceID }) => deviceID === device)) return
    const entry: PendingDevice = {
      device,
      name: name.slice(0, TEXT_LENGTH_MAX),
      address: address.slice(0, TEXT_LENGTH_MAX),
      timeMs: this.#deps.clock.nowMs(),
    }
    const known = this.#devices.get(device)
    const isFull = this.#devices.size >= DEVICES_MAX
    this.#devices.delete(device)
    this.#devices.set(device, entry)
    this.#trim(this.#devices, DEVICES_MAX)
    // Every attempt has another port: one device that tries again is neither news nor worth a write.
    if (known !== undefined && known.name === entry.name && hostOf(known.address) === hostOf(entry.address)) return
    this.#saveDevices()
    const { events, log } = this.#deps
    if (known === undefined && !isFull) log.info(`unknown device ${device} ("${entry.name}") connects from ${address}`)
    events.emit('PendingDevicesChanged', { added: [{ deviceID: device, name: entry.name, address: entry.address }] })
    events.emit('DeviceRejected', { device, name: entry.name, address: entry.address })
  }

  /** All that a device offers now; earlier offers that are missing are removed. */
  foldersOffered(device: DeviceId, offers: readonly FolderOffer[]): void {
    const ignored = new Set(
      this.#config.devices.find(({ deviceID }) => deviceID === device)?.ignoredFolders.map(({ id }) => id),
    )
    const wanted = withinLimit(offers.filter(({ folder }) => !ignored.has(folder)))
    const offered = new Set(wanted.map(({ folder }) => folder))
    const removed = this.folders.filter((entry) => entry.device === device && !offered.has(entry.folder))
    for (const entry of removed) this.#folders.delete(keyOf(entry))
    const added: PendingFolder[] = []
    for (const offer of wanted) {
      const entry: PendingFolder = { ...offer, device, timeMs: this.#deps.clock.nowMs() }
      const known = this.#folders.get(keyOf(entry))
      if (known === undefined || !isSameOffer(known, entry)) added.push(entry)
      this.#folders.delete(keyOf(entry))
      this.#folders.set(keyOf(entry), entry)
    }
    this.#trim(this.#folders, FOLDERS_MAX)
    if (removed.length > 0 || wanted.length > 0) this.#saveFolders()
    this.#publishFolders(added, removed)
    for (const { folder, label } of added) {
      this.#deps.events.emit('FolderRejected', { device, folder, folderLabel: label })
    }
    if (added.length > 0) this.#deps.log.info(`device ${device} offers ${offerText(added)}`)
  }

  /** Until it connects again. */
  dismissDevice(device: DeviceId): void {
    this.#devices.delete(device)
    this.#saveDevices()
    this.#deps.events.emit('PendingDevicesChanged', { removed: [{ deviceID: device }] })
  }

  /** Until it is offered again; without a device, for all devices that offer it. */
  dismissFolder(folder: FolderId, device: DeviceId | undefined): void {
    const removed = this.folders.filter(
      (entry) => entry.folder === folder && (device === undefined || entry.device === device),
    )
    for (const entry of removed) this.#folders.delete(keyOf(entry))
    if (removed.length === 0) return
    this.#saveFolders()
    this.#publishFolders([], removed)
  }

  /** What was added, shared or ignored meanwhile is pending no more. */
  apply(to: Config): void {
    this.#config = to
    this.#tidy()
  }

  #tidy(): void {
    const decided = new Set(
      [...this.#config.devices, ...this.#config.remoteIgnoredDevices].map(({ deviceID }) => deviceID),
    )
    const goneDevices = this.devices.filter(({ device }) => decided.has(device))
    for (const { device } of goneDevices) this.#devices.delete(device)
    const goneFolders = this.folders.filter((entry) => this.#isDecided(entry))
    for (const entry of goneFolders) this.#folders.delete(keyOf(entry))
    if (goneFolders.length > 0) this.#saveFolders()
    if (goneDevices.length > 0) {
      this.#saveDevices()
      this.#deps.events.emit('PendingDevicesChanged', {
        removed: goneDevices.map(({ device }) => ({ deviceID: device })),
      })
    }
    this.#publishFolders([], goneFolders)
  }

  #isDecided({ device, folder }: PendingFolder): boolean {
    const known = this.#config.devices.find(({ deviceID }) => deviceID === device)
    if (known === undefined || known.ignoredFolders.some(({ id }) => id === folder)) return true
    return this.#config.folders.some(
      ({ id, devices }) => id === folder && devices.some(({ deviceID }) => deviceID === device),
    )
  }

  #publishFolders(added: readonly PendingFolder[], removed: readonly PendingFolder[]): void {
    if (added.length === 0 && removed.length === 0) return
    const data: EventMap['PendingFoldersChanged'] = {
      ...(added.length > 0 && {
        added: added.map(({ folder, label, device, receiveEncrypted, remoteEncrypted }) => ({
          folderID: folder,
          folderLabel: label,
          deviceID: device,
          receiveEncrypted,
          remoteEncrypted,
        })),
      }),
      ...(removed.length > 0 && {
        removed: removed.map(({ folder, device }) => ({ folderID: folder, deviceID: device })),
      }),
    }
    this.#deps.events.emit('PendingFoldersChanged', data)
  }

  #trim<K, V>(entries: Map<K, V>, limit: number): void {
    for (const key of entries.keys()) {
      if (entries.size <= limit) return
      entries.delete(key)
    }
  }

  async #read(key: string): Promise<readonly unknown[]> {
    const bytes = await this.#deps.keyValue.get(key)
    const value: unknown = bytes === undefined ? [] : JSON.parse(new TextDecoder().decode(bytes))
    return Array.isArray(value) ? value : []
  }

  #saveDevices(): void {
    this.#devicesChanged = true
    this.#saving.want()
  }

  #saveFolders(): void {
    this.#foldersChanged = true
    this.#saving.want()
  }

  /** Never rejects: what could not be written now is written with the next change. */
  async #write(): Promise<void> {
    const [devices, folders] = [this.#devicesChanged, this.#foldersChanged]
    this.#devicesChanged = false
    this.#foldersChanged = false
    const encode = (entries: readonly object[]) => new TextEncoder().encode(JSON.stringify(entries))
    try {
      if (devices) await this.#deps.keyValue.set(DEVICES_KEY, encode(this.devices))
      if (folders) await this.#deps.keyValue.set(FOLDERS_KEY, encode(this.folders))
    } catch (error) {
      this.#devicesChanged ||= devices
      this.#foldersChanged ||= folders
      this.#deps.log.warn(`pending devices and folders could not be saved: ${messageOf(error)}`)
    }
  }
}

/** The first offers, up to the limit of one device. */
function withinLimit(offers: readonly FolderOffer[]): readonly FolderOffer[] {
  let bytes = 0
  return offers.filter(({ folder, label }) => {
    bytes += OFFER_BYTES + 2 * (folder.length + label.length)
    return bytes <= OFFER_BYTES_MAX
  })
}

function offerText([first, ...more]: readonly PendingFolder[]): string {
  const name = `folder "${first?.folder}" (${first?.label})`
  return more.length === 0 ? name : `${name} and ${more.length} more`
}

function keyOf({ device, folder }: { readonly device: DeviceId; readonly folder: FolderId }): string {
  return `${device}/${folder}`
}

function isSameOffer(a: FolderOffer, b: FolderOffer): boolean {
  return a.label === b.label && a.receiveEncrypted === b.receiveEncrypted && a.remoteEncrypted === b.remoteEncrypted
}
