/**
 * Globs as an automaton that is in many states at once: time grows with pattern length times path length and never
 * with the number of ways a pattern could match.
 */

/** How deep `{a,{b,c}}` may nest, and how long a pattern may be, before it is refused. */
const NESTING_MAX = 32
const PATTERN_LENGTH_MAX = 4_096

const SLASH = 47

export type GlobNode =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'one' }
  | { readonly kind: 'star' }
  | { readonly kind: 'double-star' }
  | { readonly kind: 'class'; readonly negated: boolean; readonly low: number; readonly high: number; readonly list: string }
  | { readonly kind: 'either'; readonly choices: readonly (readonly GlobNode[])[] }

/** What follows the pattern itself: nothing or anything below (`P` and `P/**`), or only what is below (`P/`). */
export type GlobTail = 'tree' | 'contents'

/** Refuses what cannot be read as a glob with a plain Error, whose message is part of the interface. */
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

  /** Reads up to the end, or inside braces up to the `,` or `}` that ends the choice. A brace never closed ends with the pattern. */
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

  #class(): GlobNode {
    const close = this.#closingBracket()
    const inside = Array.from(this.#text.slice(this.#at, close).replaceAll(/\\(.)/gsu, '$1'))
    this.#at = close + 1
    const negated = inside[0] === '!'
    const [low, dash, high, ...more] = negated ? inside.slice(1) : inside
    if (low === undefined) throw new Error('could not parse range')
    const list = inside.slice(negated ? 1 : 0)
    if (dash === '-' && more.length === 0 && high !== undefined) return range(negated, low, high)
    if (list.includes('-') && list.length > 1) throw new Error('expected close range character')
    return { kind: 'class', negated, low: 0, high: -1, list: list.join('') }
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

/** The text of a glob without wildcards; undefined for any other. */
export function literalOf(nodes: readonly GlobNode[]): string | undefined {
  const [only, more] = nodes
  if (only === undefined || more !== undefined) return undefined
  return only.kind === 'literal' ? only.text : undefined
}

/** The longest text that every match must contain: a cheap question to ask first. */
export function requiredText(nodes: readonly GlobNode[]): string {
  let longest = ''
  for (const node of nodes) {
    if (node.kind === 'literal' && node.text.length > longest.length) longest = node.text
  }
  return longest
}

const CHARACTER = 0
const ONE = 1
const ANY = 2
const CLASS = 3
const SPLIT = 4
const JUMP = 5
const ACCEPT_TREE = 6
const ACCEPT_BELOW = 7

/** A compiled glob over whole paths. Holds scratch memory: not for two threads at once. */
export class GlobProgram {
  readonly #operations: number[] = []
  readonly #arguments: number[] = []
  readonly #classes: Extract<GlobNode, { kind: 'class' }>[] = []
  readonly #marks: Uint32Array
  readonly #waiting: number[] = []
  #generation = 0
  #accepted = false

  constructor(nodes: readonly GlobNode[], options: { readonly rooted: boolean; readonly tail: GlobTail }) {
    if (!options.rooted) this.#optional(() => { this.#loop(ANY); this.#emit(CHARACTER, SLASH) })
    this.#sequence(nodes)
    if (options.tail === 'contents') this.#emit(CHARACTER, SLASH)
    this.#emit(options.tail === 'tree' ? ACCEPT_TREE : ACCEPT_BELOW, 0)
    this.#marks = new Uint32Array(this.#operations.length)
  }

  matches(path: string): boolean {
    let states: number[] = []
    let next: number[] = []
    this.#accepted = false
    this.#nextGeneration()
    this.#enter(0, path === '' ? -1 : path.charCodeAt(0), states)
    for (let at = 0; at < path.length && !this.#accepted && states.length > 0; ) {
      const character = path.codePointAt(at)!
      at += character > 0xffff ? 2 : 1
      const following = at < path.length ? path.charCodeAt(at) : -1
      next.length = 0
      this.#nextGeneration()
      for (const state of states) {
        if (this.#consumes(state, character)) this.#enter(state + 1, following, next)
      }
      const spare = states
      states = next
      next = spare
    }
    return this.#accepted
  }

  #nextGeneration(): void {
    if (this.#generation === 0xffff_ffff) {
      this.#generation = 0
      this.#marks.fill(0)
    }
    this.#generation++
  }

  #consumes(state: number, character: number): boolean {
    switch (this.#operations[state]) {
      case CHARACTER: return this.#arguments[state] === character
      case ONE: return character !== SLASH
      case CLASS: return character !== SLASH && classHolds(this.#classes[this.#arguments[state]!]!, character)
      default: return true
    }
  }

  /** Adds a state and all that are reached from it without a character. `following` is the next unit, -1 at the end. */
  #enter(start: number, following: number, into: number[]): void {
    const waiting = this.#waiting
    for (let state: number | undefined = start; state !== undefined; state = waiting.pop()) {
      if (this.#marks[state] === this.#generation) continue
      this.#marks[state] = this.#generation
      switch (this.#operations[state]) {
        case SPLIT: waiting.push(this.#arguments[state]!, state + 1); break
        case JUMP: waiting.push(this.#arguments[state]!); break
        case ACCEPT_TREE: this.#accepted ||= following === -1 || following === SLASH; break
        case ACCEPT_BELOW: this.#accepted = true; break
        default: into.push(state)
      }
    }
  }

  #emit(operation: number, argument: number): number {
    this.#arguments.push(argument)
    return this.#operations.push(operation) - 1
  }

  #optional(body: () => void): void {
    const split = this.#emit(SPLIT, 0)
    body()
    this.#arguments[split] = this.#operations.length
  }

  #loop(operation: number): void {
    this.#optional(() => {
      const first = this.#emit(operation, 0)
      this.#emit(JUMP, first - 1)
    })
  }

  #sequence(nodes: readonly GlobNode[]): void {
    for (const node of nodes) {
      switch (node.kind) {
        case 'literal': for (const character of node.text) this.#emit(CHARACTER, character.codePointAt(0)!); break
        case 'one': this.#emit(ONE, 0); break
        case 'star': this.#loop(ONE); break
        case 'double-star': this.#loop(ANY); break
        case 'class': this.#emit(CLASS, this.#classes.push(node) - 1); break
        case 'either': this.#either(node.choices)
      }
    }
  }

  #either(choices: readonly (readonly GlobNode[])[]): void {
    const exits: number[] = []
    choices.forEach((choice, i) => {
      const last = i === choices.length - 1
      const split = last ? -1 : this.#emit(SPLIT, 0)
      this.#sequence(choice)
      if (last) return
      exits.push(this.#emit(JUMP, 0))
      this.#arguments[split] = this.#operations.length
    })
    for (const exit of exits) this.#arguments[exit] = this.#operations.length
  }
}

function classHolds(node: Extract<GlobNode, { kind: 'class' }>, character: number): boolean {
  const held = (character >= node.low && character <= node.high) || node.list.includes(String.fromCodePoint(character))
  return held !== node.negated
}
