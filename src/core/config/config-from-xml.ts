import type { Config } from './config.ts'
import { CONFIG_VERSION_2X } from './config-fields.ts'
import { CONFIGURATION, ROOT, type ConfigDocument, type UnknownNodes } from './config-document.ts'
import { fieldsOf, type AnyTable, type Field, type Kind } from './field.ts'
import { sortedParams } from './config-json.ts'
import { attributeOf, element, textOfElement, type XmlElement, type XmlNode } from './xml-tree.ts'
import { errorAt, decimal, scalar, wholeNumber } from './xml-values.ts'

/**
 * Reads a configuration. Missing settings get their defaults; unknown nodes are kept separately. Throws
 * `config-invalid` with line and name for an invalid value.
 */
export function configFromXml(root: XmlElement): ConfigDocument {
  if (root.name !== ROOT) throw errorAt(root, `the root element is <${root.name}>, not <${ROOT}>`)
  const unknowns = new Map<string, UnknownNodes>()
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
  readonly unknowns: Map<string, UnknownNodes>
}

function readSection(table: AnyTable, source: XmlElement, reading: Reading): object {
  const { fields, attributes, kinds } = namesIn(table)
  keepUnknown(source, reading, { attributes, kinds })
  const elements = new Map<string, XmlElement[]>()
  for (const node of source.children) {
    if (node.is !== 'element' || !kinds.has(node.name)) continue
    const same = elements.get(node.name)
    if (same === undefined) elements.set(node.name, [node])
    else same.push(node)
  }
  const read: Record<string, unknown> = {}
  for (const [key, field] of fields)
    read[key] = readField(field, source, (field.attribute ? undefined : elements.get(field.xml)) ?? [], reading)
  return read
}

/** Of a table: its fields, the names of its attributes, and the kinds of its elements by name. */
interface TableNames {
  readonly fields: readonly (readonly [string, Field<unknown>])[]
  readonly attributes: ReadonlySet<string>
  readonly kinds: ReadonlyMap<string, Kind>
}

const namesByTable = new WeakMap<AnyTable, TableNames>()

/** The same for each of many folders. */
function namesIn(table: AnyTable): TableNames {
  const known = namesByTable.get(table)
  if (known !== undefined) return known
  const fields = Object.entries(table)
  const names: TableNames = {
    fields,
    attributes: new Set(fields.flatMap(([, { attribute, xml }]) => (attribute ? [xml] : []))),
    kinds: new Map(fields.flatMap(([, { attribute, kind, xml }]) => (attribute ? [] : [[xml, kind] as const]))),
  }
  namesByTable.set(table, names)
  return names
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

function keepUnknown(
  source: XmlElement,
  reading: Reading,
  { attributes, kinds }: Pick<TableNames, 'attributes' | 'kinds'>,
): void {
  const nodes: { node: XmlNode; before: string | undefined }[] = []
  let waiting: XmlNode[] = []
  const flush = (before: string | undefined) => {
    for (const node of waiting) nodes.push({ node, before })
    waiting = []
  }
  for (const node of source.children) {
    const kind = node.is === 'element' ? kinds.get(node.name) : undefined
    if (node.is === 'element' && kind !== undefined) {
      if (waiting.length > 0) flush(keyOf(kind, node))
    } else if (node.is !== 'text') waiting.push(node)
    else if (node.text.trim() !== '') throw errorAt(source, `<${source.name}> holds text where only elements belong`)
  }
  flush(undefined)
  const strange = source.attributes.filter(([name]) => !attributes.has(name))
  if (nodes.length > 0 || strange.length > 0) reading.unknowns.set(reading.place, { attributes: strange, nodes })
}

function single(found: readonly XmlElement[]): readonly XmlElement[] {
  const second = found[1]
  if (second !== undefined) throw errorAt(second, `<${second.name}> is given twice; remove one`)
  return found
}

function readParams(found: readonly XmlElement[]): Readonly<Record<string, string>> {
  return sortedParams(found.map((item) => [attributeOf(item, 'key') ?? '', attributeOf(item, 'val') ?? '']))
}
