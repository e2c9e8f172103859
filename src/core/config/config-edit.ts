import type {
  Config,
  DefaultsConfig,
  DeviceConfig,
  FolderConfig,
  GuiConfig,
  LdapConfig,
  OptionsConfig,
} from './config.ts'
import { checkFolders } from './config-check.ts'
import {
  CONFIG_VERSION_MAX,
  DEFAULT_IGNORES,
  DEFAULTS,
  DEVICE,
  FOLDER,
  GUI,
  LDAP,
  OBSERVED_DEVICE,
  OPTIONS,
} from './config-fields.ts'
import { defaultsOf } from './field.ts'
import { layOver, listOf, objectOf, toJson, type Json, type JsonObject, type Nested } from './config-json.ts'
import { TwinfoldError } from '../errors.ts'
import type { DeviceId, FolderId } from '../ids.ts'

/**
 * The changes that REST offers, as functions from a configuration to the next one. None of them normalises: the store
 * does that once for all. Each throws `bad-request` for a body of the wrong structure.
 */

/** Switches that control external connections. A body that does not contain them must not change them. */
const NETWORK_SWITCHES = [
  'globalAnnounceEnabled',
  'localAnnounceEnabled',
  'relaysEnabled',
  'natEnabled',
  'crashReportingEnabled',
  'stunKeepaliveStartS',
  'urAccepted',
  'autoUpgradeIntervalH',
] as const satisfies readonly (keyof OptionsConfig)[]

const REQUIRED = ['version', 'gui', 'options', 'devices', 'folders'] as const

/** Replaces everything; parts with identity or reachability are required, so that a mistake cannot delete them. */
export function replaceConfig(current: Config, json: Json, ownDevice: DeviceId): Config {
  const given = lowerKeys(objectOf(json, ''))
  const missing = REQUIRED.filter((name) => (given.get(name) ?? null) === null)
  if (missing.length > 0) throw bad(`the configuration lacks ${missing.join(', ')}; use PATCH to change a part`)
  checkVersion(current, given.get('version') ?? null)

  const defaults = layOver(DEFAULTS, defaultsOf(DEFAULTS), given.get('defaults') ?? {}, 'defaults', 'reset-versioning')
  const folders = listOf(given.get('folders') ?? null, 'folders').map((item, i) =>
    newFolder(defaults, item, `folders[${i}]`),
  )
  const devices = listOf(given.get('devices') ?? null, 'devices').map((item, i) =>
    newDevice(defaults, item, `devices[${i}]`),
  )
  if (!devices.some((device) => device.deviceID === ownDevice)) {
    throw bad(`the configuration lacks our own device ${ownDevice} in devices`)
  }
  const problem = checkFolders(folders)
  if (problem !== undefined) throw bad(problem.message)
  const ignored = listOf(given.get('remoteignoreddevices') ?? null, 'remoteIgnoredDevices')
  return {
    version: current.version,
    folders,
    devices,
    gui: replaceGui(current, given.get('gui') ?? null).gui,
    ldap: replaceLdap(current, given.get('ldap') ?? {}).ldap,
    options: replaceOptions(current, given.get('options') ?? null).options,
    remoteIgnoredDevices: ignored.map((item, i) =>
      layOver(OBSERVED_DEVICE, defaultsOf(OBSERVED_DEVICE), item, `remoteIgnoredDevices[${i}]`, 'keep'),
    ),
    defaults,
  }
}

function checkVersion(current: Config, version: Json): void {
  const newest = Math.max(CONFIG_VERSION_MAX, current.version)
  if (typeof version !== 'number' || !Number.isSafeInteger(version) || version < 0) {
    throw bad('version: must be a whole number')
  }
  if (version > newest) throw bad(`version: ${version} is newer than supported version ${newest}`)
}

/** Adds a folder or replaces the one with its id; fields that are not given come from the folder defaults. */
export function upsertFolder(current: Config, json: Json): Config {
  return putFolder(current, newFolder(current.defaults, json, ''))
}

/** Every listed folder is added or replaced; the others stay. */
export function upsertFolders(current: Config, json: Json): Config {
  return listOf(json, '').reduce<Config>(upsertFolder, current)
}

/** Changes the given fields of one folder. A changed id makes a copy; the original is kept. */
export function patchFolder(current: Config, id: FolderId, json: Json): Config {
  const folder = current.folders.find((one) => one.id === id)
  if (folder === undefined) throw new TwinfoldError('folder-missing', 'No folder with given ID')
  return putFolder(current, layOver(FOLDER, folder, json, '', 'keep'))
}

/** An unknown id is not an error: the folder is already absent. */
export function removeFolder(current: Config, id: FolderId): Config {
  return { ...current, folders: current.folders.filter((one) => one.id !== id) }
}

export function upsertDevice(current: Config, json: Json): Config {
  return putDevice(current, newDevice(current.defaults, json, ''))
}

export function upsertDevices(current: Config, json: Json): Config {
  return listOf(json, '').reduce<Config>(upsertDevice, current)
}

