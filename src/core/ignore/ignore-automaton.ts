import { isLoop, type GlobItem, type GlobTail } from './ignore-glob.ts'
import { BITS, GlobMachine, SLASH } from './ignore-machine.ts'

/**
 * Limits for the patterns of one file: total positions, and positions that one path can occupy at once. A path of 4 KiB
 * that reaches the latter takes about a tenth of a second.
 */
const POSITIONS_MAX = 250_000
const WEIGHT_MAX = 100_000
/** Cost of a range such as `[a-z]`: every new character is compared with every range. */
const RANGE_WEIGHT = 16
/** Cost of all characters before the first star, for each name in them: a path occupies one of them at a time. */
const NAME_WEIGHT = 4

export interface PatternPlace {
  readonly rooted: boolean
  readonly tail: GlobTail
  readonly line: number
}

interface Range {
  readonly low: number
  readonly high: number
  readonly negated: boolean
  readonly position: number
}

/**
 * All globs of a file as one nondeterministic automaton: bit n is set while the path so far leads to position n. One
 * step of 32 states is one operation on a word, so time grows with the length of the patterns times that of the path,
 * and never with the number of ways a pattern could match. Patterns are in the order of their lines.
 */
export class GlobAutomaton {
  /** One position for each element that matches a character, and one for the end of each pattern. */
  #length = 0
  #weight = 0
  readonly #loops: number[] = []
  /** Start positions of patterns: at the root, or at every name. */
  readonly #rootStarts: number[] = []
  readonly #nameStarts: number[] = []
  readonly #ends: { readonly position: number; readonly line: number; readonly tail: GlobTail }[] = []
  /** Positions that match any character but a slash, and those that match a slash as well. */
  readonly #anyInName: number[] = []
  readonly #any: number[] = []
  /** Exceptions: positions that match this character, or do not match it. */
  readonly #takes = new Map<number, number[]>()
  readonly #refuses = new Map<number, number[]>()
  readonly #ranges: Range[] = []
  #machine: GlobMachine | undefined

  /** Throws a plain Error when the limit is reached. */
  add(items: readonly GlobItem[], { rooted, tail, line }: PatternPlace): void {
    const starts = rooted ? this.#rootStarts : this.#nameStarts
    const start = this.#length
    starts.push(start)
    if (items[0] !== undefined && isLoop(items[0])) starts.push(start + 1)
    let before: number | undefined
    for (const item of items) {
      if (isLoop(item)) before ??= this.#length
      this.#addItem(item)
    }
    if (tail === 'contents') this.#addCharacter(SLASH)
    const end = this.#next()
    this.#ends.push({ position: end, line, tail })
    const fixed = (before ?? end) - start
    const names = rooted ? 1 : 1 + slashesIn(items)
    this.#weight += end - start - fixed + Math.min(fixed, names * NAME_WEIGHT)
    if (this.#weight > WEIGHT_MAX || this.#length > POSITIONS_MAX)
      throw new Error('too many long patterns in this file')
    this.#machine = undefined
  }

  /** The cost of all matches so far: groups of 32 positions that were visited. */
  get steps(): number {
    return this.#machine?.steps ?? 0
  }

  /** The lowest line that matches, or `limit` when none below it does. Never throws. */
  first(path: string, limit: number): number {
    if (this.#ends.length === 0) return limit
    this.#machine ??= this.#build()
    return this.#machine.first(path, limit)
  }

  #next(): number {
    return this.#length++
  }

  #addCharacter(character: number): void {
    listFor(this.#takes, character).push(this.#next())
  }

  #addItem(item: GlobItem): void {
    switch (item.kind) {
      case 'literal':
        for (const character of item.text) this.#addCharacter(character.codePointAt(0)!)
        break
      case 'one':
        this.#anyInName.push(this.#next())
        break
      case 'star':
        this.#anyInName.push(this.#length)
        this.#loops.push(this.#next())
        break
      case 'double-star':
        this.#any.push(this.#length)
        this.#loops.push(this.#next())
        break
      case 'class':
        this.#addClass(item)
    }
  }

  #addClass({ negated, low, high, list }: Extract<GlobItem, { kind: 'class' }>): void {
    const isRange = high >= low
    const position = this.#next()
    this.#weight += isRange ? RANGE_WEIGHT : list.length
    if (negated) this.#anyInName.push(position)
    if (isRange) this.#ranges.push({ low, high, negated, position })
    for (const character of list) {
      // No class matches a slash, because a slash ends a name.
      if (character !== '/') listFor(negated ? this.#refuses : this.#takes, character.codePointAt(0)!).push(position)
    }
  }

  #build(): GlobMachine {
    const words = Math.ceil(this.#length / BITS)
    const row = (...lists: readonly number[][]): Int32Array => bitsOf(words, lists)
    const takeSlash = row(this.#any)
    const takeAny = row(this.#any, this.#anyInName)
    const endsWith = (tail: GlobTail): number[] => {
      return this.#ends.filter((end) => end.tail === tail).map(({ position }) => position)
    }
    return new GlobMachine({
      loops: row(this.#loops),
      rootStarts: row(this.#rootStarts, this.#nameStarts),
      nameStarts: row(this.#nameStarts),
      treeEnds: row(endsWith('tree')),
      belowEnds: row(endsWith('contents')),
      lines: new Map(this.#ends.map(({ position, line }) => [position, line])),
      startsAnywhere: this.#nameStarts.length > 0,
      rowFor: (character) => this.#fillRow(character, (character === SLASH ? takeSlash : takeAny).slice()),
    })
  }

  #fillRow(character: number, row: Int32Array): Int32Array {
    for (const position of this.#takes.get(character) ?? []) row[position >>> 5]! |= 1 << position
    if (character === SLASH) return row
    for (const position of this.#refuses.get(character) ?? []) row[position >>> 5]! &= ~(1 << position)
    for (const { low, high, negated, position } of this.#ranges) {
      if (character < low || character > high) continue
      if (negated) row[position >>> 5]! &= ~(1 << position)
      else row[position >>> 5]! |= 1 << position
    }
    return row
  }
}

function slashesIn(items: readonly GlobItem[]): number {
  let count = 0
  for (const item of items) {
    if (item.kind !== 'literal') continue
    for (let at = item.text.indexOf('/'); at >= 0; at = item.text.indexOf('/', at + 1)) count++
  }
  return count
}

function listFor(lists: Map<number, number[]>, character: number): number[] {
  let list = lists.get(character)
  if (list === undefined) lists.set(character, (list = []))
  return list
}

function bitsOf(words: number, lists: readonly (readonly number[])[]): Int32Array {
  const bits = new Int32Array(words)
  for (const list of lists) for (const position of list) bits[position >>> 5]! |= 1 << position
  return bits
}
