import type { Config } from './config.ts'
import { DEFAULTS, DEVICE, FOLDER, GUI, LDAP, OBSERVED_DEVICE, OPTIONS } from './config-fields.ts'
import { field, fieldsOf, int, section, sections, type AnyTable, type Field, type Fields, type Table } from './field.ts'
import { TwinfoldError } from '../errors.ts'
import { REDACTED, redactAddress, secretsOfAddress } from '../redact-address.ts'

const CONFIG: Table<Config> = {
  version: int(0),
  folders: sections(FOLDER, 'folder', 'id'),
  devices: sections(DEVICE, 'device', 'deviceID'),
  gui: section(GUI),
  ldap: section(LDAP),
  options: section(OPTIONS),
  remoteIgnoredDevices: sections(OBSERVED_DEVICE, 'remoteIgnoredDevice', 'deviceID'),
  defaults: field(section(DEFAULTS).kind, section(DEFAULTS).default, {}),
}

/** Every setting of the configuration. */
export const CONFIG_FIELDS: AnyTable = CONFIG

/** Parameters of versioners that hold no secret; any other one may, as the command of an external one does. */
const PUBLIC_PARAMS: ReadonlySet<string> = new Set([
  'cleanInterval',
  'cleanoutDays',
  'fsPath',
  'fsType',
  'keep',
  'maxAge',
  'versionsPath',
])
/** How the secrets of one table are changed, by its fields. Fields without secrets are not visited. */
type Visit = (field: Field<unknown>, value: unknown, other: unknown, path: string) => unknown

/**
 * The configuration in the same form without its secrets. `personal` are names of users and of the installation, which
 * are no secrets.
 */
export function redactConfig(config: Config, options: { readonly personal: boolean }): Config {
  return visited(config, undefined, ({ secrecy }, value) => {
    if (secrecy === 'personal' && !options.personal) return value
    if (secrecy === 'address') return mapTexts(value, redactAddress)
    if (secrecy === 'params') return mapParams(value, () => REDACTED)
    return value === '' ? '' : REDACTED
  })
}

/**
 * A changed configuration with its redacted secrets as they are now: some programs send back what an event contains.
 * Throws `bad-request` for one that is not known, as of a folder that was removed meanwhile.
 */
export function restoreRedacted(current: Config, next: Config): Config {
  return visited(next, current, ({ secrecy }, value, now, path) => {
    if (secrecy === 'personal') return value
    if (secrecy === 'address') {
      const known = new Map(textsOf(now).map((text) => [redactAddress(text), text]))
      return mapTexts(value, (text) => (text.includes(REDACTED) ? (known.get(text) ?? missing(path)) : text))
    }
    if (secrecy === 'params') {
      return mapParams(value, (text, key) => (text === REDACTED ? known(fieldsOf(now)[key], path) : text))
    }
    return value === REDACTED ? known(now, path) : value
  })
}

/** The secrets themselves, in every form in which a text may contain them. */
export function secretsIn(config: Config): readonly string[] {
  const found = new Set<string>()
  visited(config, undefined, ({ secrecy }, value) => {
    if (secrecy === 'address')
      for (const text of textsOf(value)) secretsOfAddress(text).forEach((one) => found.add(one))
    else if (secrecy === 'params') mapParams(value, (text) => (found.add(text), text))
    else if (secrecy !== 'personal') found.add(String(value))
    return value
  })
  found.delete('')
  return [...found]
}

/** The fields that hold secrets, or parts which do. */
const secretFields = new WeakMap<AnyTable, readonly (readonly [string, Field<unknown>])[]>()

function secretFieldsOf(table: AnyTable): readonly (readonly [string, Field<unknown>])[] {
  const known = secretFields.get(table)
  if (known !== undefined) return known
  const found = Object.entries(table).filter(
    ([, { kind, secrecy }]) => secrecy !== undefined || ('table' in kind && secretFieldsOf(kind.table).length > 0),
  )
  secretFields.set(table, found)
  return found
}

function visited(config: Config, other: Config | undefined, visit: Visit): Config {
  return visitTable(CONFIG, fieldsOf(config), fieldsOf(other), visit, '') as unknown as Config
}

function visitTable(table: AnyTable, value: Fields, other: Fields, visit: Visit, path: string): Fields {
  let result = value
  for (const [key, field] of secretFieldsOf(table)) {
    const place = path === '' ? key : `${path}.${key}`
    const next = visitField(field, [value[key], other[key]], visit, place)
    // An unchanged part stays the same object: the store tells by that what a change replaces.
    if (!isSame(next, value[key])) result = { ...result, [key]: next }
  }
  return result
}

function visitField(field: Field<unknown>, [value, now]: [unknown, unknown], visit: Visit, path: string): unknown {
  const { kind } = field
  if (kind.is === 'section') return visitTable(kind.table, fieldsOf(value), fieldsOf(now), visit, path)
  if (kind.is === 'sections') return visitList(kind, listOf(value), listOf(now), visit, path)
  return visit(field, value, now, path)
}

/** Whether it is the same value, or a list or object of the same values. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  const [left, right] = [Object.entries(a), b as Fields]
  return left.length === Object.keys(b).length && left.every(([key, value]) => value === right[key])
}

function visitList(
  { table, identity }: { readonly table: AnyTable; readonly identity?: string },
  values: readonly Fields[],
  others: readonly Fields[],
  visit: Visit,
  path: string,
): readonly Fields[] {
  return values.map((value, i) => {
    const other = identity === undefined ? others[i] : others.find((one) => one[identity] === value[identity])
    const name = identity === undefined ? i : String(value[identity])
    return visitTable(table, value, other ?? {}, visit, `${path}[${name}]`)
  })
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : []
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : value === undefined ? [] : [String(value)]
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  return Array.isArray(value) ? value.map((text) => change(String(text))) : change(String(value))
}

function mapParams(value: unknown, change: (text: string, key: string) => string): unknown {
  const entries = Object.entries(fieldsOf(value)).map(([key, text]) => [
    key,
    PUBLIC_PARAMS.has(key) || text === '' ? text : change(String(text), key),
  ])
  return Object.fromEntries(entries)
}

function known(value: unknown, path: string): string {
  return typeof value === 'string' && value !== '' ? value : missing(path)
}

function missing(path: string): never {
  throw new TwinfoldError('bad-request', `${path}: is redacted; load the configuration again and repeat the change`)
}
