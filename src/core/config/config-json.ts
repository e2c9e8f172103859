import type { Config, Size } from './config.ts'
import { DEFAULTS, DEVICE, FOLDER, GUI, LDAP, OBSERVED_DEVICE, OPTIONS } from './config-fields.ts'
import { TIME_ZERO, fieldsOf, type AnyTable, type Field, type Fields, type Kind, type Table } from './field.ts'
import { parseDeviceIdOrEmpty } from '../device-id.ts'
import { TwinfoldError, unreachable } from '../errors.ts'

export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

/** Characters that no XML file can hold. */
// oxlint-disable-next-line no-control-regex
const UNSAVABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/

/** Whether a file can hold the text: a setting that it cannot hold would be lost or changed by the next start. */
function isSavable(text: string): boolean {
  return !UNSAVABLE.test(text) && text.isWellFormed()
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/

/** The base of a nested object when only some of its fields are given. */
export type Nested = 'keep' | 'reset-versioning'

/**
 * Merges a JSON object into a part of the configuration: given fields win, the others stay as in `base`. Names match in
 * any case, unknown ones are ignored. Throws `bad-request` with the path of a field that has the wrong type.
 */
export function layOver<T>(table: Table<T>, base: T, json: Json, path: string, nested: Nested): T {
  return layFields(table, fieldsOf(base), json, path, nested) as T
}

function layFields(table: AnyTable, base: Fields, json: Json, path: string, nested: Nested): object {
  const given = objectOf(json, path)
  const values = new Map<string, Json>()
  const names = new Map(Object.keys(table).map((key) => [key.toLowerCase(), key]))
  for (const [key, value] of Object.entries(given)) {
    const name = names.get(key.toLowerCase())
    if (name !== undefined) values.set(name, value)
  }
  const entries = Object.entries(table).map(([key, field]) => {
    const value = values.get(key)
    if (value === undefined) return [key, base[key]]
    return [key, fieldFromJson(field, base[key], value, join(path, key), nested)]
  })
  return Object.fromEntries(entries)
}

/** `null` leaves a value unchanged and empties a list, as existing clients expect. */
function fieldFromJson(field: Field<unknown>, base: unknown, json: Json, path: string, nested: Nested): unknown {
  const { kind } = field
  if (json === null && kind.is !== 'texts' && kind.is !== 'sections') return base
  switch (kind.is) {
    case 'bool':
      if (typeof json === 'boolean') return json
      throw wrongType(path, 'true or false', json)
    case 'int':
      if (typeof json === 'number' && Number.isSafeInteger(json)) return json
      throw wrongType(path, 'a whole number', json)
    case 'float':
      if (typeof json === 'number' && Number.isFinite(json)) return json
      throw wrongType(path, 'a number', json)
    case 'text':
      return textOf(json, path)
    case 'choice':
      return choiceFromText(kind, textOf(json, path))
    case 'device':
      return deviceOf(textOf(json, path), path)
    case 'time':
      return timeOf(textOf(json, path), path)
    case 'size':
      return sizeOf(base, json, path)
    case 'params':
      return paramsOf(base, json, path, nested)
    case 'texts':
      return listOf(json, path).map((item, i) => textOf(item, `${path}[${i}]`))
    case 'section': {
      const start = nested === 'reset-versioning' && path.endsWith('versioning') ? field.default : base
      return layFields(kind.table, fieldsOf(start), json, path, nested)
    }
    case 'sections':
      return listOf(json, path).map((item, i) => fromDefaults(kind.table, item, `${path}[${i}]`))
    default:
      return unreachable(kind)
  }
}

function fromDefaults(table: AnyTable, json: Json, path: string): object {
  const base = Object.fromEntries(Object.entries(table).map(([key, field]) => [key, field.default]))
  return layFields(table, base, json, path, 'keep')
}

/** An unknown value means the default, as in Syncthing. */
export function choiceFromText(kind: Kind & { readonly is: 'choice' }, text: string): string {
  if (kind.values.includes(text)) return text
  if (kind.old !== undefined && Object.hasOwn(kind.old, text)) return kind.old[text] ?? ''
  return kind.values[0] ?? ''
}

export function isTime(text: string): boolean {
  return TIME.test(text) && !Number.isNaN(Date.parse(text))
}

export function objectOf(json: Json, path: string): JsonObject {
  if (isJsonObject(json)) return json
  throw wrongType(path || 'the body', 'an object', json)
}

export function isJsonObject(json: Json): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}

