/** A node of an XML file: name, value, order, and line. */
export interface XmlElement {
  readonly is: 'element'
  readonly name: string
  readonly attributes: readonly (readonly [name: string, value: string])[]
  readonly children: readonly XmlNode[]
  readonly line: number
}

export type XmlNode =
  | XmlElement
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'comment'; readonly text: string }

export function element(
  name: string,
  attributes: XmlElement['attributes'] = [],
  children: readonly XmlNode[] = [],
): XmlElement {
  return { is: 'element', name, attributes, children, line: 0 }
}

export function textElement(name: string, text: string): XmlElement {
  return element(name, [], text === '' ? [] : [{ is: 'text', text }])
}

export function attributeOf(parent: XmlElement, name: string): string | undefined {
  return parent.attributes.find(([key]) => key === name)?.[1]
}

export function childrenNamed(parent: XmlElement, name: string): readonly XmlElement[] {
  return parent.children.filter((node): node is XmlElement => node.is === 'element' && node.name === name)
}

/** The text directly in an element, comments and child elements left out. */
export function textOfElement(parent: XmlElement): string {
  return parent.children.map((node) => (node.is === 'text' ? node.text : '')).join('')
}

export function childText(parent: XmlElement, name: string): string | undefined {
  const child = childrenNamed(parent, name)[0]
  return child && textOfElement(child)
}

/** The same element without children of that name. */
export function withoutChildren(parent: XmlElement, name: string): XmlElement {
  return { ...parent, children: parent.children.filter((node) => node.is !== 'element' || node.name !== name) }
}

/** The same element with exactly one child of that name, holding the text. */
export function withChildText(parent: XmlElement, name: string, text: string): XmlElement {
  const rest = withoutChildren(parent, name)
  return { ...rest, children: [...rest.children, textElement(name, text)] }
}

export function withAttribute(parent: XmlElement, name: string, value: string): XmlElement {
  const rest = withoutAttribute(parent, name)
  return { ...rest, attributes: [...rest.attributes, [name, value]] }
}

export function withoutAttribute(parent: XmlElement, name: string): XmlElement {
  return { ...parent, attributes: parent.attributes.filter(([key]) => key !== name) }
}

/** Replaces every child element of that name by the result of `change`. */
export function mapChildren(parent: XmlElement, name: string, change: (child: XmlElement) => XmlElement): XmlElement {
  const children = parent.children.map((node) => (node.is === 'element' && node.name === name ? change(node) : node))
  return { ...parent, children }
}

const INDENT = '    '
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '&#34;',
  "'": '&#39;',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '\t': '&#x9;',
  '\n': '&#xA;',
  '\r': '&#xD;',
}

/** The text of a file: four blanks per level, no declaration, `<x></x>` for what is empty, a line end at the end. */
export function printXml(root: XmlElement): string {
  const out: string[] = []
  print(root, '', out)
  return `${out.join('\n')}\n`
}

function print(node: XmlNode, indent: string, out: string[]): void {
  if (node.is === 'comment') {
    out.push(`${indent}<!--${node.text}-->`)
    return
  }
  if (node.is === 'text' || !hasOnlyElements(node)) {
    out.push(indent + inline(node))
    return
  }
  out.push(indent + openTag(node))
  for (const child of node.children) {
    if (child.is !== 'text') print(child, indent + INDENT, out)
  }
  out.push(`${indent}</${node.name}>`)
}

/** Blank text between elements is layout; any other text must be kept unchanged, so its element is not indented. */
function hasOnlyElements(node: XmlElement): boolean {
  return (
    node.children.some((child) => child.is !== 'text') &&
    node.children.every((child) => child.is !== 'text' || child.text.trim() === '')
  )
}

function inline(node: XmlNode): string {
  if (node.is === 'text') return escape(node.text)
  if (node.is === 'comment') return `<!--${node.text}-->`
  return `${openTag(node)}${node.children.map(inline).join('')}</${node.name}>`
}

function openTag(node: XmlElement): string {
  return `<${node.name}${node.attributes.map(([name, value]) => ` ${name}="${escape(value)}"`).join('')}>`
}

function escape(text: string): string {
  return text.replace(/["'&<>\t\n\r]/g, (character) => ESCAPES[character] ?? character)
}
