import type { Grant } from '../access.ts'
import type { Config } from '../config/config.ts'
import {
  deviceToJson,
  folderToJson,
  guiToJson,
  ldapToJson,
  optionsToJson,
  patchDevice,
  patchFolder,
  patchGui,
  patchLdap,
  patchOptions,
  upsertDevice,
  upsertFolder,
} from '../config/config-edit.ts'
import { DEVICE, FOLDER, GUI, LDAP, OPTIONS } from '../config/config-fields.ts'
import type { Json, JsonObject } from '../config/config-json.ts'
import { folderExtensions, type Extensions, type FolderExtensions } from '../config/extensions.ts'
import type { AnyTable } from '../config/field.ts'
import type { Hook } from '../hooks/hook.ts'
import type { DeviceId, FolderId } from '../ids.ts'
import { withRule } from '../schedule/rule.ts'
import type { Setup, SetupFolder, SetupKey, SetupSwitch } from './setup-file.ts'

/** What a set-up file can decide about, as it is now. */
export interface SetupState {
  readonly config: Config
  readonly extensions: Extensions
  /** Of folders whose patterns are known. */
  readonly ignores: ReadonlyMap<string, readonly string[]>
  readonly keys: readonly Grant[]
  readonly hooks: readonly StoredHook[]
}

/** What a file decides about a hook. */
export type StoredHook = Pick<Hook, 'name' | 'on' | 'folder' | 'device' | 'target'> & {
  readonly afterMs: number | undefined
}

/** One value that the file names. */
export interface SetupValue {
  /** Names it in the record of what was applied. */
  readonly path: string
  /** The object that has it, such as `folder photos`. */
  readonly object: string
  /** Empty: the object itself. */
  readonly field: string
  /** Undefined where the object, or the value, does not exist. */
  readonly value: string | undefined
  readonly isSecret: boolean
}

/** Values of objects come after the object itself. */
export function setupValues(setup: Setup, state: SetupState): readonly SetupValue[] {
  const { config } = state
  return [
    ...setup.devices.flatMap(({ id, fields }) => {
      const device = config.devices.find(({ deviceID }) => deviceID === id)
      const name = `device ${String(fields['name'] ?? id.slice(0, 7))}`
      const current = device === undefined ? undefined : deviceToJson(device)
      return partValues({ path: `devices/${id}`, object: name, table: DEVICE, names: Object.keys(fields) }, current)
    }),
    ...setup.folders.flatMap((folder) => folderValues(folder, state)),
    ...sectionValues('options', OPTIONS, setup.options, optionsToJson(config.options)),
    ...sectionValues('gui', GUI, setup.gui, guiToJson(config.gui)),
    ...sectionValues('ldap', LDAP, setup.ldap, ldapToJson(config.ldap)),
    ...(Object.keys(setup.switches) as SetupSwitch[]).map((name) => ({
      path: name,
      object: name,
      field: 'on',
      value: canonical(state.extensions[name]),
      isSecret: false,
    })),
    ...setup.schedule.map(({ name }) => {
      const rule = state.extensions.schedule.find((each) => each.name === name)
      const value = rule === undefined ? undefined : canonical({ ...rule, days: [...rule.days] })
      return { path: `schedule/${name}`, object: `rule ${name}`, field: '', value, isSecret: false }
    }),
    ...setup.hooks.map(({ name }) => hookValue(name, state)),
    ...setup.keys.map(({ name }) => keyValue(name, state)),
  ]
}

interface Part {
  readonly path: string
  readonly object: string
  readonly table: AnyTable
  readonly names: readonly string[]
}

function partValues({ path, object, table, names }: Part, current: JsonObject | undefined): SetupValue[] {
  const exists = current === undefined ? undefined : canonical(true)
  return [
    { path, object, field: '', value: exists, isSecret: false },
    ...fieldValues({ path, object, table, names }, current),
  ]
}

function fieldValues({ path, object, table, names }: Part, current: JsonObject | undefined): SetupValue[] {
  return names.map((name) => ({
    path: `${path}/${name}`,
    object,
    field: name,
    value: current === undefined ? undefined : canonical(current[name] ?? null),
    isSecret: table[name]?.secrecy === 'whole',
  }))
}

function sectionValues(name: string, table: AnyTable, wanted: JsonObject, current: JsonObject): SetupValue[] {
  return fieldValues({ path: name, object: name, table, names: Object.keys(wanted) }, current)
}

function folderValues({ id, fields, shares, ignores, settings }: SetupFolder, state: SetupState): SetupValue[] {
  const folder = state.config.folders.find((each) => each.id === id)
  const [path, object] = [folderPath(id), `folder ${id}`]
  const current = folder === undefined ? undefined : folderToJson(folder)
  const own = folderExtensions(state.extensions, id)
  const value = (name: string, text: Json | undefined, isSecret = false): SetupValue => ({
    path: `${path}/${name}`,
    object,
    field: name,
    value: folder === undefined || text === undefined ? undefined : canonical(text),
    isSecret,
  })
  return [
    ...partValues({ path, object, table: FOLDER, names: Object.keys(fields) }, current),
    ...(Object.keys(settings) as (keyof FolderExtensions)[]).map((name) => value(name, own[name])),
    ...(ignores === undefined ? [] : [value('ignores', state.ignores.get(id))]),
    ...(shares ?? []).flatMap(({ device, encryptionPassword }) => {
      const share = folder?.devices.find(({ deviceID }) => deviceID === device)
      const secret = value(`devices/${device}/encryptionPassword`, share?.encryptionPassword, true)
      const isShared = value(`devices/${device}`, share === undefined ? undefined : true)
      return encryptionPassword === undefined ? [isShared] : [isShared, secret]
    }),
  ]
}

