import { inOrder, type AttributeList } from './attributes.ts'
import type { ExtendedAttribute } from './platform-view.ts'

const HEADER = '# file: '
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const BASE64_MARK = '0s'
const ESCAPED = /\\([0-3][0-7]{2})/g
/** Bytes that are written unescaped. All others are written as three octal digits. */
const PLAIN_BYTE = /^[A-Za-z0-9._/-]$/

/**
 * Parses the output of `getfattr --dump --encoding=base64`, by path. Items without attributes are missing from it.
 * Undefined for any other text. An attribute whose name is not valid UTF-8 is left out: no record can hold it.
 */
export function parseAttributeDump(dump: Uint8Array): ReadonlyMap<string, AttributeList> | undefined {
  // One character per byte until the names are decoded.
  const text = Buffer.from(dump.buffer, dump.byteOffset, dump.length).toString('latin1')
  if (text !== '' && !text.endsWith('\n\n')) return undefined // truncated
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

/** An attribute that no record can hold. */
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

/** Undefined for bytes that are not UTF-8: decoding would give another name. */
function textOf(bytes: Buffer): string | undefined {
  const text = bytes.toString()
  return Buffer.from(text).equals(bytes) ? text : undefined
}

/** The input of `setfattr --restore` that sets these attributes on one item. */
export function formatAttributeDump(path: string, attributes: AttributeList): string {
  const lines = attributes.map(({ name, value }) => {
    // An empty value is written as none: `setfattr` ignores an empty base64 value.
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
