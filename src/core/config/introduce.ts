import type { Config, DeviceConfig, FolderConfig, FolderDeviceConfig } from './config.ts'
import type { DeviceId } from '../ids.ts'
import { plainText } from '../formats/plain-text.ts'

/** A device as an introducer announces it. Everything but its id is unverified. */
export interface AnnouncedDevice {
  readonly id: DeviceId
  readonly name: string
  readonly addresses: readonly string[]
  readonly certName: string
  readonly introducer: boolean
  readonly skipIntroductionRemovals: boolean
  /** It holds the folder encrypted: it must not receive plain data. */
  readonly encrypted: boolean
}

export interface AnnouncedFolder {
  readonly id: string
  readonly devices: readonly AnnouncedDevice[]
}

/** Limit of devices per introducer; further ones are ignored. */
const INTRODUCED_MAX = 500
const NAME_LENGTH_MAX = 128
const ADDRESSES_MAX = 16
const ADDRESS_LENGTH_MAX = 512
const ADDRESS = /^(?:dynamic|(?:tcp|quic|relay)[46]?:\/\/[^\s\p{C}]+)$/u

/**
 * The configuration after an introducer has announced the devices of its folders. Only folders that we share with it
 * are changed; ignored and untrusted devices are not added. The same object when nothing changes, and always when the
 * device is not an introducer. Never throws.
 */
export function applyIntroduction(
  config: Config,
  own: DeviceId,
  introducerId: DeviceId,
  announced: readonly AnnouncedFolder[],
): Config {
  const introducer = config.devices.find(({ deviceID }) => deviceID === introducerId)
  if (introducer === undefined || !introducer.introducer || introducer.untrusted) return config
  const introduction = new Introduction(config, own, introducer, announced)
  const added = introduction.add()
  return introducer.skipIntroductionRemovals ? added : introduction.remove(added)
}

class Introduction {
  readonly #config: Config
  readonly #own: DeviceId
  readonly #introducer: DeviceConfig
  /** The other devices of each folder that we share with the introducer. */
  readonly #members: ReadonlyMap<string, ReadonlyMap<DeviceId, AnnouncedDevice>>

  constructor(config: Config, own: DeviceId, introducer: DeviceConfig, announced: readonly AnnouncedFolder[]) {
    this.#config = config
    this.#own = own
    this.#introducer = introducer
    const shared = new Set(
      config.folders.filter((folder) => isSharedWith(folder, introducer.deviceID)).map(({ id }) => String(id)),
    )
    const members = new Map<string, ReadonlyMap<DeviceId, AnnouncedDevice>>()
    for (const { id, devices } of announced) {
      if (shared.has(id) && !members.has(id)) members.set(id, this.#others(devices))
    }
    this.#members = members
  }

  add(): Config {
    const devices = new Map(this.#config.devices.map((device) => [device.deviceID, device]))
    const ignored = new Set(this.#config.remoteIgnoredDevices.map(({ deviceID }) => deviceID))
    let room =
      INTRODUCED_MAX -
      this.#config.devices.filter(({ introducedBy }) => introducedBy === this.#introducer.deviceID).length
    const folders = this.#config.folders.map((folder): FolderConfig => {
      const shares: FolderDeviceConfig[] = []
      for (const [id, device] of this.#members.get(folder.id) ?? []) {
        if (device.encrypted || ignored.has(id) || folder.devices.some(({ deviceID }) => deviceID === id)) continue
        if (!devices.has(id)) {
          if (room <= 0) continue
          room--
          devices.set(id, this.#newDevice(device))
        }
        if (devices.get(id)?.untrusted === false)
          shares.push({ deviceID: id, introducedBy: this.#introducer.deviceID, encryptionPassword: '' })
      }
      return shares.length === 0 ? folder : { ...folder, devices: [...folder.devices, ...shares] }
    })
    if (folders.every((folder, place) => folder === this.#config.folders[place])) return this.#config
    return { ...this.#config, folders, devices: [...devices.values()] }
  }

  /** Removes what this introducer added and no longer announces: first shares, then devices without shares. */
  remove(config: Config): Config {
    const by = this.#introducer.deviceID
    const folders = config.folders.map((folder): FolderConfig => {
      const listed = this.#members.get(folder.id)
      const devices = folder.devices.filter(
        ({ deviceID, introducedBy }) => introducedBy !== by || listed?.has(deviceID) === true,
      )
      return devices.length === folder.devices.length ? folder : { ...folder, devices }
    })
    const inUse = new Set(folders.flatMap(({ devices }) => devices.map(({ deviceID }) => deviceID)))
    const listed = new Set([...this.#members.values()].flatMap((members) => [...members.keys()]))
    const devices = config.devices.filter(
      ({ deviceID, introducedBy }) => introducedBy !== by || inUse.has(deviceID) || listed.has(deviceID),
    )
    const same =
      devices.length === config.devices.length && folders.every((folder, place) => folder === config.folders[place])
    return same ? config : { ...config, folders, devices }
  }

  #others(devices: readonly AnnouncedDevice[]): ReadonlyMap<DeviceId, AnnouncedDevice> {
    const excluded = new Set([this.#own, this.#introducer.deviceID])
    return new Map(devices.filter(({ id }) => !excluded.has(id)).map((device) => [device.id, device]))
  }

  #newDevice({ id, name, addresses, certName, introducer, skipIntroductionRemovals }: AnnouncedDevice): DeviceConfig {
    const usable = addresses.filter((address) => address.length <= ADDRESS_LENGTH_MAX && ADDRESS.test(address))
    return {
      ...this.#config.defaults.device,
      deviceID: id,
      name: plainText(name, NAME_LENGTH_MAX),
      addresses: [...new Set(['dynamic', ...usable])].slice(0, ADDRESSES_MAX),
      compression: this.#introducer.compression,
      certName: plainText(certName, NAME_LENGTH_MAX),
      introducer,
      skipIntroductionRemovals,
      introducedBy: this.#introducer.deviceID,
      // Only the user grants trust.
      autoAcceptFolders: false,
      untrusted: false,
      paused: false,
    }
  }
}

function isSharedWith({ devices }: FolderConfig, device: DeviceId): boolean {
  return devices.some(({ deviceID, encryptionPassword }) => deviceID === device && encryptionPassword === '')
}
