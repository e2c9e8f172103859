import { SCOPES, type Scope } from '../access.ts'
import type { DeviceConfig } from '../config/config.ts'
import { DEVICE, FOLDER, GUI, LDAP, OPTIONS } from '../config/config-fields.ts'
import { isJsonObject, isTime, type Json, type JsonObject } from '../config/config-json.ts'
import { FOLDER_EXTENSIONS, type FolderExtensions, folderSettingProblem } from '../config/extensions.ts'
import { checkMergePatterns } from '../merge/rules.ts'
import type { AnyTable, Field } from '../config/field.ts'
import { parseDeviceId } from '../device-id.ts'
import { TwinfoldError } from '../errors.ts'
import { nearestTexts } from '../formats/nearest.ts'
import type { NewHook } from '../hooks/hook.ts'
import { parseFolderId, type DeviceId, type FolderId } from '../ids.ts'
import type { ScheduleRule } from '../schedule/rule.ts'
import { HOOK_NAMES, parseSetupHook, parseSetupRule, RULE_NAMES, type DeviceNames } from './setup-parts.ts'

interface SetupDevice {
  readonly id: DeviceId
  readonly fields: JsonObject
}

interface SetupShare {
  readonly device: DeviceId
  /** Undefined: the file does not decide about it. */
  readonly encryptionPassword: string | undefined
}

export interface SetupFolder {
  readonly id: FolderId
  readonly fields: JsonObject
  /** Undefined: the file does not decide about them. */
  readonly shares: readonly SetupShare[] | undefined
  readonly ignores: readonly string[] | undefined
  readonly settings: Partial<FolderExtensions>
}

export interface SetupKey {
  readonly name: string
  readonly scope: Scope
  readonly folders: readonly string[] | undefined
  readonly expires: string | undefined
  readonly key: string
}

/** Settings of the device that Syncthing does not have. */
export const SETUP_SWITCHES = ['drive', 'meteredLocalOnly', 'inhibitSleep'] as const
export type SetupSwitch = (typeof SETUP_SWITCHES)[number]

/** A checked document. Only what it names is in it. */
export interface Setup {
  readonly devices: readonly SetupDevice[]
  readonly folders: readonly SetupFolder[]
  readonly options: JsonObject
  readonly gui: JsonObject
  readonly ldap: JsonObject
  readonly switches: Partial<Readonly<Record<SetupSwitch, boolean>>>
  readonly schedule: readonly ScheduleRule[]
  readonly hooks: readonly NewHook[]
  readonly keys: readonly SetupKey[]
  /** PEM of the certificate that this device must have. */
  readonly certificate: string | undefined
}

const SECTIONS = [
  'identity',
  'devices',
  'folders',
  'options',
  'gui',
  'ldap',
  'keys',
  'schedule',
  'hooks',
  ...SETUP_SWITCHES,
] as const
/** Names that the configuration has otherwise. */
export const DEVICE_NAMES = ['id', ...namesOf(DEVICE, ['deviceID', 'introducedBy', 'ignoredFolders'])]
const FOLDER_NAMES = [...namesOf(FOLDER, []), 'ignores', ...Object.keys(FOLDER_EXTENSIONS)]
const KEY_NAMES = ['name', 'scope', 'folders', 'expires', 'key'] as const
const IDENTITY_NAMES = ['certificate', 'key'] as const
const SHARE_NAMES = ['id', 'encryptionPassword'] as const
/** At 5.7 bits a character, above 128 bits; the most that a header should have. */
const KEY_LENGTH_MIN = 32
const KEY_LENGTH_MAX = 128
const ITEMS_MAX = 10_000

type NamedDevice = Pick<DeviceConfig, 'name' | 'deviceID'>

/**
 * Checks a document. Names of devices are those of the file, or of configured devices. Throws `bad-request` with the
 * place of the first thing that is wrong.
 */
export function parseSetup(json: Json, configured: readonly NamedDevice[]): Setup {
  const document = objectAt(json, 'the file')
  refuseUnknown(document, SECTIONS, '')
  const devices = listAt(document, 'devices').map((item, i) => parseDevice(item, `devices[${i}]`))
  refuseTwice(devices, 'devices')
  const ids = idsByName(devices, configured)
  const folders = listAt(document, 'folders').map((item, i) => parseFolder(item, `folders[${i}]`, ids))
  refuseTwice(folders, 'folders')
  const keys = listAt(document, 'keys').map((item, i) => parseKey(item, `keys[${i}]`))
  refuseTwice(
    keys.map(({ name }) => ({ id: name })),
    'keys',
  )
  const schedule = itemsAt(document, 'schedule', RULE_NAMES).map(([item, path]) => parseSetupRule(item, path, ids))
  const hooks = itemsAt(document, 'hooks', HOOK_NAMES).map(([item, path]) => parseSetupHook(item, path, ids))
  for (const [section, items] of Object.entries({ schedule, hooks }))
    refuseTwice(
      items.map(({ name }) => ({ id: name })),
      section,
    )
  return {
    devices,
    folders,
    options: part(document, 'options', OPTIONS),
    gui: part(document, 'gui', GUI),
    ldap: part(document, 'ldap', LDAP),
    switches: switchesOf(document),
    schedule,
    hooks,
    keys,
    certificate: certificateOf(document),
  }
}

