import { DEFAULT_IGNORES, DEVICE, FOLDER, GUI, LDAP, OBSERVED_DEVICE, OPTIONS } from '../core/config/config-fields.ts'
import type { AnyTable, Kind } from '../core/config/field.ts'
import { isJsonObject, type Json, type JsonObject } from '../core/config/config-json.ts'
import { TwinfoldError } from '../core/errors.ts'
import { settingName } from './config-names.ts'

/** One node of the configuration: its value, and how a change is sent to the daemon. */
export type ConfigNode = ObjectNode | ValueNode | ListNode | ParamsNode

interface Removable {
  /** Only items of a list can be removed. */
  readonly remove?: () => Promise<void>
}

export interface ObjectNode extends Removable {
  readonly is: 'object'
  readonly value: JsonObject
  /** By their names on the command line; only those that the daemon returned. */
  readonly settings: ReadonlyMap<string, () => ConfigNode>
}

/** The type of a value; the daemon validates the rest. */
export type ValueForm = 'bool' | 'int' | 'float' | 'text'

interface ValueNode extends Removable {
  readonly is: 'value'
  readonly form: ValueForm
  readonly value: Json
  set(value: Json): Promise<void>
}

export interface ListNode {
  readonly is: 'list'
  /** The fields of an item; undefined for a list of texts. */
  readonly table: AnyTable | undefined
  /** By their keys; items without a key by their position. */
  readonly items: ReadonlyMap<string, () => ConfigNode>
  /** Other names of items, with their keys: those of devices and labels of folders that only one item has. */
  readonly names?: ReadonlyMap<string, string>
  add(item: Json): Promise<void>
}

export interface ParamsNode {
  readonly is: 'params'
  readonly value: ReadonlyMap<string, string>
  set(key: string, value: string): Promise<void>
  unset(key: string): Promise<void>
}

/** Sends one change to the daemon. */
export type SendChange = (method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: Json) => Promise<void>

/** A merge keeps the fields that are not given; a replacement drops them. */
type How = 'merge' | 'replace'
type Save = (value: Json, how: How) => Promise<void>
type SaveField = (key: string, value: Json, how: How) => Promise<void>
type Settings = Readonly<Record<string, { readonly kind: Kind }>>

const SIZE: Settings = { value: { kind: { is: 'float' } }, unit: { kind: { is: 'text' } } }

/**
 * The configuration as a tree. Every change is sent for the smallest part that the daemon can change alone, so that a
 * concurrent change of another part is not undone.
 */
export function configTree(config: JsonObject, send: SendChange): ObjectNode {
  const saveWhole: SaveField = (key, value) => send('PUT', '/rest/config', { ...config, [key]: value })
  const part = (key: string, table: AnyTable) => () =>
    partNode(table, objectAt(config, key), `/rest/config/${key}`, send)
  const settings = new Map<string, () => ConfigNode>([
    ['version', () => versionNode(config['version'] ?? null)],
    ['folders', () => collectionNode('folders', FOLDER, 'id', config, send)],
    ['devices', () => collectionNode('devices', DEVICE, 'deviceID', config, send)],
    ['gui', part('gui', GUI)],
    ['ldap', part('ldap', LDAP)],
    ['options', part('options', OPTIONS)],
    ['ignored-devices', () => ignoredDevicesNode(config, saveWhole)],
    ['defaults', () => defaultsNode(objectAt(config, 'defaults'), send)],
  ])
  return { is: 'object', value: config, settings }
}

function versionNode(value: Json): ValueNode {
  const set = () =>
    Promise.reject(new TwinfoldError('refused', 'the version of the configuration is set by the daemon alone'))
  return { is: 'value', form: 'int', value, set }
}

function ignoredDevicesNode(config: JsonObject, saveWhole: SaveField): ConfigNode {
  const key = 'remoteIgnoredDevices'
  const kind: Kind = { is: 'sections', table: OBSERVED_DEVICE, identity: 'deviceID' }
  return nodeOf(kind, config[key] ?? null, (value, how) => saveWhole(key, value, how))
}

function defaultsNode(defaults: JsonObject, send: SendChange): ObjectNode {
  const part = (key: string, table: AnyTable) => () =>
    partNode(table, objectAt(defaults, key), `/rest/config/defaults/${key}`, send)
  const ignores = () => {
    const value = objectAt(defaults, 'ignores')
    return objectNode(DEFAULT_IGNORES, value, (key, inner) =>
      send('PUT', '/rest/config/defaults/ignores', { ...value, [key]: inner }),
    )
  }
  const settings = new Map([
    ['folder', part('folder', FOLDER)],
    ['device', part('device', DEVICE)],
    ['ignores', ignores],
  ])
  return { is: 'object', value: defaults, settings }
}

/** A part with its own route. */
function partNode(table: AnyTable, value: JsonObject, path: string, send: SendChange): ObjectNode {
  return objectNode(table, value, (key, inner, how) =>
    how === 'merge' ? send('PATCH', path, { [key]: inner }) : send('PUT', path, { ...value, [key]: inner }),
  )
}

