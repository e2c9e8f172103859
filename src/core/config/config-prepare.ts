import type {
  Config,
  DeviceConfig,
  FolderConfig,
  FolderDeviceConfig,
  GuiConfig,
  ObservedDevice,
  ObservedFolder,
  OptionsConfig,
} from './config.ts'
import { checkFolders } from './config-check.ts'
import { CONFIG_VERSION, CONFIG_VERSION_2X, DEVICE, FOLDER } from './config-fields.ts'
import { defaultsOf } from './field.ts'
import { compareDeviceIds } from '../device-id.ts'
import { TwinfoldError } from '../errors.ts'
import type { DeviceId } from '../ids.ts'
import { NOTE_PASSWORD } from './notes.ts'

const INTERVAL_S_MAX = 365 * 24 * 3600
const WATCHER_DELAY_S_MIN = 0.01
const RECONNECT_S_MIN = 5

export interface PrepareOptions {
  readonly ownDevice: DeviceId
  /** Our own device's name while it has none in the configuration. */
  readonly hostName: string
  /** Used when the configuration has no key. */
  readonly newApiKey: string
}

export interface PreparedConfig {
  readonly config: Config
  /** Warnings about dropped settings, one sentence each. */
  readonly notes: readonly string[]
}

/**
 * Normalises a configuration: own device present, lists sorted and without duplicates, values within bounds.
 * Idempotent. Throws `config-invalid` for folders with a duplicate id or without a path.
 */
export function prepareConfig(config: Config, options: PrepareOptions): PreparedConfig {
  const problem = checkFolders(config.folders)
  if (problem !== undefined) throw new TwinfoldError('config-invalid', problem.message)

  const notes: string[] = []
  const devices = prepareDevices(config.devices, options)
  const devicesById = new Map(devices.map((device) => [device.deviceID, device]))
  const context: FolderContext = { devicesById, ownDevice: options.ownDevice, version: config.version, notes }
  const folders = config.folders.map((folder) => prepareFolder(folder, context)).sort((a, b) => compareText(a.id, b.id))
  const shared = sharedFolders(folders)
  const gui = prepareGui(config.gui, options.newApiKey)
  const { defaults } = config
  return {
    notes,
    config: {
      version: versionFor(config),
      folders,
      devices: devices.map((device) => withoutSharedIgnores(device, shared)),
      gui,
      ldap: config.ldap,
      options: prepareOptions(config.options, gui),
      remoteIgnoredDevices: latestOfEach(config.remoteIgnoredDevices, (one) => one.deviceID).filter(
        (one) => one.deviceID !== '' && !devicesById.has(one.deviceID),
      ),
      defaults: {
        folder: prepareFolder(defaults.folder, { ...context, notes: [] }),
        device: prepareDevice(defaults.device),
        ignores: defaults.ignores,
      },
    },
  }
}

/** Syncthing reads `sendOwnership` in no earlier format, and would switch it off. */
function versionFor({ version, folders }: Config): number {
  return folders.some((folder) => folder.sendOwnership) ? Math.max(version, CONFIG_VERSION) : version
}

function prepareDevices(given: readonly DeviceConfig[], { ownDevice, hostName }: PrepareOptions): DeviceConfig[] {
  const byId = new Map<DeviceId, DeviceConfig>()
  for (const device of given) {
    if (device.deviceID !== '' && !byId.has(device.deviceID)) byId.set(device.deviceID, prepareDevice(device))
  }
  if (!byId.has(ownDevice)) byId.set(ownDevice, ownDeviceConfig(ownDevice, hostName))
  return [...byId.values()].sort((a, b) => compareDeviceIds(a.deviceID, b.deviceID))
}

function prepareDevice(device: DeviceConfig): DeviceConfig {
  const addresses = device.addresses.filter((address) => !isRetired(address))
  return {
    ...device,
    addresses: addresses.length === 0 ? ['dynamic'] : addresses,
    introducer: device.introducer && !device.untrusted,
    autoAcceptFolders: device.autoAcceptFolders && !device.untrusted,
    ignoredFolders: latestOfEach(device.ignoredFolders, (one) => one.id),
  }
}

function ownDeviceConfig(deviceID: DeviceId, name: string): DeviceConfig {
  return { ...defaultsOf(DEVICE), deviceID, name }
}

/** KCP, a transport that Syncthing has removed. */
function isRetired(address: string): boolean {
  return /^kcp/i.test(address.trim())
}

interface FolderContext {
  readonly devicesById: ReadonlyMap<DeviceId, DeviceConfig>
  readonly ownDevice: DeviceId
  readonly version: number
  readonly notes: string[]
}

function prepareFolder(folder: FolderConfig, context: FolderContext): FolderConfig {
  const encrypted = folder.type === 'receiveencrypted'
  const watched = folder.fsWatcherDelayS > 0
  return {
    ...folder,
    devices: prepareFolderDevices(folder, context),
    rescanIntervalS: within(folder.rescanIntervalS, 0, INTERVAL_S_MAX),
    fsWatcherEnabled: folder.fsWatcherEnabled && watched,
    fsWatcherDelayS: watched ? Math.max(folder.fsWatcherDelayS, WATCHER_DELAY_S_MIN) : FOLDER.fsWatcherDelayS.default,
    ignorePerms: folder.ignorePerms || encrypted,
    disableTempIndexes: folder.disableTempIndexes || encrypted,
    versioning: {
      ...folder.versioning,
      cleanupIntervalS: within(folder.versioning.cleanupIntervalS, 0, INTERVAL_S_MAX),
    },
    markerName: folder.markerName === '' ? FOLDER.markerName.default : folder.markerName,
    maxConcurrentWrites: concurrentWrites(folder.maxConcurrentWrites, context.version),
  }
}