function switchesOf(document: JsonObject): Setup['switches'] {
  const given = SETUP_SWITCHES.filter((name) => document[name] !== undefined)
  const wrong = given.find((name) => typeof document[name] !== 'boolean')
  if (wrong !== undefined) throw bad(`${wrong} is neither true nor false`)
  return Object.fromEntries(given.map((name) => [name, document[name] === true]))
}

/** The objects of a section, with their places. */
function itemsAt(
  document: JsonObject,
  section: string,
  names: readonly string[],
): readonly (readonly [item: JsonObject, path: string])[] {
  return listAt(document, section).map((json, i) => {
    const path = `${section}[${i}]`
    const item = objectAt(json, path)
    refuseUnknown(item, names, path)
    return [item, path] as const
  })
}

function certificateOf(document: JsonObject): string | undefined {
  const section = document['identity']
  if (section === undefined) return undefined
  const identity = objectAt(section, 'identity')
  refuseUnknown(identity, IDENTITY_NAMES, 'identity')
  const { certificate } = identity
  if (typeof certificate !== 'string') throw bad('identity.certificate is missing, best from a file')
  return certificate
}

function parseDevice(json: Json, path: string): SetupDevice {
  const device = objectAt(json, path)
  refuseUnknown(device, DEVICE_NAMES, path)
  const { id, ...fields } = device
  checkFields(DEVICE, fields, path)
  return { id: deviceAt(id, `${path}.id`), fields }
}

function parseFolder(json: Json, path: string, ids: DeviceNames): SetupFolder {
  const folder = objectAt(json, path)
  refuseUnknown(folder, FOLDER_NAMES, path)
  const { id, devices, ignores, ...rest } = folder
  const folderId = typeof id === 'string' ? parseFolderId(id) : undefined
  if (folderId === undefined) throw bad(`${path}.id is not the id of a folder`)
  const isSetting = ([name]: readonly [string, Json]) => Object.hasOwn(FOLDER_EXTENSIONS, name)
  const settings = Object.entries(rest).filter(isSetting)
  for (const [name, value] of settings) checkSetting(name as keyof FolderExtensions, value, `${path}.${name}`)
  checkMergePatterns(Object.fromEntries(settings))
  const fields = Object.fromEntries(Object.entries(rest).filter((entry) => !isSetting(entry)))
  checkFields(FOLDER, fields, path)
  return {
    id: folderId,
    fields,
    shares: devices === undefined ? undefined : parseShares(devices, `${path}.devices`, ids),
    ignores: ignores === undefined ? undefined : textsAt(ignores, `${path}.ignores`),
    settings: Object.fromEntries(settings),
  }
}

function checkSetting(name: keyof FolderExtensions, value: Json, path: string): void {
  if (typeof FOLDER_EXTENSIONS[name] === 'boolean' && typeof value !== 'boolean')
    throw bad(`${path} must be true or false`)
  if (name === 'versionsPercentMax' && !(Number(value) >= 0 && Number(value) <= 100))
    throw bad(`${path} must be a number from 0 to 100`)
  const problem = folderSettingProblem(name, value)
  if (problem !== undefined) throw bad(`${path} ${problem}`)
}

function parseShares(json: Json, path: string, ids: DeviceNames): readonly SetupShare[] {
  const shares = itemsOf(json, path).map((item, i) => {
    const place = `${path}[${i}]`
    if (typeof item === 'string') return { device: ids(item, place), encryptionPassword: undefined }
    const share = objectAt(item, place)
    refuseUnknown(share, SHARE_NAMES, place)
    const { id, encryptionPassword } = share
    if (typeof id !== 'string') throw bad(`${place}.id is missing: the name or the id of a device`)
    if (encryptionPassword !== undefined && typeof encryptionPassword !== 'string')
      throw bad(`${place}.encryptionPassword is not a text`)
    return { device: ids(id, `${place}.id`), encryptionPassword }
  })
  refuseTwice(
    shares.map(({ device }) => ({ id: device })),
    path,
  )
  return shares
}

function parseKey(json: Json, path: string): SetupKey {
  const given = objectAt(json, path)
  refuseUnknown(given, KEY_NAMES, path)
  const { name, folders, expires, key } = given
  const scope = SCOPES.find((each) => each === (given['scope'] ?? 'monitor'))
  if (scope === undefined) throw bad(`${path}.scope must be one of ${SCOPES.join(', ')}`)
  if (typeof name !== 'string') throw bad(`${path}.name is missing`)
  const isLongEnough = typeof key === 'string' && key.length >= KEY_LENGTH_MIN && key.length <= KEY_LENGTH_MAX
  if (!isLongEnough || !/^[\x21-\x7e]+$/.test(key))
    throw bad(`${path}.key must be ${KEY_LENGTH_MIN} to ${KEY_LENGTH_MAX} letters and digits, best from a file`)
  if (expires !== undefined && (typeof expires !== 'string' || !isTime(expires)))
    throw bad(`${path}.expires must be a time, such as 2027-01-31T00:00:00Z`)
  return {
    name,
    scope,
    folders: folders === undefined ? undefined : textsAt(folders, `${path}.folders`),
    expires,
    key,
  }
}

