import { inOrder, type AttributeList } from './attributes.ts'
import type { ExtendedAttribute } from './platform-view.ts'

const HEADER = '# file: '
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const BASE64_MARK = '0s'
const ESCAPED = /\\([0-3][0-7]{2})/g
/** Bytes that stand for themselves. Everything else is written as three octal digits. */
const PLAIN_BYTE = /^[A-Za-z0-9._/-]$/

/**
 * Reads what `getfattr --dump --encoding=base64` writes, by the path that it names. Items without attributes are not in
 * there. Undefined for anything that it does not write. An attribute whose name is no text is left out: no record could
 * carry it.
 */
export function parseAttributeDump(dump: Uint8Array): ReadonlyMap<string, AttributeList> | undefined {
  // One character per byte until the names are put together.
  const text = Buffer.from(dump.buffer, dump.byteOffset, dump.length).toString('latin1')
  if (text !== '' && !text.endsWith('\n\n')) return undefined // cut short
  const items = new Map<string, AttributeList>()
  for (const part of text === '' ? [] : text.slice(0, -2).split('\n\n')) {
    const [header, ...lines] = part.split('\n')
    const path = header?.startsWith(HEADER) === true ? plainOf(header.slice(HEADER.length)) : undefined
    const attributes = lines.map(attributeOf)
    if (path === undefined || path === '' || items.has(path) || !attributes.every((each) => each !== undefined))
      return undefined
    items.set(path, inOrder(attributes.filter((each) => each !== NO_TEXT)))
  }
  return items
}

/** An attribute that cannot be told of. */
const NO_TEXT: ExtendedAttribute = { name: '', value: new Uint8Array(0) }

function attributeOf(line: string): ExtendedAttribute | undefined {
  const equals = line.indexOf('=')
  const quoted = equals < 0 ? line : line.slice(0, equals)
  const value = equals < 0 ? '' : line.slice(equals + 1)
  if (quoted === '' || (equals >= 0 && !value.startsWith(BASE64_MARK))) return undefined
  const encoded = value.slice(BASE64_MARK.length)
  if (!BASE64.test(encoded)) return undefined
  const bytes = unquoted(quoted)
  if (bytes === undefined) return undefined
  const name = textOf(bytes)
  return name === undefined ? NO_TEXT : { name, value: Buffer.from(encoded, 'base64') }
}

function plainOf(quoted: string): string | undefined {
  const bytes = unquoted(quoted)
  return bytes && textOf(bytes)
}

function unquoted(quoted: string): Buffer | undefined {
  if (quoted.replaceAll(ESCAPED, '').includes('\\')) return undefined
  return Buffer.from(
    quoted.replaceAll(ESCAPED, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8))),
    'latin1',
  )
}

/** Undefined for bytes that are no UTF-8: made into text they would be another name. */
function textOf(bytes: Buffer): string | undefined {
  const text = bytes.toString()
  return Buffer.from(text).equals(bytes) ? text : undefined
}

/** What `setfattr --restore` reads to set these attributes on one item. */
export function formatAttributeDump(path: string, attributes: AttributeList): string {
  const lines = attributes.map(({ name, value }) => {
    // An empty value is told by saying none: the empty one in base64 is passed over without a word.
    return value.length === 0
      ? quotedOf(name)
      : `${quotedOf(name)}=${BASE64_MARK}${Buffer.from(value).toString('base64')}`
  })
  return [HEADER + quotedOf(path), ...lines, '', ''].join('\n')
}

function quotedOf(text: string): string {
  return Array.from(Buffer.from(text).toString('latin1'), (byte) =>
    PLAIN_BYTE.test(byte) ? byte : `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`,
  ).join('')
}
