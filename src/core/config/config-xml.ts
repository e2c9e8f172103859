import type { Config } from './config.ts'
import {
  CONFIG_VERSION_2X,
  DEFAULTS,
  DEVICE,
  FOLDER,
  GUI,
  LDAP,
  OBSERVED_DEVICE,
  OPTIONS,
  TIME_ZERO,
  fieldsOf,
  type AnyTable,
  type Field,
  type Fields,
  type Kind,
} from './config-fields.ts'
import { choiceFromText, isTime, sortedParams } from './config-json.ts'
import { parseDeviceIdOrEmpty } from '../device-id.ts'
import { TwinfoldError, messageOf, unreachable } from '../errors.ts'
import { attributeOf, element, textElement, textOfElement, type XmlElement, type XmlNode } from './xml-tree.ts'

/** Unknown nodes of one element of the file: kept, and written back in their place. */
interface Unknown {
  readonly attributes: readonly (readonly [string, string])[]
  readonly nodes: readonly { readonly node: XmlNode; readonly before: string | undefined }[]
}

/** By place: `configuration`, `configuration/folder:photos`, `configuration/options`, … */
export type Unknowns = ReadonlyMap<string, Unknown>

export interface ConfigDocument {
  readonly config: Config
  readonly unknowns: Unknowns
}

const ROOT = 'configuration'

/** The whole file as a table: its parts are sections. */
const CONFIGURATION: AnyTable = {
  version: { kind: { is: 'int' }, xml: 'version', attribute: true, default: 0, omitEmpty: false },
  folders: list(FOLDER, 'folder', 'id'),
  devices: list(DEVICE, 'device', 'deviceID'),
  gui: part(GUI, 'gui'),
  ldap: part(LDAP, 'ldap'),
  options: part(OPTIONS, 'options'),
  remoteIgnoredDevices: list(OBSERVED_DEVICE, 'remoteIgnoredDevice', 'deviceID'),
  defaults: part(DEFAULTS, 'defaults'),
}

function list(table: AnyTable, xml: string, identity: string): Field<unknown> {
  return { kind: { is: 'sections', table, identity }, xml, attribute: false, default: [], omitEmpty: false }
}

function part(table: AnyTable, xml: string): Field<unknown> {
  return { kind: { is: 'section', table }, xml, attribute: false, default: undefined, omitEmpty: false }
}

/**
 * Reads a configuration. Missing settings get their defaults; unknown nodes are kept separately. Throws
 * `config-invalid` with line and name for an invalid value.
 */
export function configFromXml(root: XmlElement): ConfigDocument {
  if (root.name !== ROOT) throw at(root, `the root element is <${root.name}>, not <${ROOT}>`)
  const unknowns = new Map<string, Unknown>()
  const version = versionOf(root)
  const config = readSection(CONFIGURATION, root, { place: ROOT, version, unknowns }) as Config
  return { config, unknowns }
}

/** The format number of a file; a file without one has the oldest format. */
export function versionOf(root: XmlElement): number {
  const text = attributeOf(root, 'version')
  return text === undefined ? 0 : wholeNumber(root, 'version', text)
}

interface Reading {
  readonly place: string
  readonly version: number
  readonly unknowns: Map<string, Unknown>
}

function readSection(table: AnyTable, source: XmlElement, reading: Reading): object {
  const attributes = new Set<string>()
  const elements = new Map<string, XmlElement[]>()
  for (const field of Object.values(table)) {
    if (field.attribute) attributes.add(field.xml)
    else elements.set(field.xml, [])
  }
  keepUnknown(table, source, reading, attributes)
  for (const node of source.children) {
    if (node.is === 'element') elements.get(node.name)?.push(node)
  }
  const entries = Object.entries(table).map(([key, field]) => [
    key,
    readField(field, source, elements.get(field.xml) ?? [], reading),
  ])
  return Object.fromEntries(entries)
}

