/**
 * Globs as an automaton that is in many states at once: time grows with pattern length times path length and never
 * with the number of ways a pattern could match.
 */

/** How deep `{a,{b,c}}` may nest, and how long a pattern may be, before it is refused. */
const NESTING_MAX = 32
const PATTERN_LENGTH_MAX = 2_048

const SLASH = 47

export type GlobNode =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'one' }
  | { readonly kind: 'star' }
  | { readonly kind: 'double-star' }
  | {
    readonly kind: 'class'; readonly negated: boolean
    readonly low: number; readonly high: number; readonly list: string
  }
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
  readonly #classes: ClassNode[] = []
  readonly #machine: GlobMachine

  constructor(nodes: readonly GlobNode[], options: { readonly rooted: boolean; readonly tail: GlobTail }) {
    if (!options.rooted) this.#optional(() => { this.#loop(ANY); this.#emit(CHARACTER, SLASH) })
    this.#sequence(nodes)
    if (options.tail === 'contents') this.#emit(CHARACTER, SLASH)
    this.#emit(options.tail === 'tree' ? ACCEPT_TREE : ACCEPT_BELOW, 0)
    this.#machine = new GlobMachine(this.#operations, this.#arguments, this.#classes)
  }

  matches(path: string): boolean {
    return this.#machine.matches(path)
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

/** Runs a program: all states it can be in after each character, each of them once. */
class GlobMachine {
  readonly #operations: Uint8Array
  readonly #arguments: Int32Array
  readonly #classes: readonly ClassNode[]
  /** The step at which a state was entered last: nobody enters it twice in one step. */
  readonly #marks: Int32Array
  readonly #waiting: Int32Array
  #states: Int32Array
  #next: Int32Array
  #step = 0

  constructor(operations: readonly number[], operands: readonly number[], classes: readonly ClassNode[]) {
    this.#operations = Uint8Array.from(operations)
    this.#arguments = Int32Array.from(operands)
    this.#classes = classes
    this.#marks = new Int32Array(operations.length)
    this.#waiting = new Int32Array(operations.length * 2 + 2)
    this.#states = new Int32Array(operations.length)
    this.#next = new Int32Array(operations.length)
  }

  matches(path: string): boolean {
    if (this.#step > 0x7fff_0000 - path.length) {
      this.#step = 0
      this.#marks.fill(0)
    }
    this.#step++
    let count = this.#enter(0, path === '' ? -1 : path.charCodeAt(0), this.#states, 0)
    for (let at = 0; at < path.length && count > 0; ) {
      const character = path.codePointAt(at)!
      at += character > 0xffff ? 2 : 1
      count = this.#advance(character, at < path.length ? path.charCodeAt(at) : -1, count)
    }
    return count === ACCEPTED
  }

  /** Takes one character. Returns the number of states after it, or ACCEPTED. */
  #advance(character: number, following: number, count: number): number {
    const states = this.#states
    const next = this.#next
    this.#step++
    let nextCount = 0
    for (let i = 0; i < count; i++) {
      const state = states[i]!
      if (!this.#consumes(state, character)) continue
      nextCount = this.#enter(state + 1, following, next, nextCount)
      if (nextCount === ACCEPTED) return ACCEPTED
    }
    this.#states = next
    this.#next = states
    return nextCount
  }

  #consumes(state: number, character: number): boolean {
    switch (this.#operations[state]) {
      case CHARACTER: return this.#arguments[state] === character
      case ONE: return character !== SLASH
      case CLASS: return character !== SLASH && classHolds(this.#classes[this.#arguments[state]!]!, character)
      default: return true
    }
  }

  /**
   * Adds a state and all that are reached from it without a character, after the `count` that are there. `following`
   * is the next unit of the path, -1 at its end. Returns the new count, or ACCEPTED.
   */
  #enter(start: number, following: number, into: Int32Array, count: number): number {
    const operations = this.#operations
    const operands = this.#arguments
    const marks = this.#marks
    const waiting = this.#waiting
    let depth = 0
    waiting[depth++] = start
    while (depth > 0) {
      const state = waiting[--depth]!
      if (marks[state] === this.#step) continue
      marks[state] = this.#step
      const operation = operations[state]!
      if (operation < SPLIT) into[count++] = state
      else if (operation === SPLIT) {
        waiting[depth++] = operands[state]!
        waiting[depth++] = state + 1
      } else if (operation === JUMP) waiting[depth++] = operands[state]!
      else if (operation === ACCEPT_BELOW || following === -1 || following === SLASH) return ACCEPTED
    }
    return count
  }
}

/** In place of a number of states: the path matches, whatever follows. */
const ACCEPTED = -1

type ClassNode = Extract<GlobNode, { kind: 'class' }>

function classHolds(node: ClassNode, character: number): boolean {
  const held = (character >= node.low && character <= node.high) || node.list.includes(String.fromCodePoint(character))
  return held !== node.negated
}
