import type { Config, FolderConfig } from '../core/config.ts'
import {
  configToJson,
  deviceToJson,
  folderToJson,
  guiToJson,
  ignoresToJson,
  ldapToJson,
  optionsToJson,
  patchDefaultsDevice,
  patchDefaultsFolder,
  patchDevice,
  patchFolder,
  patchGui,
  patchLdap,
  patchOptions,
  removeDevice,
  removeFolder,
  replaceConfig,
  replaceDefaultsDevice,
  replaceDefaultsFolder,
  replaceDefaultsIgnores,
  replaceGui,
  replaceLdap,
  replaceOptions,
  upsertDevice,
  upsertDevices,
  upsertFolder,
  upsertFolders,
} from '../core/config-edit.ts'
import type { Json } from '../core/config-json.ts'
import { parseDeviceId } from '../core/device-id.ts'
import { TwinfoldError } from '../core/errors.ts'
import { parseFolderId, type DeviceId, type FolderId } from '../core/ids.ts'
import type { ConfigStore } from '../config/types.ts'
import type { RouteErrors } from './errors.ts'
import { parseJson } from './json.ts'
import { EMPTY_OK, json, type Reply } from './reply.ts'
import type { Call, Method, Route } from './route.ts'
import type { Passwords } from './types.ts'

const BODY_BYTES_MAX = 32 * 1024 * 1024

export interface ConfigRouteDeps {
  readonly config: ConfigStore
  readonly passwords: Passwords
}

/** A change that a request asks for: the present configuration, its body and its id give the next configuration. */
type Edit = (current: Config, body: Json, id: string) => Config

/** Reading and changing the configuration. Every change is applied and saved before it is answered. */
export function configRoutes(deps: ConfigRouteDeps, ownDevice: DeviceId): readonly Route[] {
  const { config } = deps
  const read = (path: string, summary: string, show: (current: Config, id: string) => unknown): Route => ({
    method: 'GET',
    path,
    summary,
    errors: ERRORS,
    handle: ({ id }) => json(show(config.current, id)),
  })
  const write = (method: Method, path: string, summary: string, edit: Edit): Route => ({
    method,
    path,
    summary,
    errors: ERRORS,
    handle: (call) => change(deps, call, edit),
  })
  const remove = (path: string, summary: string, edit: (current: Config, id: string) => Config): Route => ({
    method: 'DELETE',
    path,
    summary,
    errors: ERRORS,
    handle: async ({ id }) => {
      await config.change((current) => edit(current, id))
      return EMPTY_OK
    },
  })
  const replaceAll: Edit = (current, body) => replaceConfig(current, body, ownDevice)
  const inSync = () => ({ configInSync: !config.restartRequired })
  return [
    read('/rest/config', 'Shows the whole configuration.', configToJson),
    write('PUT', '/rest/config', 'Replaces the whole configuration.', replaceAll),
    read('/rest/system/config', 'The older name of /rest/config.', configToJson),
    write('POST', '/rest/system/config', 'The older way to replace the configuration.', replaceAll),
    read('/rest/system/config/insync', 'The older name of /rest/config/insync.', inSync),
    read('/rest/config/insync', 'Tells whether all changes are in effect.', inSync),
    read('/rest/config/restart-required', 'Tells whether a change waits for a restart.', () => ({
      requiresRestart: config.restartRequired,
    })),

    read('/rest/config/folders', 'Lists the folders.', (current) =>
      sortedBy(current.folders, (folder) => folder.id).map(folderToJson),
    ),
    write('PUT', '/rest/config/folders', 'Adds or replaces several folders; the others stay.', upsertFolders),
    write('POST', '/rest/config/folders', 'Adds or replaces one folder.', upsertFolder),
    read('/rest/config/folders/:id', 'Shows one folder.', (current, id) => folderToJson(folderById(current, id))),
    write('PUT', '/rest/config/folders/:id', 'Adds or replaces the folder in the body.', upsertFolder),
    write('PATCH', '/rest/config/folders/:id', 'Changes the given fields of a folder.', (current, body, id) =>
      patchFolder(current, folderId(id), body),
    ),
    remove('/rest/config/folders/:id', 'Removes a folder from the configuration; its files stay.', (current, id) =>
      removeFolder(current, folderId(id)),
    ),

    read('/rest/config/devices', 'Lists the devices.', (current) =>
      sortedBy(current.devices, (device) => device.deviceID).map(deviceToJson),
    ),
    write('PUT', '/rest/config/devices', 'Adds or replaces several devices; the others stay.', upsertDevices),
    write('POST', '/rest/config/devices', 'Adds or replaces one device.', upsertDevice),
    read('/rest/config/devices/:id', 'Shows one device.', (current, id) => deviceToJson(deviceById(current, id))),
    write(
      'PUT',
      '/rest/config/devices/:id',
      'Adds or replaces the device in the body.',
      (current, body, id) => (parseDeviceId(id), upsertDevice(current, body)),
    ),
    write('PATCH', '/rest/config/devices/:id', 'Changes the given fields of a device.', (current, body, id) =>
      patchDevice(current, parseDeviceId(id), body),
    ),
    remove('/rest/config/devices/:id', 'Removes a device.', (current, id) => removeDevice(current, parseDeviceId(id))),

    read('/rest/config/defaults/folder', 'Shows what a new folder starts with.', (current) =>
      folderToJson(current.defaults.folder),
    ),
    write('PUT', '/rest/config/defaults/folder', 'Replaces what a new folder starts with.', replaceDefaultsFolder),
    write('PATCH', '/rest/config/defaults/folder', 'Changes what a new folder starts with.', patchDefaultsFolder),
    read('/rest/config/defaults/device', 'Shows what a new device starts with.', (current) =>
      deviceToJson(current.defaults.device),
    ),
    write('PUT', '/rest/config/defaults/device', 'Replaces what a new device starts with.', replaceDefaultsDevice),
    write('PATCH', '/rest/config/defaults/device', 'Changes what a new device starts with.', patchDefaultsDevice),
    read('/rest/config/defaults/ignores', 'Shows the ignore patterns a new folder starts with.', (current) =>
      ignoresToJson(current.defaults.ignores),
    ),
    write(
      'PUT',
      '/rest/config/defaults/ignores',
      'Replaces the ignore patterns a new folder starts with.',
      replaceDefaultsIgnores,
    ),

    read('/rest/config/options', 'Shows the options.', (current) => optionsToJson(current.options)),
    write('PUT', '/rest/config/options', 'Replaces the options.', replaceOptions),
    write('PATCH', '/rest/config/options', 'Changes the given options.', patchOptions),
    read('/rest/config/ldap', 'Shows the LDAP settings.', (current) => ldapToJson(current.ldap)),
    write('PUT', '/rest/config/ldap', 'Replaces the LDAP settings.', replaceLdap),
    write('PATCH', '/rest/config/ldap', 'Changes the given LDAP settings.', patchLdap),
    read('/rest/config/gui', 'Shows the settings of this interface.', (current) => guiToJson(current.gui)),
    write(
      'PUT',
      '/rest/config/gui',
      'Replaces the settings of this interface; the API key stays unless given.',
      replaceGui,
    ),
    write('PATCH', '/rest/config/gui', 'Changes the given settings of this interface.', patchGui),
  ]
}

