import { SaxesParser } from 'saxes'
import { TwinfoldError } from '../errors.ts'
import type { XmlElement, XmlNode } from './xml-tree.ts'

/** A configuration is five deep. */
const DEPTH_MAX = 64
const CUT_OFF = 'the file is cut off'
const AMPERSAND = 'a "&" that starts no known entity; write it as &amp;'
const DOCTYPE = 'a document type or entity declaration does not belong in a configuration'
const DECLARATION = 'an XML declaration belongs at the very beginning'
const FORBIDDEN = 'holds a character that XML forbids'
const TAG = 'has something in its tag that does not belong there'

/** Parser errors as messages for users; those that begin with "holds" or "has" follow a name. */
const REASONS: Readonly<Record<string, string>> = {
  'undefined entity.': AMPERSAND,
  'empty entity name.': AMPERSAND,
  'disallowed character in entity name.': AMPERSAND,
  'incorrect syntax.': DOCTYPE,
  'malformed character entity.': FORBIDDEN,
  'disallowed character.': FORBIDDEN,
  'no whitespace between attributes.': TAG,
  'disallowed character in attribute name.': TAG,
  'attribute without value.': 'has an attribute without a value',
  'unquoted attribute value.': 'has a value that must be in quotes',
  'text data outside of root node.': 'text outside of the root element',
  'documents may contain only one root.': 'a second root element',
  'document must contain a root element.': 'the file holds no element',
  'malformed comment.': '"--" inside a comment',
  'the string "]]>" is disallowed in char data.': '"]]>" in a text; write it as ]]&gt;',
  'disallowed character in tag name': 'the name of an element is missing or not allowed',
  'an XML declaration must be at the start of the document.': DECLARATION,
  'the XML declaration must appear at the start of the document.': DECLARATION,
  'unexpected end.': `a tag is never closed: ${CUT_OFF}`,
}

/** Finds the first match outside of comments, sections and instructions. */
const BARE_AMPERSAND = outsideOfComments('&(?!(?:amp|lt|gt|quot|apos|#\\d+|#x[\\da-fA-F]+);)')
const DECLARATION_START = outsideOfComments('<!(?!--|\\[CDATA\\[)')

function outsideOfComments(pattern: string): RegExp {
  return new RegExp(`<!--[^]*?-->|<!\\[CDATA\\[[^]*?\\]\\]>|<\\?[^]*?\\?>|(${pattern})`, 'g')
}

/** An open element. */
interface OpenElement {
  readonly name: string
  readonly line: number
  readonly children: XmlNode[]
  attributes: XmlElement['attributes']
}

/**
 * Parses an XML file to a tree: elements, attributes, text, comments. Document types are refused, so no custom entity
 * is ever expanded or fetched. Throws `config-invalid` with line and reason.
 */
export function readXml(text: string): XmlElement {
  return new XmlReader(text).read()
}

export function refuseXml(line: number, reason: string): TwinfoldError {
  const short = reason.length > 200 ? `${reason.slice(0, 200)}…` : reason
  return new TwinfoldError('config-invalid', `line ${Math.max(1, line)}: ${short}`)
}

class XmlReader {
  /** XML 1.1 would allow control characters, which the file we write cannot hold. */
  readonly #parser = new SaxesParser({ xmlns: false, defaultXMLVersion: '1.0', forceXMLVersion: true })
  readonly #open: OpenElement[] = []
  /** The last closed element. */
  #closed: OpenElement | undefined
  #root: XmlElement | undefined
  readonly #text: string

