export const SLASH = 47
export const BITS = 32
/** Limit of cached characters, each with a bit for every position. */
const ROWS_MAX = 64

/** What an automaton is compiled to: rows have a bit for every position. */
export interface Program {
  readonly loops: Int32Array
  readonly rootStarts: Int32Array
  readonly nameStarts: Int32Array
  readonly treeEnds: Int32Array
  readonly belowEnds: Int32Array
  /** The line of the pattern that ends at a position. */
  readonly lines: ReadonlyMap<number, number>
  readonly startsAnywhere: boolean
  /** The positions that match a character. */
  rowFor(character: number): Int32Array
}

/** The nonzero words of a row, in order. */
interface SparseBits {
  readonly words: Int32Array
  readonly bits: Int32Array
}

/** What is known of one character. */
interface CharacterRows {
  readonly row: Int32Array
  /** The states after this character as the first of a path, or of a name below the root. */
  atRoot: SparseBits | undefined
  atName: SparseBits | undefined
}

/**
 * Runs an automaton over paths. Only the words with a state are visited: of thousands of patterns most end at the first
 * character of a name that does not fit them, and must cost nothing from there on.
 */
export class GlobMachine {
  /** Words visited so far, the measure of the cost. */
  steps = 0
  readonly #program: Program
  readonly #states: Int32Array
  /** The words of `#states` that are not zero, in order, and room for the next ones. */
  #active: Int32Array
  #next: Int32Array
  #count = 0
  readonly #rows = new Map<number, CharacterRows>()

  constructor(program: Program) {
    this.#program = program
    this.#states = new Int32Array(program.loops.length)
    this.#active = new Int32Array(program.loops.length)
    this.#next = new Int32Array(program.loops.length)
  }

  first(path: string, limit: number): number {
    const { treeEnds, belowEnds, startsAnywhere } = this.#program
    let best = limit
    this.#clear()
    for (let at = 0; at < path.length;) {
      const character = path.codePointAt(at)!
      const rows = this.#rowsOf(character)
      this.#advance(rows.row)
      if (at === 0) this.#merge((rows.atRoot ??= this.#startsAfter(this.#program.rootStarts, rows.row)))
      else if (path.charCodeAt(at - 1) === SLASH) {
        this.#merge((rows.atName ??= this.#startsAfter(this.#program.nameStarts, rows.row)))
      }
      if (this.#count === 0 && !startsAnywhere) break
      at += character > 0xffff ? 2 : 1
      if (character === SLASH) best = this.#ended(belowEnds, best)
      else if (at >= path.length || path.charCodeAt(at) === SLASH) best = this.#ended(treeEnds, best)
    }
    return best
  }

  #clear(): void {
    for (let i = 0; i < this.#count; i++) this.#states[this.#active[i]!] = 0
    this.#count = 0
  }

  #rowsOf(character: number): CharacterRows {
    let rows = this.#rows.get(character)
    if (rows === undefined) {
      if (this.#rows.size >= ROWS_MAX) this.#rows.clear()
      rows = { row: this.#program.rowFor(character), atRoot: undefined, atName: undefined }
      this.#rows.set(character, rows)
    }
    return rows
  }

  /** Advances all states by one character. */
  #advance(row: Int32Array): void {
    const { loops } = this.#program
    const states = this.#states
    const active = this.#active
    const next = this.#next
    const before = this.#count
    let count = 0
    let carry = 0
    let follower = -1
    for (let i = 0; i < before; i++) {
      const word = active[i]!
      if (carry !== 0 && follower !== word) {
        states[follower] = passedOn(carry, loops[follower]!)
        next[count++] = follower
        carry = 0
      }
      const loop = loops[word]!
      const taken = states[word]! & row[word]!
      const moved = taken & ~loop
      const reached = passedOn((moved << 1) | carry | (taken & loop), loop)
      carry = (moved | (reached & loop)) >>> 31
      follower = word + 1
      states[word] = reached
      next[count] = word
      if (reached !== 0) count++
    }
    if (carry !== 0) {
      states[follower] = passedOn(carry, loops[follower]!)
      next[count++] = follower
    }
    this.steps += before
    this.#swap(count)
  }

  /** Adds states. */
  #merge({ words, bits }: SparseBits): void {
    const states = this.#states
    const active = this.#active
    const next = this.#next
    const before = this.#count
    let count = 0
    let i = 0
    for (let j = 0; j < words.length; j++) {
      const word = words[j]!
      while (i < before && active[i]! < word) next[count++] = active[i++]!
      if (i < before && active[i] === word) i++
      states[word]! |= bits[j]!
      next[count++] = word
    }
    if (count === 0) return // nothing starts here: the common case
    while (i < before) next[count++] = active[i++]!
    this.steps += count
    this.#swap(count)
  }

  #swap(count: number): void {
    const free = this.#active
    this.#active = this.#next
    this.#next = free
    this.#count = count
  }

  /** The lowest line of all patterns that have reached one of these ends, or `best` if that is lower. */
  #ended(ends: Int32Array, best: number): number {
    this.steps += this.#count
    for (let i = 0; i < this.#count; i++) {
      const word = this.#active[i]!
      const reached = this.#states[word]! & ends[word]!
      if (reached === 0) continue
      const position = word * BITS + 31 - Math.clz32(reached & -reached)
      return Math.min(best, this.#program.lines.get(position) ?? best)
    }
    return best
  }

  #startsAfter(starts: Int32Array, row: Int32Array): SparseBits {
    const { loops } = this.#program
    const words: number[] = []
    const bits: number[] = []
    let carry = 0
    starts.forEach((before, word) => {
      const loop = loops[word]!
      const taken = before & row[word]!
      const moved = taken & ~loop
      const reached = passedOn((moved << 1) | carry | (taken & loop), loop)
      carry = (moved | (reached & loop)) >>> 31
      if (reached === 0) return
      words.push(word)
      bits.push(reached)
    })
    this.steps += starts.length
    return { words: Int32Array.from(words), bits: Int32Array.from(bits) }
  }
}

/** A loop may also match nothing. Two loops are never adjacent, so one such step is enough. */
function passedOn(reached: number, loop: number): number {
  return reached | ((reached & loop) << 1)
}
