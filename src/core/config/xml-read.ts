import { SaxesParser } from 'saxes'
import { TwinfoldError } from '../errors.ts'
import { readPlainXml } from './xml-plain.ts'
import type { XmlElement, XmlNode } from './xml-tree.ts'

/** A configuration is five deep. */
const DEPTH_MAX = 64
const CUT_OFF = 'the file is cut off'
const AMPERSAND = 'a "&" that starts no known entity; write it as &amp;'
const DOCTYPE = 'a document type or entity declaration does not belong in a configuration'
const DECLARATION = 'an XML declaration belongs at the very beginning'

type Mistake = keyof typeof REASONS

/** What is wrong, for users; texts that begin with "holds" or "has" follow the name of an element. */
const REASONS = {
  ampersand: AMPERSAND,
  doctype: DOCTYPE,
  declaration: DECLARATION,
  tag: 'has something in its tag that does not belong there',
  forbidden: 'holds a character that XML forbids',
  'no-value': 'has an attribute without a value',
  unquoted: 'has a value that must be in quotes',
  'text-outside': 'text outside of the root element',
  'second-root': 'a second root element',
  empty: 'the file holds no element',
  comment: '"--" inside a comment',
  'section-end': '"]]>" in a text; write it as ]]&gt;',
  'element-name': 'the name of an element is missing or not allowed',
  'cut-off': `a tag is never closed: ${CUT_OFF}`,
} as const

/** The parser gives only texts. */
const MISTAKES: Readonly<Record<string, Mistake | 'wrong-close'>> = {
  'unexpected close tag.': 'wrong-close',
  'undefined entity.': 'ampersand',
  'empty entity name.': 'ampersand',
  'disallowed character in entity name.': 'ampersand',
  'incorrect syntax.': 'doctype',
  'malformed character entity.': 'forbidden',
  'disallowed character.': 'forbidden',
  'no whitespace between attributes.': 'tag',
  'disallowed character in attribute name.': 'tag',
  'attribute without value.': 'no-value',
  'unquoted attribute value.': 'unquoted',
  'text data outside of root node.': 'text-outside',
  'documents may contain only one root.': 'second-root',
  'document must contain a root element.': 'empty',
  'malformed comment.': 'comment',
  'the string "]]>" is disallowed in char data.': 'section-end',
  'disallowed character in tag name': 'element-name',
  'an XML declaration must be at the start of the document.': 'declaration',
  'the XML declaration must appear at the start of the document.': 'declaration',
  'unexpected end.': 'cut-off',
}

/** Mistakes whose text names an element or an attribute. */
const NAMED_MISTAKES = {
  'duplicate-attribute': /^duplicate attribute: (.*)\.$/s,
  'unmatched-close': /^unmatched closing tag: (.*)\.$/s,
} as const

interface ParserError {
  readonly mistake: Mistake | 'wrong-close' | keyof typeof NAMED_MISTAKES | 'other'
  readonly name: string
}

/** An error of the parser by its text, which begins with line and column. */
function parserError(message: string): ParserError {
  const text = message.replace(/^\d+:\d+: /, '')
  for (const mistake of ['duplicate-attribute', 'unmatched-close'] as const) {
    const name = NAMED_MISTAKES[mistake].exec(text)?.[1]
    if (name !== undefined) return { mistake, name }
  }
  return { mistake: Object.hasOwn(MISTAKES, text) ? MISTAKES[text]! : 'other', name: text }
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
  return readPlainXml(text) ?? readAnyXml(text)
}

/** With a parser for all of XML, whatever the text is. */
export function readAnyXml(text: string): XmlElement {
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
      throw this.#translated(parserError(message))
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

  #translated({ mistake, name }: ParserError): TwinfoldError {
    const holder = `<${this.#open.at(-1)?.name ?? ''}>`
    switch (mistake) {
      case 'wrong-close': {
        const { name: closed = '', line = 0 } = this.#closed ?? {}
        return this.#refuse(`<${closed}> of line ${line} must be closed by </${closed}> first`)
      }
      case 'duplicate-attribute':
        return this.#refuse(`${holder} has the attribute ${name} twice`)
      case 'unmatched-close':
        return this.#refuse(`</${name}> ends what was never begun`)
      case 'ampersand':
        return this.#refuseAt(BARE_AMPERSAND, AMPERSAND)
      case 'other':
        return this.#refuse(name)
      default: {
        const isBracket = mistake === 'forbidden' && this.#text[this.#parser.position - 1] === '<'
        if (isBracket) return this.#refuse(`a value of ${holder} holds a "<", or a quote is missing; write it as &lt;`)
        const reason = REASONS[mistake]
        return this.#refuse(/^(holds|has) /.test(reason) ? `${holder} ${reason}` : reason)
      }
    }
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