export function listOf(json: Json, path: string): readonly Json[] {
  if (json === null) return []
  if (Array.isArray(json)) return json
  throw wrongType(path || 'the body', 'a list', json)
}

function textOf(json: Json, path: string): string {
  if (typeof json !== 'string') throw wrongType(path, 'a text', json)
  if (!isSavable(json)) throw bad(`${path}: holds a character that a configuration file cannot store`)
  return json
}

function deviceOf(text: string, path: string): string {
  try {
    return parseDeviceIdOrEmpty(text)
  } catch (error) {
    throw error instanceof TwinfoldError ? bad(`${path}: ${error.message}`) : error
  }
}

function timeOf(text: string, path: string): string {
  if (text === '') return TIME_ZERO
  if (!isTime(text)) throw bad(`${path}: must be a time like 2024-01-31T12:00:00Z`)
  return text
}

function sizeOf(base: unknown, json: Json, path: string): Size {
  const given = objectOf(json, path)
  const start = fieldsOf(base)
  const value = given['value'] ?? start['value']
  const unit = given['unit'] ?? start['unit']
  if (typeof value !== 'number') throw wrongType(join(path, 'value'), 'a number', given['value'] ?? null)
  if (typeof unit !== 'string') throw wrongType(join(path, 'unit'), 'a text', given['unit'] ?? null)
  return { value, unit: textOf(unit, join(path, 'unit')) }
}

function paramsOf(base: unknown, json: Json, path: string, nested: Nested): Readonly<Record<string, string>> {
  const given = Object.entries(objectOf(json, path)).map(([key, value]): [string, string] => [
    textOf(key, path),
    textOf(value, join(path, key)),
  ])
  const kept = nested === 'keep' ? paramEntries(base) : []
  return sortedParams([...kept, ...given])
}

function paramEntries(params: unknown): [string, string][] {
  return Object.entries(fieldsOf(params)).map(([key, value]) => [key, String(value)])
}

/** A canonical order, so that equal settings give equal texts. */
export function sortedParams(entries: readonly (readonly [string, string])[]): Readonly<Record<string, string>> {
  const last = new Map(entries)
  return Object.fromEntries([...last].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}

function bad(message: string): TwinfoldError {
  return new TwinfoldError('bad-request', message)
}

/** Names the kind of what was given, never its value: it may be a password. */
function wrongType(path: string, wanted: string, json: Json): TwinfoldError {
  return bad(`${path}: must be ${wanted}, not ${kindOf(json)}`)
}

function kindOf(json: Json): string {
  if (json === null) return 'null'
  if (typeof json === 'object') return Array.isArray(json) ? 'a list' : 'an object'
  return typeof json === 'number' ? 'such a number' : `a ${typeof json}`
}

/** A part in JSON form: every field, in Syncthing's order. */
export function toJson<T>(table: Table<T>, value: T): JsonObject {
  return fieldsToJson(table, fieldsOf(value)) as JsonObject
}

function fieldsToJson(table: AnyTable, value: Fields): object {
  const entries = Object.entries(table).map(([key, field]) => {
    const inner = value[key]
    if (field.kind.is === 'section') return [key, fieldsToJson(field.kind.table, fieldsOf(inner))]
    if (field.kind.is === 'sections' && Array.isArray(inner)) {
      const { table: items } = field.kind
      return [key, inner.map((item: unknown) => fieldsToJson(items, fieldsOf(item)))]
    }
    if (field.kind.is === 'params') return [key, sortedParams(paramEntries(inner))]
    if (field.kind.is === 'texts' && Array.isArray(inner)) return [key, [...inner]]
    return [key, inner]
  })
  return Object.fromEntries(entries)
}

/** The response of `GET /rest/config`. */
export function configToJson(config: Config): JsonObject {
  return {
    version: config.version,
    folders: config.folders.map((folder) => toJson(FOLDER, folder)),
    devices: config.devices.map((device) => toJson(DEVICE, device)),
    gui: toJson(GUI, config.gui),
    ldap: toJson(LDAP, config.ldap),
    options: toJson(OPTIONS, config.options),
    remoteIgnoredDevices: config.remoteIgnoredDevices.map((device) => toJson(OBSERVED_DEVICE, device)),
    defaults: toJson(DEFAULTS, config.defaults),
  }
}
