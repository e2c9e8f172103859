import { CONFIG_VERSION_2X } from './config-fields.ts'
import {
  CONFIGURATION,
  ROOT,
  type ConfigDocument,
  type UnknownNodes,
  type UnknownNodesByPlace,
} from './config-document.ts'
import { fieldsOf, type AnyTable, type Field, type Fields, type Kind } from './field.ts'
import { element, textElement, type XmlElement, type XmlNode } from './xml-tree.ts'

/** The tree of a configuration, with unknown nodes back in their place. */
export function configToXml({ config, unknowns }: ConfigDocument): XmlElement {
  return writeSection(CONFIGURATION, fieldsOf(config), ROOT, { place: ROOT, version: config.version, unknowns })
}

interface Writing {
  readonly place: string
  readonly version: number
  readonly unknowns: UnknownNodesByPlace
}

function writeSection(table: AnyTable, value: Fields, name: string, writing: Writing): XmlElement {
  const unknown = writing.unknowns.get(writing.place)
  const attributes: (readonly [string, string])[] = []
  const known: { key: string; node: XmlElement }[] = []
  for (const [key, field] of Object.entries(table)) {
    if (!isWritten(field, value[key], writing.version)) continue
    if (field.attribute) attributes.push([field.xml, String(value[key])])
    else for (const written of writeField(field, value[key], writing)) known.push(written)
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
  unknown: UnknownNodes['nodes'],
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