  constructor(text: string) {
    this.#text = text
    const parser = this.#parser
    parser.on('xmldecl', ({ encoding }) => this.#checkEncoding(encoding))
    parser.on('doctype', () => {
      throw this.#refuseAt(DECLARATION_START, DOCTYPE)
    })
    parser.on('opentagstart', ({ name }) => this.#start(name))
    parser.on('opentag', ({ attributes }) => (this.#open.at(-1)!.attributes = Object.entries(attributes)))
    parser.on('closetag', () => this.#end())
    parser.on('text', (text) => this.#addText(text))
    parser.on('cdata', (text) => this.#addText(text))
    parser.on('comment', (text) => this.#open.at(-1)?.children.push({ is: 'comment', text }))
    parser.on('error', ({ message }) => {
      throw this.#translated(message.replace(/^\d+:\d+: /, ''))
    })
  }

  read(): XmlElement {
    this.#parser.write(this.#text)
    if (this.#open.length > 0) throw this.#cutOff()
    this.#parser.close()
    if (this.#root === undefined) throw this.#refuse('the file holds no element')
    return this.#root
  }

  /** At the end of the file the parser reports only an unexpected end, not the unclosed construct. */
  #cutOff(): TwinfoldError {
    for (const [opening, closing] of [
      ['<!--', '-->'],
      ['<![CDATA[', ']]>'],
      ['<?', '?>'],
    ] as const) {
      const start = this.#text.lastIndexOf(opening)
      if (start < 0 || this.#text.includes(closing, start)) continue
      return refuseXml(this.#lineAt(start), `"${opening.slice(0, 4)}" is never closed: ${CUT_OFF}`)
    }
    const { name = '', line = 1 } = this.#open.at(-1) ?? {}
    return this.#refuseAt(BARE_AMPERSAND, AMPERSAND, refuseXml(line, `<${name}> is never closed: ${CUT_OFF}`))
  }

  #checkEncoding(encoding: string | undefined): void {
    if (encoding === undefined || /^(utf-8|us-ascii)$/i.test(encoding)) return
    throw this.#refuse(`the encoding is ${encoding}; save the file as UTF-8`)
  }

  #start(name: string): void {
    if (this.#open.length >= DEPTH_MAX) throw this.#refuse(`elements are nested more than ${DEPTH_MAX} deep`)
    this.#open.push({ name, line: this.#parser.line, children: [], attributes: [] })
  }

  #end(): void {
    this.#closed = this.#open.pop()
    if (this.#closed === undefined) return
    const { name, line, children, attributes } = this.#closed
    const element: XmlElement = { is: 'element', name, attributes, children, line }
    const parent = this.#open.at(-1)
    if (parent === undefined) this.#root = element
    else parent.children.push(element)
  }

  #addText(text: string): void {
    const children = this.#open.at(-1)?.children
    if (children === undefined || text === '') return
    const last = children.at(-1)
    if (last?.is === 'text') children[children.length - 1] = { is: 'text', text: last.text + text }
    else children.push({ is: 'text', text })
  }

  #translated(message: string): TwinfoldError {
    if (message === 'unexpected close tag.') {
      const { name = '', line = 0 } = this.#closed ?? {}
      return this.#refuse(`<${name}> of line ${line} must be closed by </${name}> first`)
    }
    const holder = `<${this.#open.at(-1)?.name ?? ''}>`
    const [, what, name] = /^(unmatched closing tag|duplicate attribute): (.*)\.$/s.exec(message) ?? []
    if (what === 'duplicate attribute') return this.#refuse(`${holder} has the attribute ${name} twice`)
    if (what !== undefined) return this.#refuse(`</${name}> ends what was never begun`)
    const reason = REASONS[message] ?? message
    if (reason === AMPERSAND) return this.#refuseAt(BARE_AMPERSAND, AMPERSAND)
    if (message === 'disallowed character.' && this.#text[this.#parser.position - 1] === '<') {
      return this.#refuse(`a value of ${holder} holds a "<", or a quote is missing; write it as &lt;`)
    }
    return this.#refuse(/^(holds|has) /.test(reason) ? `${holder} ${reason}` : reason)
  }

  /** The parser reports some mistakes lines after their position. */
  #refuseAt(pattern: RegExp, reason: string, otherwise = this.#refuse(reason)): TwinfoldError {
    const read = this.#text.slice(0, this.#parser.position)
    for (const { 1: found, index } of read.matchAll(pattern)) {
      if (found !== undefined) return refuseXml(this.#lineAt(index), reason)
    }
    return otherwise
  }

  #lineAt(position: number): number {
    return this.#text.slice(0, position).split(/\r\n?|\n/).length
  }

  #refuse(reason: string): TwinfoldError {
    return refuseXml(this.#parser.line, reason)
  }
}