function concurrentWrites(wanted: number, version: number): number {
  if (wanted <= 0) return version > CONFIG_VERSION_2X ? 16 : FOLDER.maxConcurrentWrites.default
  return Math.min(wanted, version >= CONFIG_VERSION_2X ? 256 : 64)
}

function prepareFolderDevices(folder: FolderConfig, context: FolderContext): readonly FolderDeviceConfig[] {
  const { devicesById, ownDevice, notes } = context
  const kept = new Map<DeviceId, FolderDeviceConfig>()
  for (const shared of folder.devices) {
    const device = devicesById.get(shared.deviceID)
    if (device === undefined || kept.has(shared.deviceID)) continue
    const mustEncrypt = device.untrusted && shared.deviceID !== ownDevice && folder.type !== 'receiveencrypted'
    if (mustEncrypt && shared.encryptionPassword === '') {
      const reason = 'it has no encryption password'
      notes.push(`folder "${folder.id}" is not shared with untrusted device ${shared.deviceID}: ${reason}`)
    } else {
      kept.set(shared.deviceID, shared)
    }
  }
  if (!kept.has(ownDevice)) kept.set(ownDevice, { deviceID: ownDevice, introducedBy: '', encryptionPassword: '' })
  return [...kept.values()].sort((a, b) => compareDeviceIds(a.deviceID, b.deviceID))
}

function sharedFolders(folders: readonly FolderConfig[]): ReadonlyMap<DeviceId, ReadonlySet<string>> {
  const shared = new Map<DeviceId, Set<string>>()
  for (const folder of folders) {
    for (const { deviceID } of folder.devices) {
      const ids = shared.get(deviceID) ?? new Set()
      shared.set(deviceID, ids.add(folder.id))
    }
  }
  return shared
}

function withoutSharedIgnores(device: DeviceConfig, shared: ReadonlyMap<DeviceId, ReadonlySet<string>>): DeviceConfig {
  const ids = shared.get(device.deviceID)
  return { ...device, ignoredFolders: device.ignoredFolders.filter((one) => ids === undefined || !ids.has(one.id)) }
}

function prepareGui(gui: GuiConfig, newApiKey: string): GuiConfig {
  return {
    ...gui,
    apiKey: gui.apiKey === '' ? newApiKey : gui.apiKey,
    sessionCookiePath: gui.sessionCookiePath.startsWith('/') ? gui.sessionCookiePath : `/${gui.sessionCookiePath}`,
  }
}

function prepareOptions(options: OptionsConfig, gui: GuiConfig): OptionsConfig {
  const guarded = gui.user !== '' && gui.password !== ''
  return {
    ...options,
    listenAddresses: distinctTrimmed(options.listenAddresses).filter((address) => !isRetired(address)),
    globalAnnounceServers: distinctTrimmed(options.globalAnnounceServers),
    alwaysLocalNets: distinctTrimmed(options.alwaysLocalNets),
    stunServers: distinctTrimmed(options.stunServers),
    unackedNotificationIDs: distinctTrimmed(options.unackedNotificationIDs).filter(
      (id) => id !== NOTE_PASSWORD || !guarded,
    ),
    featureFlags: distinctTrimmed(options.featureFlags),
    reconnectionIntervalS: Math.max(options.reconnectionIntervalS, RECONNECT_S_MIN),
    connectionLimitEnough: Math.max(options.connectionLimitEnough, 0),
    connectionLimitMax: Math.max(options.connectionLimitMax, 0),
    connectionPriorityTcpWan: above(options.connectionPriorityTcpWan, options.connectionPriorityTcpLan),
    connectionPriorityQuicWan: above(options.connectionPriorityQuicWan, options.connectionPriorityQuicLan),
  }
}

function above(wide: number, near: number): number {
  return wide <= near ? near + 1 : wide
}

function within(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max)
}

function distinctTrimmed(texts: readonly string[]): readonly string[] {
  return [...new Set(texts.map((text) => text.trim()))]
}

/** One entry per key, the one seen last; oldest first. */
function latestOfEach<T extends ObservedFolder | ObservedDevice>(
  entries: readonly T[],
  keyOf: (entry: T) => string,
): readonly T[] {
  const newest = new Map<string, T>()
  for (const entry of entries) {
    const other = newest.get(keyOf(entry))
    if (other === undefined || Date.parse(entry.time) > Date.parse(other.time)) newest.set(keyOf(entry), entry)
  }
  return [...newest.values()].sort((a, b) => Date.parse(a.time) - Date.parse(b.time))
}

/** By code point, which is the order of the UTF-8 bytes and so the same in every program that reads the file. */
function compareText(a: string, b: string): number {
  const left = [...a]
  const right = [...b]
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const difference = (left[i]?.codePointAt(0) ?? 0) - (right[i]?.codePointAt(0) ?? 0)
    if (difference !== 0) return difference
  }
  return left.length - right.length
}
