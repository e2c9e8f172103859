import { TwinfoldError } from './errors.ts'
import { isSavable } from './config-json.ts'
import type { XmlElement, XmlNode } from './xml-tree.ts'

/** A configuration is five deep. */
const DEPTH_MAX = 64

const NAME_START = ':A-Z_a-z\\u00C0-\\u00D6\\u00D8-\\u00F6\\u00F8-\\u02FF\\u0370-\\u037D\\u037F-\\u1FFF\\u200C\\u200D\\u2070-\\u218F'
  + '\\u2C00-\\u2FEF\\u3001-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFFD\\u{10000}-\\u{EFFFF}'
const NAME = new RegExp(`[${NAME_START}][${NAME_START}\\-.0-9\\u00B7\\u0300-\\u036F\\u203F-\\u2040]*`, 'uy')
const DECLARATION =
  /^xml\s+version\s*=\s*(['"])1\.\d+\1(\s+encoding\s*=\s*(['"])[\w.-]+\3)?(\s+standalone\s*=\s*(['"])(yes|no)\5)?\s*$/
const BLANKS = /[ \t\n]*/y
const REFERENCE = /&(?:(amp|lt|gt|quot|apos)|#(\d+)|#x([\da-fA-F]+));/y
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** An element whose end has not come yet. */
interface OpenElement {
  readonly name: string
  readonly attributes: XmlElement['attributes']
  readonly children: XmlNode[]
  readonly line: number
}

/**
 * The text of an XML file to a tree: elements, attributes, text, comments. Of XML 1.0 it takes what a configuration may
 * hold and refuses the rest, above all document types and entities of one's own, so nothing is ever expanded or fetched.
 * One pass without recursion: a file made to exhaust us costs no more than its length. Throws `config-invalid` with line
 * and reason.
 */
export function readXml(text: string): XmlElement {
  return new XmlReader(text.replace(/\r\n?/g, '\n')).read()
}

export function refuseXml(line: number, reason: string): TwinfoldError {
  return new TwinfoldError('config-invalid', `line ${Math.max(1, line)}: ${reason}`)
}

class XmlReader {
  readonly #text: string
  readonly #open: OpenElement[] = []
  #root: XmlElement | undefined
  #position = 0
  /** Lines are counted as far as somebody asked. */
  #countedTo = 0
  #line = 1

  constructor(text: string) {
    this.#text = text
  }

  read(): XmlElement {
    while (this.#position < this.#text.length) {
      if (this.#text[this.#position] === '<') this.#markup()
      else this.#characters()
    }
    const unclosed = this.#open.at(-1)
    if (unclosed !== undefined) throw refuseXml(unclosed.line, `<${unclosed.name}> is never closed: the file is cut off`)
    if (this.#root === undefined) throw this.#refuse('the file holds no element')
    return this.#root
  }

  #markup(): void {
    if (this.#startsWith('<!--')) return this.#comment()
    if (this.#startsWith('<![CDATA[')) return this.#section()
    if (this.#startsWith('<!')) throw this.#refuse('a document type or entity declaration does not belong in a configuration')
    if (this.#startsWith('<?')) return this.#instruction()
    if (this.#startsWith('</')) return this.#endTag()
    this.#startTag()
  }

  #characters(): void {
    const end = this.#find('<') ?? this.#text.length
    const raw = this.#text.slice(this.#position, end)
    if (this.#open.length === 0 && raw.trim() !== '') throw this.#refuse('text outside of the root element')
    const bad = raw.indexOf(']]>')
    if (bad >= 0) throw this.#refuse('"]]>" in a text; write it as ]]&gt;', this.#position + bad)
    this.#addText(this.#resolved(this.#position, end))
    this.#position = end
  }

  #comment(): void {
    const text = this.#between('<!--', '-->')
    if (text.includes('--') || text.endsWith('-')) throw this.#refuse('"--" inside a comment')
    this.#open.at(-1)?.children.push({ is: 'comment', text: this.#savable('a comment', text) })
    this.#position += '<!--'.length + text.length + '-->'.length
  }

  #section(): void {
    const text = this.#between('<![CDATA[', ']]>')
    if (this.#open.length === 0) throw this.#refuse('text outside of the root element')
    this.#addText(text)
    this.#position += '<![CDATA['.length + text.length + ']]>'.length
  }

  /** Of all instructions to programs only the declaration means anything to us. */
  #instruction(): void {
    const text = this.#savable('an instruction', this.#between('<?', '?>'))
    NAME.lastIndex = 0
    const target = NAME.exec(text)?.[0]
    if (target === undefined || !/^([ \t\n]|$)/.test(text.slice(target.length))) throw this.#refuse('an instruction without a name')
    if (/^xml([ \t\n]|$)/i.test(text)) this.#checkDeclaration(text)
    this.#position += '<?'.length + text.length + '?>'.length
  }

  #checkDeclaration(text: string): void {
    if (this.#position > 0) throw this.#refuse('an XML declaration belongs at the very beginning')
    const encoding = /\bencoding\s*=\s*["']([^"']*)["']/.exec(text.slice(0, 200))?.[1]
    if (encoding !== undefined && !/^(utf-8|us-ascii)$/i.test(encoding)) {
      throw this.#refuse(`the encoding is ${encoding}; save the file as UTF-8`)
    }
    if (!DECLARATION.test(text)) throw this.#refuse('the XML declaration is damaged')
  }

  #endTag(): void {
    const start = this.#position
    this.#position += '</'.length
    const name = this.#name('the name of an element', start)
    this.#skipBlanks()
    if (this.#text[this.#position] !== '>') throw this.#refuse(`</${name} is never closed`, start)
    this.#position++
    const open = this.#open.pop()
    if (open === undefined) throw this.#refuse(`</${name}> ends what was never begun`, start)
    if (open.name !== name) throw this.#refuse(`</${name}> where </${open.name}> must come first`, start)
    this.#addElement(open)
  }

  #startTag(): void {
    const start = this.#position
    if (this.#root !== undefined) throw this.#refuse('a second root element')
    if (this.#open.length >= DEPTH_MAX) throw this.#refuse(`elements are nested more than ${DEPTH_MAX} deep`)
    this.#position++
    const name = this.#name('the name of an element', start)
    const line = this.#lineAt(start)
    const attributes = this.#attributes(name, start)
    const open: OpenElement = { name, attributes, children: [], line }
    if (this.#startsWith('/>')) {
      this.#position += '/>'.length
      return this.#addElement(open)
    }
    this.#position++
    this.#open.push(open)
  }

  /** Up to the `>` or `/>` of the tag. */
  #attributes(element: string, start: number): XmlElement['attributes'] {
    const attributes = new Map<string, string>()
    for (;;) {
      const blanks = this.#skipBlanks()
      if (this.#startsWith('>') || this.#startsWith('/>')) return [...attributes]
      if (this.#position >= this.#text.length) throw this.#refuse('a tag is never closed: the file is cut off', start)
      if (blanks === 0) throw this.#refuse(`<${element}> has something in its tag that does not belong there`, start)
      const name = this.#name('the name of an attribute', this.#position)
      if (attributes.has(name)) throw this.#refuse(`<${element}> has the attribute ${name} twice`)
      attributes.set(name, this.#savable(`<${element}>`, this.#value(name)))
    }
  }

  #value(name: string): string {
    this.#skipBlanks()
    if (this.#text[this.#position] !== '=') throw this.#refuse(`the attribute ${name} has no value`)
    this.#position++
    this.#skipBlanks()
    const quote = this.#text[this.#position]
    if (quote !== '"' && quote !== "'") throw this.#refuse(`the value of ${name} must be in quotes`)
    const start = this.#position + 1
    const end = this.#text.indexOf(quote, start)
    if (end < 0) throw this.#refuse('a quoted value is never closed: the file is cut off')
    const bad = this.#text.slice(start, end).indexOf('<')
    if (bad >= 0) throw this.#refuse(`the value of ${name} holds a "<", or a quote is missing; write it as &lt;`)
    const value = this.#resolved(start, end, (raw) => raw.replace(/[\t\n]/g, ' '))
    this.#position = end + 1
    return value
  }

  /** What stands there, with references in the place of what they mean; only what is no reference is `cleaned`. */
  #resolved(start: number, end: number, cleaned: (raw: string) => string = (raw) => raw): string {
    const raw = this.#text.slice(start, end)
    let resolved = ''
    let from = 0
    for (let at = raw.indexOf('&'); at >= 0; at = raw.indexOf('&', from)) {
      REFERENCE.lastIndex = at
      const match = REFERENCE.exec(raw)
      if (match === null) throw this.#refuse('a "&" that starts no known entity; write it as &amp;', start + at)
      resolved += cleaned(raw.slice(from, at)) + this.#character(match, start + at)
      from = at + match[0].length
    }
    return resolved + cleaned(raw.slice(from))
  }

  #character([reference, entity, decimal, hexadecimal]: RegExpExecArray, at: number): string {
    if (entity !== undefined) return ENTITIES[entity] ?? ''
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number.parseInt(decimal, 10)
    if (code > 0x10_ff_ff) throw this.#refuse(`${reference.slice(0, 20)} is no character`, at)
    return String.fromCodePoint(code)
  }

  #addText(text: string): void {
    const parent = this.#open.at(-1)
    if (parent === undefined || text === '') return
    const last = parent.children.at(-1)
    const savable = this.#savable(`<${parent.name}>`, text)
    if (last?.is === 'text') parent.children[parent.children.length - 1] = { is: 'text', text: last.text + savable }
    else parent.children.push({ is: 'text', text: savable })
  }

  #addElement({ name, attributes, children, line }: OpenElement): void {
    const element: XmlElement = { is: 'element', name, attributes, children, line }
    const parent = this.#open.at(-1)
    if (parent === undefined) this.#root = element
    else parent.children.push(element)
  }

  /** A reference such as `&#1;` may smuggle in what no file could hold afterwards. */
  #savable(holder: string, text: string): string {
    if (!isSavable(text)) throw this.#refuse(`${holder} holds a character that XML forbids`)
    return text
  }

  #name(what: string, start: number): string {
    NAME.lastIndex = this.#position
    const name = NAME.exec(this.#text)?.[0]
    if (name === undefined) throw this.#refuse(`${what} is missing or not allowed`, start)
    this.#position += name.length
    return name
  }

  /** How many there were. */
  #skipBlanks(): number {
    BLANKS.lastIndex = this.#position
    const { length } = BLANKS.exec(this.#text)?.[0] ?? ''
    this.#position += length
    return length
  }

  #between(opening: string, closing: string): string {
    const start = this.#position + opening.length
    const end = this.#text.indexOf(closing, start)
    if (end < 0) throw this.#refuse(`"${opening.slice(0, 4)}" is never closed: the file is cut off`)
    return this.#text.slice(start, end)
  }

  #find(character: string): number | undefined {
    const found = this.#text.indexOf(character, this.#position)
    return found < 0 ? undefined : found
  }

  #startsWith(prefix: string): boolean {
    return this.#text.startsWith(prefix, this.#position)
  }

  /** Each character is looked at once, however often somebody asks. */
  #lineAt(position: number): number {
    for (; this.#countedTo < position; this.#countedTo++) if (this.#text[this.#countedTo] === '\n') this.#line++
    return this.#line
  }

  #refuse(reason: string, position = this.#position): TwinfoldError {
    return refuseXml(this.#lineAt(position), reason.length > 200 ? `${reason.slice(0, 200)}…` : reason)
  }
}