function readField(field: Field<unknown>, source: XmlElement, found: readonly XmlElement[], reading: Reading): unknown {
  const { kind } = field
  if (kind.is === 'texts') return found.length === 0 ? field.default : found.map(textOfElement)
  if (kind.is === 'params') return readParams(found)
  if (kind.is === 'sections') return found.map((item) => readItem(kind, item, reading))
  if (kind.is === 'section') {
    const [first = element(field.xml)] = single(found)
    const read = readSection(kind.table, first, { ...reading, place: `${reading.place}/${field.xml}` })
    // The folder defaults have their own default (`path`), which also applies to a file without <defaults>.
    return found.length === 0 ? { ...read, ...fieldsOf(field.default) } : read
  }
  const [first] = single(found)
  const text = field.attribute ? attributeOf(source, field.xml) : first && textOfElement(first)
  if (text === undefined) return defaultFor(field, reading.version)
  if (kind.is === 'size') {
    return { value: decimal(first ?? source, field.xml, text), unit: attributeOf(first ?? source, 'unit') ?? '' }
  }
  return scalar(kind, first ?? source, field.xml, text)
}

/** Two settings have another default in the 2.x formats. */
function defaultFor(field: Field<unknown>, version: number): unknown {
  if (field.xml === 'maxConcurrentWrites' && version > CONFIG_VERSION_2X) return 16
  if (field.xml === 'reconnectionIntervalS' && version > CONFIG_VERSION_2X + 1) return 20
  return field.default
}

function readItem(kind: Kind & { readonly is: 'sections' }, item: XmlElement, reading: Reading): object {
  return readSection(kind.table, item, { ...reading, place: `${reading.place}/${keyOf(kind, item)}` })
}

/** `folder:photos` for entries with an identity, else just `entry`. */
function keyOf(kind: Kind, item: XmlElement): string {
  const identity = kind.is === 'sections' && kind.identity !== undefined ? kind.table[kind.identity] : undefined
  const text = identity && attributeOf(item, identity.xml)
  if (identity === undefined || text === undefined) return item.name
  return `${item.name}:${identity.kind.is === 'device' ? scalar(identity.kind, item, identity.xml, text) : text}`
}

function keepUnknown(table: AnyTable, source: XmlElement, reading: Reading, attributes: ReadonlySet<string>): void {
  const kinds = new Map(
    Object.values(table)
      .filter((one) => !one.attribute)
      .map((one) => [one.xml, one.kind]),
  )
  const nodes: { node: XmlNode; before: string | undefined }[] = []
  let waiting: XmlNode[] = []
  const flush = (before: string | undefined) => {
    nodes.push(...waiting.map((node) => ({ node, before })))
    waiting = []
  }
  for (const node of source.children) {
    const kind = node.is === 'element' ? kinds.get(node.name) : undefined
    if (node.is === 'element' && kind !== undefined) flush(keyOf(kind, node))
    else if (node.is !== 'text') waiting.push(node)
    else if (node.text.trim() !== '') throw at(source, `<${source.name}> holds text where only elements belong`)
  }
  flush(undefined)
  const strange = source.attributes.filter(([name]) => !attributes.has(name))
  if (nodes.length > 0 || strange.length > 0) reading.unknowns.set(reading.place, { attributes: strange, nodes })
}

function single(found: readonly XmlElement[]): readonly XmlElement[] {
  const second = found[1]
  if (second !== undefined) throw at(second, `<${second.name}> is given twice; remove one`)
  return found
}

function readParams(found: readonly XmlElement[]): Readonly<Record<string, string>> {
  return sortedParams(found.map((item) => [attributeOf(item, 'key') ?? '', attributeOf(item, 'val') ?? '']))
}

function scalar(kind: Kind, source: XmlElement, name: string, text: string): unknown {
  switch (kind.is) {
    case 'bool':
      return truth(source, name, text)
    case 'int':
      return wholeNumber(source, name, text)
    case 'float':
      return decimal(source, name, text)
    case 'text':
      return text
    case 'choice':
      return choiceFromText(kind, text)
    case 'time':
      if (text === '') return TIME_ZERO
      if (isTime(text)) return text
      throw at(source, `${name}="${shown(text)}" is no time like 2024-01-31T12:00:00Z`)
    case 'device':
      try {
        return parseDeviceIdOrEmpty(text)
      } catch (error) {
        throw at(source, `${name}: ${messageOf(error)}`)
      }
    case 'size':
    case 'params':
    case 'texts':
    case 'section':
    case 'sections':
      throw new Error(`${name} is no single value`)
    default:
      return unreachable(kind)
  }
}

function truth(source: XmlElement, name: string, text: string): boolean {
  const trimmed = text.trim()
  if (/^(1|t|T|TRUE|true|True)$/.test(trimmed)) return true
  if (/^(0|f|F|FALSE|false|False|)$/.test(trimmed)) return false
  throw at(source, `${name} is "${shown(text)}" and must be true or false`)
}