/** Names of the file are used before those of the configuration. */
function idsByName(devices: readonly SetupDevice[], configured: readonly NamedDevice[]): DeviceNames {
  const named = devices.flatMap(({ id, fields }) =>
    typeof fields['name'] === 'string' ? [[fields['name'], id] as const] : [],
  )
  const inFile = new Set<DeviceId>(devices.map(({ id }) => id))
  const others = configured.flatMap(({ name, deviceID }) => (inFile.has(deviceID) ? [] : [[name, deviceID] as const]))
  return (text, path) => {
    const id = deviceIdOf(text)
    if (id !== undefined) return id
    for (const list of [named, others]) {
      const found = list.filter(([name]) => name === text)
      if (found.length > 1) throw bad(`${path}: ${found.length} devices are named ${text}; use the id`)
      if (found.length === 1) return found[0]![1]
    }
    throw bad(
      `${path}: there is no device ${text}${hint(
        text,
        [...named, ...others].map(([name]) => name),
      )}`,
    )
  }
}

function part(document: JsonObject, name: 'options' | 'gui' | 'ldap', table: AnyTable): JsonObject {
  const value = document[name]
  if (value === undefined) return {}
  const fields = objectAt(value, name)
  checkFields(table, fields, name)
  return fields
}

/** Names and choices, also inside sections: the configuration ignores unknown ones, a file must not. */
function checkFields(table: AnyTable, fields: JsonObject, path: string): void {
  refuseUnknown(fields, Object.keys(table), path)
  for (const [name, value] of Object.entries(fields)) checkField(table[name]!, value, `${path}.${name}`)
}

function checkField({ kind }: Field<unknown>, value: Json, path: string): void {
  if (value === null) throw bad(`${path} has no value`)
  if (kind.is === 'section') checkFields(kind.table, objectAt(value, path), path)
  if (kind.is === 'sections') {
    for (const [i, item] of itemsOf(value, path).entries())
      checkFields(kind.table, objectAt(item, `${path}[${i}]`), `${path}[${i}]`)
  }
  if (kind.is !== 'choice') return
  if (typeof value !== 'string' || !kind.values.includes(value))
    throw bad(`${path} must be one of ${kind.values.join(', ')}`)
}

/** Of a table without those that the daemon decides itself. */
function namesOf(table: AnyTable, without: readonly string[]): readonly string[] {
  return Object.keys(table).filter((name) => !without.includes(name))
}

function refuseUnknown(object: JsonObject, names: readonly string[], path: string): void {
  const unknown = Object.keys(object).find((name) => !names.includes(name))
  if (unknown === undefined) return
  throw bad(`${path === '' ? '' : `${path}.`}${unknown}: there is no such field${hint(unknown, names)}`)
}

function hint(text: string, names: readonly string[]): string {
  const [nearest] = nearestTexts(text, names, 1)
  return nearest === undefined ? '' : `; is it ${nearest}?`
}

function refuseTwice(items: readonly { readonly id: string }[], path: string): void {
  const ids = new Set<string>()
  for (const { id } of items) {
    if (ids.has(id)) throw bad(`${path}: ${id} is there twice`)
    ids.add(id)
  }
}

function deviceAt(json: Json | undefined, path: string): DeviceId {
  const id = typeof json === 'string' ? deviceIdOf(json) : undefined
  if (id === undefined) throw bad(`${path} is not a device id`)
  return id
}

function deviceIdOf(text: string): DeviceId | undefined {
  try {
    return parseDeviceId(text)
  } catch {
    return undefined
  }
}

function listAt(document: JsonObject, name: string): readonly Json[] {
  const value = document[name]
  return value === undefined || value === null ? [] : itemsOf(value, name)
}

function itemsOf(json: Json, path: string): readonly Json[] {
  if (!Array.isArray(json)) throw bad(`${path} is not a list`)
  if (json.length > ITEMS_MAX) throw bad(`${path} has more than ${ITEMS_MAX} items`)
  return json
}

function textsAt(json: Json, path: string): readonly string[] {
  return itemsOf(json, path).map((item, i) => {
    if (typeof item !== 'string') throw bad(`${path}[${i}] is not a text`)
    return item
  })
}

function objectAt(json: Json, path: string): JsonObject {
  if (!isJsonObject(json)) throw bad(`${path} is not an object`)
  return json
}

function bad(message: string): TwinfoldError {
  return new TwinfoldError('bad-request', message)
}
