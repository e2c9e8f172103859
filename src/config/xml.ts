import { DOMParser } from '@xmldom/xmldom'
import { isSavable } from '../core/config-json.ts'
import { TwinfoldError } from '../core/errors.ts'
import type { XmlElement, XmlNode } from '../core/xml-tree.ts'

export const CONFIG_BYTES_MAX = 32 * 1024 * 1024
/** A configuration is five deep. */
const DEPTH_MAX = 64

/**
 * Bytes of a configuration file to a tree. UTF-8 only, a byte-order mark is skipped, both line ends are fine. Document
 * types and entities of one's own are refused before any parser sees them, so nothing is ever expanded or fetched.
 * Throws `config-invalid` with line and reason.
 */
export function parseXml(data: Uint8Array): XmlElement {
  const text = decode(data)
  guard(text)
  const document = parseDocument(text)
  const root = document.documentElement
  if (root === null) throw refuse(1, 'the file holds no element')
  return elementOf(root)
}

function decode(data: Uint8Array): string {
  if (data.length > CONFIG_BYTES_MAX) throw refuse(1, `the file is larger than ${CONFIG_BYTES_MAX / 1024 / 1024} MiB`)
  if ((data[0] === 0xff && data[1] === 0xfe) || (data[0] === 0xfe && data[1] === 0xff)) {
    throw refuse(1, 'the file is UTF-16; save it as UTF-8')
  }
  if (data.length === 0) throw refuse(1, 'the file is empty')
  const nul = data.indexOf(0)
  if (nul >= 0) throw refuse(lineAt(data, nul), 'a NUL byte: the file is damaged')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(data)
  } catch {
    throw refuse(lineAt(data, firstBadByte(data)), 'the text is not valid UTF-8')
  }
}

function lineAt(data: Uint8Array, end: number): number {
  let line = 1
  for (let i = 0; i < end; i++) if (data[i] === 0x0a) line++
  return line
}

/** Only for the message of a file that is refused anyway: halves until the shortest bad beginning is found. */
function firstBadByte(data: Uint8Array): number {
  let good = 0
  let bad = data.length
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(data.subarray(0, middle), { stream: true })
      good = middle
    } catch {
      bad = middle // this beginning is bad already
    }
  }
  return good
}

/**
 * One pass over the markup, before the parser: finds document types and nesting without building anything, so that a
 * file made to exhaust us costs no more than its length.
 */
function guard(text: string): void {
  let depth = 0
  let position = 0
  for (;;) {
    const start = text.indexOf('<', position)
    checkReferences(text, position, start < 0 ? text.length : start)
    if (start < 0) return
    if (text.startsWith('<!--', start)) position = skipPast(text, '-->', start)
    else if (text.startsWith('<![CDATA[', start)) position = skipPast(text, ']]>', start)
    else if (text.startsWith('<!', start)) {
      throw refuse(lineOf(text, start), 'a document type or entity declaration does not belong in a configuration')
    } else if (text.startsWith('<?', start)) {
      position = skipPast(text, '?>', start)
      checkDeclaration(text, start, position)
    } else if (text.startsWith('</', start)) {
      depth--
      position = skipPast(text, '>', start)
    } else {
      position = tagEnd(text, start)
      checkReferences(text, start, position)
      if (text[position - 2] !== '/') depth++
      if (depth > DEPTH_MAX) throw refuse(lineOf(text, start), `elements are nested more than ${DEPTH_MAX} deep`)
    }
  }
}

