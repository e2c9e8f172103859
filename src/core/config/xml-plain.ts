import type { XmlElement, XmlNode } from './xml-tree.ts'

/** Deeper than a configuration is. */
const DEPTH_MAX = 16
/** More of one element are compared by other means. */
const ATTRIBUTES_MAX = 32
/** Line ends that are normalised, characters that XML forbids, and the end of a section. */
const UNUSUAL = /[\0-\x08\x0b-\x1f\ufffe\uffff]|]]>/
/** One tag on one line: of an end its name; of a start its name, its attributes, and whether it ends there, too. */
const TAG = /<(?:\/([A-Za-z_][\w.-]*) *|([A-Za-z_][\w.-]*)((?: +[A-Za-z_][\w.-]*="[^"<\n\t]*")*) *(\/?))>/y
const ATTRIBUTE = /([A-Za-z_][\w.-]*)="([^"]*)"/g
const ENTITY = /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([\da-fA-F]{1,6}));/g
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const COMMENT = '<!--'
const COMMENT_END = '-->'

interface OpenElement {
  readonly name: string
  readonly attributes: XmlElement['attributes']
  readonly children: XmlNode[]
  readonly line: number
}

/**
 * Reads XML as it is printed by programs: tags on one line, quoted attributes, texts, comments. Undefined for anything
 * else, and for any mistake: then the whole text is left to the parser that knows all of XML, at ten times the cost.
 */
export function readPlainXml(text: string): XmlElement | undefined {
  return UNUSUAL.test(text) || !text.isWellFormed() ? undefined : new PlainReader(text).read()
}

class PlainReader {
  readonly #text: string
  readonly #open: OpenElement[] = []
  #root: XmlElement | undefined
  #at = 0
  #line = 1
  /** Where that line ends. */
  #lineEnd: number

  constructor(text: string) {
    this.#text = text
    this.#lineEnd = this.#lineEndAfter(0)
  }

  read(): XmlElement | undefined {
    const text = this.#text
    for (let next = text.indexOf('<'); next >= 0; next = text.indexOf('<', this.#at)) {
      if (!this.#addText(next)) return undefined
      if (!(text.startsWith(COMMENT, next) ? this.#readComment(next) : this.#readTag(next))) return undefined
    }
    return this.#open.length === 0 && isBlank(text.slice(this.#at)) ? this.#root : undefined
  }

  #addText(end: number): boolean {
    if (end === this.#at) return true
    const text = decodeText(this.#text.slice(this.#at, end))
    const parent = this.#open.at(-1)
    if (text === undefined || (parent === undefined && !isBlank(text))) return false
    parent?.children.push({ is: 'text', text })
    return true
  }

  #readComment(start: number): boolean {
    const end = this.#text.indexOf('--', start + COMMENT.length)
    if (end < 0 || !this.#text.startsWith(COMMENT_END, end)) return false
    this.#open.at(-1)?.children.push({ is: 'comment', text: this.#text.slice(start + COMMENT.length, end) })
    this.#at = end + COMMENT_END.length
    return true
  }

  #readTag(start: number): boolean {
    TAG.lastIndex = start
    const tag = TAG.exec(this.#text)
    if (tag === null) return false
    this.#at = TAG.lastIndex
    const [, closed, name, attributes, ended] = tag
    if (closed !== undefined) return this.#open.at(-1)?.name === closed && this.#close()
    const pairs = attributes === '' ? [] : readAttributes(attributes!)
    if (pairs === undefined || this.#open.length >= DEPTH_MAX || this.#root !== undefined) return false
    this.#open.push({ name: name!, attributes: pairs, children: [], line: this.#lineOf(start) })
    return ended === '' || this.#close()
  }

  #close(): boolean {
    const { name, attributes, children, line } = this.#open.pop()!
    const element: XmlElement = { is: 'element', name, attributes, children, line }
    const parent = this.#open.at(-1)
    if (parent === undefined) this.#root = element
    else parent.children.push(element)
    return true
  }

  #lineOf(position: number): number {
    while (this.#lineEnd < position) {
      this.#line++
      this.#lineEnd = this.#lineEndAfter(this.#lineEnd + 1)
    }
    return this.#line
  }

  #lineEndAfter(position: number): number {
    const end = this.#text.indexOf('\n', position)
    return end < 0 ? this.#text.length : end
  }
}

function readAttributes(text: string): XmlElement['attributes'] | undefined {
  const pairs: (readonly [string, string])[] = []
  for (const [, name, raw] of text.matchAll(ATTRIBUTE)) {
    const value = decodeText(raw!)
    if (value === undefined || pairs.length >= ATTRIBUTES_MAX || pairs.some(([known]) => known === name))
      return undefined
    pairs.push([name!, value])
  }
  return pairs
}

/** Undefined when an entity is not one of those that need no declaration. */
function decodeText(text: string): string | undefined {
  if (!text.includes('&')) return text
  let decoded = ''
  let end = 0
  for (const { 0: entity, 1: name, 2: decimal, 3: hexadecimal, index } of text.matchAll(ENTITY)) {
    const before = text.slice(end, index)
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal)
    if (before.includes('&') || (name === undefined && !isCharacter(code))) return undefined
    decoded += before + (name === undefined ? String.fromCodePoint(code) : NAMED[name]!)
    end = index + entity.length
  }
  const rest = text.slice(end)
  return rest.includes('&') ? undefined : decoded + rest
}

function isBlank(text: string): boolean {
  return !/[^ \t\n]/.test(text)
}

function isCharacter(code: number): boolean {
  if (code < 0x20) return code === 0x09 || code === 0x0a || code === 0x0d
  return code <= 0xd7ff || (code >= 0xe000 && code <= 0xfffd) || (code >= 0x10000 && code <= 0x10ffff)
}