function keyValue(name: string, { keys }: SetupState): SetupValue {
  const grant = keys.find((each) => each.kind === 'key' && each.name === name)
  const value = grant === undefined ? undefined : grantText(grant)
  return { path: `keys/${name}`, object: `key ${name}`, field: '', value, isSecret: true }
}

/** Its address may have a token, and it may have a secret. */
function hookValue(name: string, { hooks }: SetupState): SetupValue {
  const hook = hooks.find((each) => each.name === name)
  const { on, folder = null, device = null, afterMs = null, target } = hook ?? {}
  const value = hook === undefined ? undefined : canonical([on, folder, device, afterMs, target] as unknown as Json)
  return { path: `hooks/${name}`, object: `hook ${name}`, field: '', value, isSecret: true }
}

function grantText({
  scope,
  folders,
  expiresMs,
  secretHash,
}: Pick<Grant, 'scope' | 'folders' | 'expiresMs' | 'secretHash'>): string {
  return canonical({
    scope,
    folders: folders === undefined ? null : [...folders].sort(),
    expiresMs: expiresMs ?? null,
    secretHash,
  })
}

/** The state with everything that the file names, and for which `takes` returns true. */
export function withSetup(
  setup: Setup,
  state: SetupState,
  takes: (path: string) => boolean,
  hashOf: (key: string) => string,
): SetupState {
  let { config } = state
  for (const { id, fields } of setup.devices) {
    if (!takes(`devices/${id}`) && !hasDevice(config, id)) continue
    const taken = pick(fields, `devices/${id}`, takes)
    const body = { deviceID: id, ...taken }
    config = hasDevice(config, id) ? patchDevice(config, id, taken) : upsertDevice(config, body)
  }
  const ignores = new Map(state.ignores)
  for (const folder of setup.folders) {
    const path = folderPath(folder.id)
    if (!takes(path) && !hasFolder(config, folder.id)) continue
    const taken = pick(folder.fields, path, takes)
    config = hasFolder(config, folder.id)
      ? patchFolder(config, folder.id, taken)
      : upsertFolder(config, { id: folder.id, ...taken })
    config = withShares(config, folder, takes)
    if (folder.ignores !== undefined && takes(`${path}/ignores`)) ignores.set(folder.id, folder.ignores)
  }
  config = patchOptions(config, pick(setup.options, 'options', takes))
  config = patchGui(config, pick(setup.gui, 'gui', takes))
  config = patchLdap(config, pick(setup.ldap, 'ldap', takes))
  const keys = setup.keys.filter(({ name }) => takes(`keys/${name}`))
  const others = state.keys.filter(({ name, kind }) => kind !== 'key' || !keys.some((key) => key.name === name))
  return {
    config,
    ignores,
    extensions: withSettings(setup, state.extensions, takes),
    keys: [...others, ...keys.map((key) => grantOf(key, hashOf))],
    hooks: setup.hooks.filter(({ name }) => takes(`hooks/${name}`)).reduce(withHook, state.hooks),
  }
}

function grantOf({ name, scope, folders, expires, key }: SetupKey, hashOf: (key: string) => string): Grant {
  return {
    kind: 'key',
    name,
    scope,
    folders: folders === undefined ? undefined : new Set(folders),
    expiresMs: expires === undefined ? undefined : Date.parse(expires),
    createdMs: 0,
    secretHash: hashOf(key),
  }
}

function withSettings(setup: Setup, current: Extensions, takes: (path: string) => boolean): Extensions {
  const folders = { ...current.folders }
  for (const { id, settings } of setup.folders) {
    const taken = Object.entries(settings).filter(([name]) => takes(`${folderPath(id)}/${name}`))
    if (taken.length > 0) folders[id] = { ...folderExtensions(current, id), ...Object.fromEntries(taken) }
  }
  const switches = Object.entries(setup.switches).filter(([name]) => takes(name))
  const schedule = setup.schedule.filter(({ name }) => takes(`schedule/${name}`)).reduce(withRule, current.schedule)
  return { ...current, ...Object.fromEntries(switches), schedule, folders }
}

function withHook(hooks: readonly StoredHook[], hook: StoredHook): readonly StoredHook[] {
  return [...hooks.filter(({ name }) => name !== hook.name), hook]
}

function withShares(config: Config, { id, shares }: SetupFolder, takes: (path: string) => boolean): Config {
  const folder = config.folders.find((each) => each.id === id)
  if (folder === undefined || shares === undefined) return config
  const devices = new Map(folder.devices.map((share) => [share.deviceID, share]))
  for (const { device, encryptionPassword } of shares) {
    const path = `${folderPath(id)}/devices/${device}`
    const current = devices.get(device)
    if (current === undefined && !takes(path)) continue
    const share = current ?? { deviceID: device, introducedBy: '' as const, encryptionPassword: '' }
    const isPassword = encryptionPassword !== undefined && takes(`${path}/encryptionPassword`)
    devices.set(device, isPassword ? { ...share, encryptionPassword } : share)
  }
  const changed = { ...folder, devices: [...devices.values()] }
  return { ...config, folders: config.folders.map((each) => (each.id === id ? changed : each)) }
}

function pick(fields: JsonObject, path: string, takes: (path: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => takes(`${path}/${name}`)))
}

function hasDevice({ devices }: Config, id: DeviceId): boolean {
  return devices.some(({ deviceID }) => deviceID === id)
}

function hasFolder({ folders }: Config, id: FolderId): boolean {
  return folders.some((folder) => folder.id === id)
}

/** An id may contain a slash. */
export function folderPath(id: FolderId): string {
  return `folders/${encodeURIComponent(id)}`
}

/** Equal values have equal texts. */
export function canonical(json: Json): string {
  return JSON.stringify(json, (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
}
