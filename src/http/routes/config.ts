import type { Grant } from '../../core/access.ts'
import type { Config, FolderConfig } from '../../core/config/config.ts'
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
} from '../../core/config/config-edit.ts'
import type { Json } from '../../core/config/config-json.ts'
import { restoreRedacted } from '../../core/config/redact.ts'
import { parseDeviceId } from '../../core/device-id.ts'
import { TwinfoldError } from '../../core/errors.ts'
import { isHashedPassword } from '../../core/config/password.ts'
import { parseFolderId, type DeviceId, type FolderId } from '../../core/ids.ts'
import { isConfigChanged } from '../../core/config/undo-change.ts'
import type { ConfigChange, ConfigStore } from '../../config/types.ts'
import { CONFIG_ROUTES } from '../../rest/config-routes.ts'
import { parseJson } from '../pipeline/json.ts'
import { EMPTY_OK, json, type Reply } from '../pipeline/reply.ts'
import { bind, type Call, type Route } from '../pipeline/route.ts'
import type { UndoLog } from '../pipeline/undo-log.ts'
import type { Passwords } from '../types.ts'

const BODY_BYTES_MAX = 32 * 1024 * 1024

export interface ConfigRouteDeps {
  readonly config: ConfigStore
  readonly undo: UndoLog
  readonly grant?: Grant
  readonly passwords: Passwords
}

/** A requested change: computes the next configuration from the current one, the body and the id. */
type Edit = (current: Config, body: Json, id: string) => Config

/** Reading and changing the configuration. Every change is applied and saved before the reply. */
export function configRoutes(deps: ConfigRouteDeps, ownDevice: DeviceId): readonly Route[] {
  const { config } = deps
  const read =
    (show: (current: Config, id: string) => unknown) =>
    ({ id }: Call) =>
      json(show(config.current, id))
  const write = (edit: Edit) => (call: Call) =>
    change(deps, call, (current, body, id) => restoreRedacted(current, edit(current, body, id)))
  const remove =
    (edit: (current: Config, id: string) => Config) =>
    ({ id, request }: Call) =>
      changeWithUndo(deps, request, (current) => edit(current, id))
  const replaceAll = write((current, body) => replaceConfig(current, body, ownDevice))
  const inSync = () => json({ configInSync: !config.restartRequired })
  return bind(CONFIG_ROUTES, {
    'GET /rest/config': read(configToJson),
    'PUT /rest/config': replaceAll,
    'GET /rest/system/config': read(configToJson),
    'POST /rest/system/config': replaceAll,
    'GET /rest/system/config/insync': inSync,
    'GET /rest/config/insync': inSync,
    'GET /rest/config/restart-required': () => json({ requiresRestart: config.restartRequired }),

    'GET /rest/config/folders': read(({ folders }) => sortedBy(folders, (folder) => folder.id).map(folderToJson)),
    'PUT /rest/config/folders': write(upsertFolders),
    'POST /rest/config/folders': write(upsertFolder),
    'GET /rest/config/folders/:id': read((current, id) => folderToJson(folderById(current, id))),
    'PUT /rest/config/folders/:id': write(upsertFolder),
    'PATCH /rest/config/folders/:id': write((current, body, id) => patchFolder(current, folderId(id), body)),
    'DELETE /rest/config/folders/:id': remove((current, id) => removeFolder(current, folderId(id))),

    'GET /rest/config/devices': read(({ devices }) => sortedBy(devices, (device) => device.deviceID).map(deviceToJson)),
    'PUT /rest/config/devices': write(upsertDevices),
    'POST /rest/config/devices': write(upsertDevice),
    'GET /rest/config/devices/:id': read((current, id) => deviceToJson(deviceById(current, id))),
    'PUT /rest/config/devices/:id': write((current, body, id) => (parseDeviceId(id), upsertDevice(current, body))),
    'PATCH /rest/config/devices/:id': write((current, body, id) => patchDevice(current, parseDeviceId(id), body)),
    'DELETE /rest/config/devices/:id': remove((current, id) => removeDevice(current, parseDeviceId(id))),

    'GET /rest/config/defaults/folder': read(({ defaults }) => folderToJson(defaults.folder)),
    'PUT /rest/config/defaults/folder': write(replaceDefaultsFolder),
    'PATCH /rest/config/defaults/folder': write(patchDefaultsFolder),
    'GET /rest/config/defaults/device': read(({ defaults }) => deviceToJson(defaults.device)),
    'PUT /rest/config/defaults/device': write(replaceDefaultsDevice),
    'PATCH /rest/config/defaults/device': write(patchDefaultsDevice),
    'GET /rest/config/defaults/ignores': read(({ defaults }) => ignoresToJson(defaults.ignores)),
    'PUT /rest/config/defaults/ignores': write(replaceDefaultsIgnores),

    'GET /rest/config/options': read(({ options }) => optionsToJson(options)),
    'PUT /rest/config/options': write(replaceOptions),
    'PATCH /rest/config/options': write(patchOptions),
    'GET /rest/config/ldap': read(({ ldap }) => ldapToJson(ldap)),
    'PUT /rest/config/ldap': write(replaceLdap),
    'PATCH /rest/config/ldap': write(patchLdap),
    'GET /rest/config/gui': read(({ gui }) => guiToJson(gui)),
    'PUT /rest/config/gui': write(replaceGui),
    'PATCH /rest/config/gui': write(patchGui),
  })
}

/** The password is hashed before the change: hashing is asynchronous, and a change is not. */
async function change(deps: ConfigRouteDeps, { request, id }: Call, edit: Edit): Promise<Reply> {
  const body = parseJson(await request.body(BODY_BYTES_MAX))
  const before = deps.config.current
  const wanted = edit(before, body, id).gui.password
  const plain = isPlainPassword(before, wanted) ? wanted : undefined
  const hash = plain === undefined ? undefined : await deps.passwords.hash(plain)
  return await changeWithUndo(deps, request, (current) => {
    const next = edit(current, body, id)
    return hash !== undefined && next.gui.password === plain ? { ...next, gui: { ...next.gui, password: hash } } : next
  })
}

async function changeWithUndo(
  { config, undo, grant }: ConfigRouteDeps,
  request: Call['request'],
  make: ConfigChange,
): Promise<Reply> {
  let before = config.current
  const after = await config.change((current) => {
    before = current
    return make(current)
  })
  return undo.offer({ request, grant }, EMPTY_OK, () =>
    isConfigChanged(before, after) ? { kind: 'config', before, after } : undefined,
  )
}

/** A hash and an unchanged password are stored as they are. */
function isPlainPassword(before: Config, password: string): boolean {
  return password !== '' && password !== before.gui.password && !isHashedPassword(password)
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
