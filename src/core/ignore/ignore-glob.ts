/** How deep `{a,{b,c}}` may nest, and how long a pattern may be, before it is refused. */
const NESTING_MAX = 32
const PATTERN_LENGTH_MAX = 8_192
/** How many globs without braces a pattern may expand to, and their maximum total length. */
const VARIANTS_MAX = 4_096
const VARIANTS_LENGTH_MAX = 65_536

export type GlobNode =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'one' }
  | { readonly kind: 'star' }
  | { readonly kind: 'double-star' }
  | {
      readonly kind: 'class'
      readonly negated: boolean
      readonly low: number
      readonly high: number
      readonly list: string
    }
  | { readonly kind: 'either'; readonly choices: readonly (readonly GlobNode[])[] }

/** A part of a glob without alternatives. */
export type GlobItem = Exclude<GlobNode, { kind: 'either' }>

/** What a pattern matches: an item and everything below it (`P`), or only what is below it (`P/`, `P/**`). */
export type GlobTail = 'tree' | 'contents'

/** Throws a plain Error for an invalid glob; its message is part of the interface. */
export function parseGlob(text: string): readonly GlobNode[] {
  if (text.length > PATTERN_LENGTH_MAX) throw new Error(`pattern is longer than ${PATTERN_LENGTH_MAX} characters`)
  const reader = new GlobReader(text)
  return reader.sequence(0)
}

class GlobReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  /** Up to the end, or inside braces up to the end of the choice. A brace never closed ends with the pattern. */
  sequence(depth: number): readonly GlobNode[] {
    const nodes: GlobNode[] = []
    let literal = ''
    const push = (node: GlobNode): void => {
      if (literal !== '') nodes.push({ kind: 'literal', text: literal })
      literal = ''
      nodes.push(node)
    }
    while (this.#at < this.#text.length) {
      const character = this.#text[this.#at]!
      if (depth > 0 && (character === ',' || character === '}')) break
      this.#at++
      if (character === '*') push(this.#stars())
      else if (character === '?') push({ kind: 'one' })
      else if (character === '[') push(this.#class())
      else if (character === '{') push(this.#either(depth + 1))
      else if (character === '\\') literal += this.#text[this.#at++] ?? ''
      else literal += character
    }
    if (literal !== '') nodes.push({ kind: 'literal', text: literal })
    return nodes
  }

  #stars(): GlobNode {
    const start = this.#at - 1
    while (this.#text[this.#at] === '*') this.#at++
    return { kind: this.#at - start > 1 ? 'double-star' : 'star' }
  }

  #either(depth: number): GlobNode {
    if (depth > NESTING_MAX) throw new Error(`alternatives nested deeper than ${NESTING_MAX}`)
    const choices = [this.sequence(depth)]
    while (this.#text[this.#at] === ',') {
      this.#at++
      choices.push(this.sequence(depth))
    }
    this.#at++
    return { kind: 'either', choices }
  }

  /** One range or one list. Only the character after the first decides which, and an escaped one begins a list. */
  #class(): GlobNode {
    const negated = this.#text[this.#at] === '!'
    if (negated) this.#at++
    const low = this.#peek()
    if (this.#text[this.#at + low.length] === '-') return this.#range(negated, low)
    const close = this.#closingBracket()
    const list = this.#text.slice(this.#at, close).replaceAll(/\\(.)/gsu, '$1')
    this.#at = close + 1
    if (list === '') throw new Error('could not parse range')
    return { kind: 'class', negated, low: 0, high: -1, list }
  }

  /** Both ends are what stands there, be it a bracket or a backslash. */
  #range(negated: boolean, low: string): GlobNode {
    this.#at += low.length + 1
    const high = this.#peek()
    this.#at += high.length
    const close = this.#text[this.#at++]
    if (close === undefined) throw new Error('unexpected end of input')
    if (close !== ']') throw new Error('expected close range character')
    return range(negated, low, high)
  }

  /** The next character; empty at the end. */
  #peek(): string {
    const code = this.#text.codePointAt(this.#at)
    return code === undefined ? '' : String.fromCodePoint(code)
  }

  #closingBracket(): number {
    for (let at = this.#at; at < this.#text.length; at++) {
      if (this.#text[at] === '\\') at++
      else if (this.#text[at] === ']') return at
    }
    throw new Error('unexpected end of input')
  }
}

function range(negated: boolean, low: string, high: string): GlobNode {
  const [first, last] = [low.codePointAt(0)!, high.codePointAt(0)!]
  if (last < first) throw new Error(`hi character '${high}' should be greater than lo '${low}'`)
  return { kind: 'class', negated, low: first, high: last, list: '' }
}

/**
 * Expands a glob with alternatives to globs without them, which together match the same names. Neither texts nor stars
 * are adjacent in any of them. Throws a plain Error for too many.
 */
export function variantsOf(nodes: readonly GlobNode[]): readonly (readonly GlobItem[])[] {
  let variants: GlobItem[][] = [[]]
  for (const node of nodes) {
    const endings = node.kind === 'either' ? choicesOf(node.choices) : [[node]]
    if (variants.length * endings.length > VARIANTS_MAX) throw new Error(`more than ${VARIANTS_MAX} alternatives`)
    const [only, more] = endings
    if (only !== undefined && more === undefined) {
      for (const variant of variants) for (const item of only) append(variant, item)
    } else variants = variants.flatMap((variant) => endings.map((ending) => joined(variant, ending)))
  }
  if (variants.length > 1) checkLength(variants)
  return variants
}

/** Without duplicates. `{j,J}` becomes `[jJ]`, which does not multiply the globs. */
function choicesOf(choices: readonly (readonly GlobNode[])[]): readonly (readonly GlobItem[])[] {
  const all = choices.flatMap(variantsOf)
  const characters = all.map(singleCharacters)
  if (characters.every((list) => list !== undefined)) {
    const list = [...new Set(characters.join(''))].join('')
    return [[{ kind: 'class', negated: false, low: 0, high: -1, list }]]
  }
  return [...new Map(all.map((variant) => [JSON.stringify(variant), variant])).values()]
}

/** The characters of an element that matches exactly one of a few. */
function singleCharacters([only, more]: readonly GlobItem[]): string | undefined {
  if (only === undefined || more !== undefined) return undefined
  if (only.kind === 'class') return only.negated || only.high >= only.low ? undefined : only.list
  return only.kind === 'literal' && only.text !== '/' && isOneCharacter(only.text) ? only.text : undefined
}

function isOneCharacter(text: string): boolean {
  return text.length === 1 || (text.length === 2 && text.codePointAt(0)! > 0xffff)
}

function joined(variant: readonly GlobItem[], ending: readonly GlobItem[]): GlobItem[] {
  const both = [...variant]
  for (const item of ending) append(both, item)
  return both
}

function append(items: GlobItem[], item: GlobItem): void {
  const last = items.at(-1)
  if (last?.kind === 'literal' && item.kind === 'literal') {
    items[items.length - 1] = { kind: 'literal', text: last.text + item.text }
  } else if (last !== undefined && isLoop(last) && isLoop(item)) {
    if (item.kind === 'double-star') items[items.length - 1] = item
  } else items.push(item)
}

export function isLoop(item: GlobItem): boolean {
  return item.kind === 'star' || item.kind === 'double-star'
}

function checkLength(variants: readonly (readonly GlobItem[])[]): void {
  let length = 0
  for (const variant of variants) {
    for (const item of variant) length += item.kind === 'literal' ? item.text.length : 1
  }
  if (length > VARIANTS_LENGTH_MAX) throw new Error(`alternatives longer than ${VARIANTS_LENGTH_MAX} characters`)
}

/** The text of a glob without wildcards; undefined for any other. */
export function literalOf(items: readonly GlobItem[]): string | undefined {
  const [only, more] = items
  if (only === undefined || more !== undefined) return undefined
  return only.kind === 'literal' ? only.text : undefined
}