/** Folders or devices: each has a route, under its key. */
function collectionNode(
  name: 'folders' | 'devices',
  table: AnyTable,
  identity: string,
  config: JsonObject,
  send: SendChange,
): ListNode {
  const list = listAt(config, name)
  const deviceNames = namesOf(listAt(config, 'devices'), 'name', 'deviceID')
  const items = new Map<string, () => ConfigNode>()
  for (const [index, value] of list.entries()) {
    const key = String(value[identity] ?? '')
    const path = `/rest/config/${name}/${encodeURIComponent(key)}`
    items.set(key, () => {
      const item = partNode(table, value, path, send)
      // Under a new key the daemon would keep both: only the whole list removes the old one.
      const rename = (id: Json) =>
        send('PUT', '/rest/config', { ...config, [name]: list.with(index, { ...value, [identity]: id }) })
      const settings = new Map(item.settings).set(settingName(table, identity), () => ({
        is: 'value',
        form: 'text',
        value: key,
        set: rename,
      }))
      const devices = item.settings.get('devices')?.()
      if (devices?.is === 'list') settings.set('devices', () => ({ ...devices, names: deviceNames }))
      return { ...item, settings, remove: () => send('DELETE', path) }
    })
  }
  const add = (item: Json) => {
    refuseDouble(items, item, identity)
    return send('POST', `/rest/config/${name}`, item)
  }
  const names = name === 'devices' ? deviceNames : namesOf(list, 'label', identity)
  return { is: 'list', table, items, names, add }
}

/** By a name that is not empty and belongs to one item only. */
function namesOf(list: readonly JsonObject[], name: string, identity: string): ReadonlyMap<string, string> {
  const groups = Map.groupBy(list, (item) => String(item[name] ?? ''))
  return new Map(
    [...groups].flatMap(([text, [first, ...more]]) =>
      text === '' || first === undefined || more.length > 0 ? [] : [[text, String(first[identity] ?? '')] as const],
    ),
  )
}

function nodeOf(kind: Kind, value: Json, save: Save): ConfigNode {
  switch (kind.is) {
    case 'section': {
      const inner = isJsonObject(value) ? value : {}
      return objectNode(kind.table, inner, (key, field, how) => save({ ...inner, [key]: field }, how))
    }
    case 'size': {
      const inner = isJsonObject(value) ? value : {}
      return objectNode(SIZE, inner, (key, field, how) => save({ ...inner, [key]: field }, how))
    }
    case 'params':
      return paramsNode(isJsonObject(value) ? value : {}, save)
    case 'texts':
    case 'sections':
      return listNode(kind, Array.isArray(value) ? value : [], save)
    default:
      return { is: 'value', form: valueForm(kind), value, set: (next) => save(next, 'merge') }
  }
}

export function valueForm(kind: Kind): ValueForm {
  return kind.is === 'bool' || kind.is === 'int' || kind.is === 'float' ? kind.is : 'text'
}

function objectNode(table: Settings, value: JsonObject, saveField: SaveField): ObjectNode {
  const settings = new Map<string, () => ConfigNode>()
  for (const [key, { kind }] of Object.entries(table)) {
    if (!Object.hasOwn(value, key)) continue
    settings.set(settingName(table, key), () =>
      nodeOf(kind, value[key] ?? null, (next, how) => saveField(key, next, how)),
    )
  }
  return { is: 'object', value, settings }
}

function listNode(kind: Extract<Kind, { is: 'texts' | 'sections' }>, list: readonly Json[], save: Save): ListNode {
  const identity = kind.is === 'sections' ? kind.identity : undefined
  const itemKind: Kind = kind.is === 'sections' ? { is: 'section', table: kind.table } : { is: 'text' }
  const keys = list.map((item, index) =>
    identity !== undefined && isJsonObject(item) ? String(item[identity] ?? '') : String(index),
  )
  const items = new Map<string, () => ConfigNode>()
  for (const [index, value] of list.entries()) {
    const remove = () => save(list.toSpliced(index, 1), 'merge')
    items.set(keys[index]!, () => ({
      ...nodeOf(itemKind, value, (next, how) => save(list.with(index, next), how)),
      remove,
    }))
  }
  const add = (item: Json) => {
    if (identity !== undefined) refuseDouble(items, item, identity)
    return save([...list, item], 'merge')
  }
  return { is: 'list', table: kind.is === 'sections' ? kind.table : undefined, items, add }
}

function paramsNode(value: JsonObject, save: Save): ParamsNode {
  const entries = new Map(Object.entries(value).map(([key, text]) => [key, String(text)]))
  return {
    is: 'params',
    value: entries,
    set: (key, text) => save({ ...value, [key]: text }, 'merge'),
    unset: (key) => save(Object.fromEntries([...entries].filter(([name]) => name !== key)), 'replace'),
  }
}

/** The daemon would replace an existing item, which `add` must not do. */
function refuseDouble(items: ReadonlyMap<string, unknown>, item: Json, identity: string): void {
  const key = isJsonObject(item) ? item[identity] : undefined
  if (typeof key === 'string' && items.has(key)) throw new TwinfoldError('refused', `"${key}" already exists`)
}

function objectAt(parent: JsonObject, key: string): JsonObject {
  const value = parent[key] ?? null
  return isJsonObject(value) ? value : {}
}

function listAt(parent: JsonObject, key: string): readonly JsonObject[] {
  const value = parent[key]
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}