const ERRORS: RouteErrors = {
  'folder-missing': { status: 404, words: 'No folder with given ID' },
  'device-missing': { status: 404, words: 'No device with given ID' },
}

/** The password is hashed before the change: hashing takes time, and a change must not wait half way. */
async function change(deps: ConfigRouteDeps, { request, id }: Call, edit: Edit): Promise<Reply> {
  const body = parseJson(await request.body(BODY_BYTES_MAX))
  const before = deps.config.current
  const wanted = edit(before, body, id).gui.password
  const plain = isPlainPassword(before, wanted) ? wanted : undefined
  const hash = plain === undefined ? undefined : await deps.passwords.hash(plain)
  await deps.config.change((current) => {
    const next = edit(current, body, id)
    return hash !== undefined && next.gui.password === plain ? { ...next, gui: { ...next.gui, password: hash } } : next
  })
  return EMPTY_OK
}

/** A hash is stored as it is, and so is what has not changed. */
function isPlainPassword(before: Config, password: string): boolean {
  return password !== '' && password !== before.gui.password && !/^\$2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}$/.test(password)
}

function folderId(id: string): FolderId {
  const folder = parseFolderId(id)
  if (folder === undefined) throw new TwinfoldError('folder-missing', 'No folder with given ID')
  return folder
}

function folderById(current: Config, id: string): FolderConfig {
  const folder = current.folders.find((one) => one.id === id)
  if (folder === undefined) throw new TwinfoldError('folder-missing', 'No folder with given ID')
  return folder
}

function deviceById(current: Config, id: string) {
  const wanted = parseDeviceId(id)
  const device = current.devices.find((one) => one.deviceID === wanted)
  if (device === undefined) throw new TwinfoldError('device-missing', 'No device with given ID')
  return device
}

function sortedBy<T>(items: readonly T[], key: (item: T) => string): readonly T[] {
  return items.toSorted((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0))
}
