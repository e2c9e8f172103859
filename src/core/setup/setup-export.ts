import type { DeviceConfig, FolderConfig } from '../config/config.ts'
import { deviceToJson, folderToJson, guiToJson, ldapToJson, optionsToJson } from '../config/config-edit.ts'
import { DEVICE, FOLDER, GUI, LDAP, OPTIONS } from '../config/config-fields.ts'
import { toJson, type Json, type JsonObject } from '../config/config-json.ts'
import { folderExtensions, isDefaultSetting, type FolderExtensions } from '../config/extensions.ts'
import { defaultsOf, type Table } from '../config/field.ts'
import { redactConfig } from '../config/redact.ts'
import { durationText } from '../duration.ts'
import { REDACTED } from '../redact-address.ts'
import type { DeviceId } from '../ids.ts'
import { WEEKDAYS, type ScheduleRule } from '../schedule/rule.ts'
import { SETUP_SWITCHES } from './setup-file.ts'
import { canonical, type SetupState, type StoredHook } from './setup-values.ts'

type ExportedState = Omit<SetupState, 'keys'>

/** The document of a running configuration: what differs from the defaults, without secrets. */
export function exportSetup(state: ExportedState, ownDevice: DeviceId): JsonObject {
  const { extensions } = state
  const programs = state.hooks.flatMap(exportHook)
  const config = redactConfig(state.config, { personal: false })
  // What was answered on the page is no setting.
  const { unackedNotificationIDs: _, ...options } = changed(OPTIONS, optionsToJson(config.options))
  const sections = {
    options,
    gui: changed(GUI, guiToJson(config.gui)),
    ldap: changed(LDAP, ldapToJson(config.ldap)),
  }
  return {
    devices: config.devices.map((device) => exportDevice(device, ownDevice)),
    folders: config.folders.map((folder) => exportFolder(folder, { ...state, config }, ownDevice)),
    ...Object.fromEntries(Object.entries(sections).filter(([, fields]) => Object.keys(fields).length > 0)),
    ...Object.fromEntries(SETUP_SWITCHES.filter((name) => extensions[name]).map((name) => [name, true])),
    ...(extensions.schedule.length > 0 && { schedule: extensions.schedule.map(exportRule) }),
    ...(programs.length > 0 && { hooks: programs }),
  }
}

function exportRule(rule: ScheduleRule): JsonObject {
  const { days, pause, ...rest } = rule
  const given = Object.entries(rest).filter(([, value]) => value !== null)
  const some = days.length === WEEKDAYS.length ? {} : { days: [...days] }
  return { ...Object.fromEntries(given), ...some, ...(pause && { pause }) }
}

/** Only programs: the address of another may have a token. */
function exportHook({ name, on, folder, device, afterMs, target }: StoredHook): readonly JsonObject[] {
  if (target.kind !== 'program') return []
  const { program, args } = target
  const about = { ...(folder !== undefined && { folder }), ...(device !== undefined && { device }) }
  const after = afterMs === undefined || afterMs === 0 ? {} : { after: durationText(afterMs) }
  return [{ name, on, ...about, ...after, program, ...(args.length > 0 && { args: [...args] }) }]
}

/** Addresses of this device are its own; others reach it by theirs. */
function exportDevice(device: DeviceConfig, ownDevice: DeviceId): JsonObject {
  const { deviceID } = device
  const { deviceID: _, introducedBy: _by, ignoredFolders: _ignored, ...fields } = changed(DEVICE, deviceToJson(device))
  return { id: deviceID, ...(deviceID === ownDevice ? { name: device.name } : fields) }
}

function exportFolder(
  folder: FolderConfig,
  { config, extensions, ignores }: Omit<ExportedState, 'hooks'>,
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