/** A lone `&` would be taken as meant by our parser and refused by the next program that opens the file. */
function checkReferences(text: string, start: number, end: number): void {
  const reference = /&(?:amp|lt|gt|quot|apos|#\d+|#x[\da-fA-F]+);/y
  for (let at = text.indexOf('&', start); at >= 0 && at < end; at = text.indexOf('&', at + 1)) {
    reference.lastIndex = at
    if (!reference.test(text)) throw refuse(lineOf(text, at), 'a "&" that starts no known entity; write it as &amp;')
  }
}

function skipPast(text: string, end: string, start: number): number {
  const found = text.indexOf(end, start)
  if (found < 0) {
    throw refuse(lineOf(text, start), `"${text.slice(start, start + 4)}" is never closed: the file is cut off`)
  }
  return found + end.length
}

/** Past the `>` that is in no quotes. */
function tagEnd(text: string, start: number): number {
  let position = start
  for (;;) {
    const found = /[>"']/g
    found.lastIndex = position
    const match = found.exec(text)
    if (match === null) throw refuse(lineOf(text, start), 'a tag is never closed: the file is cut off')
    if (match[0] === '>') return match.index + 1
    const closing = text.indexOf(match[0], match.index + 1)
    if (closing < 0) throw refuse(lineOf(text, start), 'a quoted value is never closed: the file is cut off')
    position = closing + 1
  }
}

function checkDeclaration(text: string, start: number, end: number): void {
  const declaration = text.slice(start, Math.min(end, start + 200))
  const encoding = /^<\?xml\b[^>]*\bencoding\s*=\s*["']([^"']*)["']/.exec(declaration)?.[1]
  if (encoding !== undefined && !/^(utf-8|us-ascii)$/i.test(encoding)) {
    throw refuse(lineOf(text, start), `the encoding is ${encoding}; save the file as UTF-8`)
  }
}

function lineOf(text: string, end: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) line++
  return line
}

function parseDocument(text: string): ReturnType<DOMParser['parseFromString']> {
  let problem: TwinfoldError | undefined
  const parser = new DOMParser({
    // The rule of XML 1.0. The parser's own is that of 1.1 and would change names that hold U+0085 or U+2028.
    normalizeLineEndings: (source) => source.replace(/\r\n?/g, '\n'),
    onError: (_level, message, context: { locator?: { lineNumber?: number } }) => {
      problem ??= refuse(context.locator?.lineNumber ?? 1, oneLine(message))
      throw problem
    },
  })
  try {
    return parser.parseFromString(text, 'text/xml')
  } catch (error) {
    throw problem ?? refuse(lineOfError(error), oneLine(error instanceof Error ? error.message : String(error)))
  }
}

function lineOfError(error: unknown): number {
  const locator: unknown = error instanceof Error && 'locator' in error ? error.locator : undefined
  if (typeof locator !== 'object' || locator === null || !('lineNumber' in locator)) return 1
  return typeof locator.lineNumber === 'number' ? Math.max(1, locator.lineNumber) : 1
}

function oneLine(message: string): string {
  const line = message.replace(/\s+/g, ' ').trim()
  return line.length > 200 ? `${line.slice(0, 200)}…` : line
}

type DomElement = NonNullable<ReturnType<DOMParser['parseFromString']>['documentElement']>

/** Bounded by the depth that `guard` allows. */
function elementOf(source: DomElement): XmlElement {
  const attributes = Array.from(source.attributes, ({ name, value }) => [name, savable(source, value)] as const)
  const children: XmlNode[] = []
  for (let node = source.firstChild; node !== null; node = node.nextSibling) {
    if (node.nodeType === node.ELEMENT_NODE) children.push(elementOf(node as DomElement))
    else if (node.nodeType === node.COMMENT_NODE) children.push({ is: 'comment', text: node.nodeValue ?? '' })
    else if (node.nodeType === node.TEXT_NODE || node.nodeType === node.CDATA_SECTION_NODE) {
      children.push({ is: 'text', text: savable(source, node.nodeValue ?? '') })
    }
  }
  return { is: 'element', name: source.tagName, attributes, children, line: source.lineNumber ?? 1 }
}

/** A reference such as `&#1;` may smuggle in what no file could hold afterwards. */
function savable(source: DomElement, text: string): string {
  if (!isSavable(text)) throw refuse(source.lineNumber ?? 1, `<${source.tagName}> holds a character that XML forbids`)
  return text
}

/** The caller adds the name of the file. */
function refuse(line: number, reason: string): TwinfoldError {
  return new TwinfoldError('config-invalid', `line ${Math.max(1, line)}: ${reason}`)
}