export function patchDevice(current: Config, id: DeviceId, json: Json): Config {
  const device = current.devices.find((one) => one.deviceID === id)
  if (device === undefined) throw new TwinfoldError('device-missing', 'No device with given ID')
  return putDevice(current, layOver(DEVICE, device, json, '', 'keep'))
}

/** Our own device is added again when the store normalises. */
export function removeDevice(current: Config, id: DeviceId): Config {
  return { ...current, devices: current.devices.filter((one) => one.deviceID !== id) }
}

/** Fields that are not given get their hard defaults, except the switches that control external connections. */
export function replaceOptions(current: Config, json: Json): Config {
  const kept = NETWORK_SWITCHES.map((key) => [key, current.options[key]])
  const base: OptionsConfig = { ...defaultsOf(OPTIONS), ...Object.fromEntries(kept) }
  return { ...current, options: layOver(OPTIONS, base, json, '', 'keep') }
}

export function patchOptions(current: Config, json: Json): Config {
  return { ...current, options: layOver(OPTIONS, current.options, json, '', 'keep') }
}

/** A body without `apiKey` keeps the key: clients that do not send it must not delete it. */
export function replaceGui(current: Config, json: Json): Config {
  const gui = layOver(GUI, { ...defaultsOf(GUI), apiKey: current.gui.apiKey }, json, '', 'keep')
  return { ...current, gui: gui.apiKey === '' ? { ...gui, apiKey: current.gui.apiKey } : gui }
}

export function patchGui(current: Config, json: Json): Config {
  return { ...current, gui: layOver(GUI, current.gui, json, '', 'keep') }
}

export function replaceLdap(current: Config, json: Json): Config {
  return { ...current, ldap: layOver(LDAP, defaultsOf(LDAP), json, '', 'keep') }
}

export function patchLdap(current: Config, json: Json): Config {
  return { ...current, ldap: layOver(LDAP, current.ldap, json, '', 'keep') }
}

export function replaceDefaultsFolder(current: Config, json: Json): Config {
  return withDefaultsFolder(current, defaultsOf(DEFAULTS).folder, json, 'reset-versioning')
}

export function patchDefaultsFolder(current: Config, json: Json): Config {
  return withDefaultsFolder(current, current.defaults.folder, json, 'keep')
}

export function replaceDefaultsDevice(current: Config, json: Json): Config {
  return withDefaultsDevice(current, defaultsOf(DEVICE), json)
}

export function patchDefaultsDevice(current: Config, json: Json): Config {
  return withDefaultsDevice(current, current.defaults.device, json)
}

export function replaceDefaultsIgnores(current: Config, json: Json): Config {
  const ignores = layOver(DEFAULT_IGNORES, defaultsOf(DEFAULT_IGNORES), json, '', 'keep')
  return { ...current, defaults: { ...current.defaults, ignores } }
}

export const folderToJson = (folder: FolderConfig): JsonObject => toJson(FOLDER, folder)
export const deviceToJson = (device: DeviceConfig): JsonObject => toJson(DEVICE, device)
export const guiToJson = (gui: GuiConfig): JsonObject => toJson(GUI, gui)
export const ldapToJson = (ldap: LdapConfig): JsonObject => toJson(LDAP, ldap)
export const optionsToJson = (options: OptionsConfig): JsonObject => toJson(OPTIONS, options)
export const ignoresToJson = (ignores: DefaultsConfig['ignores']): JsonObject => toJson(DEFAULT_IGNORES, ignores)
export { configToJson } from './config-json.ts'

function newFolder(defaults: DefaultsConfig, json: Json, path: string): FolderConfig {
  const base = { ...defaults.folder, id: '' as FolderId }
  // The default path is the suggestion for new folders; it must not apply to a folder without a path.
  return layOver(FOLDER, { ...base, path: '' }, json, path, 'reset-versioning')
}

function newDevice(defaults: DefaultsConfig, json: Json, path: string): DeviceConfig {
  const base = { ...defaults.device, deviceID: '' as DeviceId, introducedBy: '' as const }
  return layOver(DEVICE, base, json, path, 'keep')
}

function putFolder(current: Config, folder: FolderConfig): Config {
  return { ...current, folders: [...current.folders.filter((one) => one.id !== folder.id), folder] }
}

function putDevice(current: Config, device: DeviceConfig): Config {
  return { ...current, devices: [...current.devices.filter((one) => one.deviceID !== device.deviceID), device] }
}

function withDefaultsFolder(current: Config, base: FolderConfig, json: Json, nested: Nested): Config {
  const folder = layOver(FOLDER, base, json, '', nested)
  return { ...current, defaults: { ...current.defaults, folder: { ...folder, id: '' as FolderId } } }
}

function withDefaultsDevice(current: Config, base: DeviceConfig, json: Json): Config {
  const device = layOver(DEVICE, base, json, '', 'keep')
  const nameless: DeviceConfig = { ...device, deviceID: '' as DeviceId, introducedBy: '' }
  return { ...current, defaults: { ...current.defaults, device: nameless } }
}

function lowerKeys(json: JsonObject): ReadonlyMap<string, Json> {
  return new Map(Object.entries(json).map(([key, value]) => [key.toLowerCase(), value]))
}

function bad(message: string): TwinfoldError {
  return new TwinfoldError('bad-request', message)
}