function wholeNumber(source: XmlElement, name: string, text: string): number {
  const trimmed = text.trim()
  const value = trimmed === '' ? 0 : Number(trimmed)
  if (!/^([+-]?\d+)?$/.test(trimmed) || !Number.isSafeInteger(value)) {
    throw at(source, `${name} is "${shown(text)}" and must be a whole number`)
  }
  return value
}

function decimal(source: XmlElement, name: string, text: string): number {
  const trimmed = text.trim()
  const value = trimmed === '' ? 0 : Number(trimmed)
  if (!/^([+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)?$/.test(trimmed) || !Number.isFinite(value)) {
    throw at(source, `${name} is "${shown(text)}" and must be a number`)
  }
  return value
}

/** Truncates a value for error messages. */
function shown(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

function at(source: XmlElement, message: string): TwinfoldError {
  return new TwinfoldError('config-invalid', `line ${source.line}: ${message}`)
}

/** The tree of a configuration, with unknown nodes back in their place. */
export function configToXml({ config, unknowns }: ConfigDocument): XmlElement {
  return writeSection(CONFIGURATION, fieldsOf(config), ROOT, { place: ROOT, version: config.version, unknowns })
}

interface Writing {
  readonly place: string
  readonly version: number
  readonly unknowns: Unknowns
}

function writeSection(table: AnyTable, value: Fields, name: string, writing: Writing): XmlElement {
  const unknown = writing.unknowns.get(writing.place)
  const attributes: (readonly [string, string])[] = []
  const known: { key: string; node: XmlElement }[] = []
  for (const [key, field] of Object.entries(table)) {
    if (!isWritten(field, value[key], writing.version)) continue
    if (field.attribute) attributes.push([field.xml, String(value[key])])
    else known.push(...writeField(field, value[key], writing))
  }
  return element(name, [...attributes, ...(unknown?.attributes ?? [])], mergeNodes(known, unknown?.nodes ?? []))
}

function isWritten(field: Field<unknown>, value: unknown, version: number): boolean {
  const foreign = field.only === (version < CONFIG_VERSION_2X ? '2.x' : '1.x')
  if (foreign && value === field.default) return false
  if (!field.omitEmpty) return true
  if (field.kind.is === 'choice') return value !== field.kind.values[0]
  return value !== '' && value !== 0 && value !== false
}

function writeField(field: Field<unknown>, value: unknown, writing: Writing): { key: string; node: XmlElement }[] {
  const { kind, xml } = field
  const one = (node: XmlElement) => ({ key: xml, node })
  if (kind.is === 'section') {
    return [one(writeSection(kind.table, fieldsOf(value), xml, { ...writing, place: `${writing.place}/${xml}` }))]
  }
  if (kind.is === 'sections' && Array.isArray(value)) {
    return value.map((item: unknown) => writeItem(kind, xml, fieldsOf(item), writing))
  }
  if (kind.is === 'texts' && Array.isArray(value)) return value.map((text) => one(textElement(xml, String(text))))
  if (kind.is === 'params') {
    return Object.entries(fieldsOf(value)).map(([key, val]) =>
      one(
        element(xml, [
          ['key', key],
          ['val', String(val)],
        ]),
      ),
    )
  }
  if (kind.is === 'size') {
    const { value: amount, unit } = fieldsOf(value)
    return [one(element(xml, [['unit', String(unit)]], [{ is: 'text', text: String(amount) }]))]
  }
  return [one(textElement(xml, String(value)))]
}

function writeItem(
  kind: Kind & { readonly is: 'sections' },
  xml: string,
  item: Fields,
  writing: Writing,
): { key: string; node: XmlElement } {
  const key = kind.identity === undefined ? xml : `${xml}:${String(item[kind.identity])}`
  return { key, node: writeSection(kind.table, item, xml, { ...writing, place: `${writing.place}/${key}` }) }
}

/** Inserts each unknown node before its former successor; at the end, when that no longer exists. */
function mergeNodes(
  known: readonly { readonly key: string; readonly node: XmlElement }[],
  unknown: Unknown['nodes'],
): readonly XmlNode[] {
  const out: XmlNode[] = []
  const left = new Set(unknown)
  for (const { key, node } of known) {
    for (const entry of left) {
      if (entry.before !== key) continue
      out.push(entry.node)
      left.delete(entry)
    }
    out.push(node)
  }
  return [...out, ...[...left].map((entry) => entry.node)]
}
