import type { DeviceConfig, FolderConfig } from '../config/config.ts'
import { deviceToJson, folderToJson, guiToJson, ldapToJson, optionsToJson } from '../config/config-edit.ts'
import { DEVICE, FOLDER, GUI, LDAP, OPTIONS } from '../config/config-fields.ts'
import { toJson, type Json, type JsonObject } from '../config/config-json.ts'
import { folderExtensions, isDefaultSetting, type FolderExtensions } from '../config/extensions.ts'
import { defaultsOf, type Table } from '../config/field.ts'
import { redactConfig } from '../config/redact.ts'
import { REDACTED } from '../redact-address.ts'
import type { DeviceId } from '../ids.ts'
import { canonical, type SetupState } from './setup-values.ts'

/** The document of a running configuration: what differs from the defaults, without secrets. */
export function exportSetup(state: Omit<SetupState, 'keys'>, ownDevice: DeviceId): JsonObject {
  const { extensions } = state
  const config = redactConfig(state.config, { personal: false })
  const sections = {
    options: changed(OPTIONS, optionsToJson(config.options)),
    gui: changed(GUI, guiToJson(config.gui)),
    ldap: changed(LDAP, ldapToJson(config.ldap)),
  }
  return {
    devices: config.devices.map((device) => exportDevice(device, ownDevice)),
    folders: config.folders.map((folder) => exportFolder(folder, { ...state, config }, ownDevice)),
    ...Object.fromEntries(Object.entries(sections).filter(([, fields]) => Object.keys(fields).length > 0)),
    ...(extensions.drive && { drive: true }),
  }
}

/** Addresses of this device are its own; others reach it by theirs. */
function exportDevice(device: DeviceConfig, ownDevice: DeviceId): JsonObject {
  const { deviceID } = device
  const { deviceID: _, introducedBy: _by, ignoredFolders: _ignored, ...fields } = changed(DEVICE, deviceToJson(device))
  return { id: deviceID, ...(deviceID === ownDevice ? { name: device.name } : fields) }
}

function exportFolder(
  folder: FolderConfig,
  { config, extensions, ignores }: Omit<SetupState, 'keys'>,
  ownDevice: DeviceId,
): JsonObject {
  const { id, path, devices: _, ...fields } = changed(FOLDER, folderToJson(folder))
  const nameOf = (device: string) => {
    const name = config.devices.find(({ deviceID }) => deviceID === device)?.name ?? ''
    return name !== '' && config.devices.filter((each) => each.name === name).length === 1 ? name : device
  }
  const own = folderExtensions(extensions, folder.id)
  const settings = Object.entries(own).filter(
    ([name, value]) => !isDefaultSetting(name as keyof FolderExtensions, value),
  )
  const lines = ignores.get(folder.id) ?? []
  return {
    id: id ?? folder.id,
    path: path ?? folder.path,
    ...fields,
    devices: folder.devices.flatMap(({ deviceID }) => (deviceID === ownDevice ? [] : [nameOf(deviceID)])),
    ...(lines.length > 0 && { ignores: lines }),
    ...Object.fromEntries(settings),
  }
}

/** Without what has secrets: they come from files or the environment. */
function changed<T>(table: Table<T>, json: JsonObject): JsonObject {
  const defaults = toJson(table, defaultsOf(table))
  const isKept = ([name, value]: readonly [string, Json]) => {
    const text = canonical(value)
    return text !== canonical(defaults[name] ?? null) && !text.includes(REDACTED)
  }
  return Object.fromEntries(Object.entries(json).filter(isKept))
}
