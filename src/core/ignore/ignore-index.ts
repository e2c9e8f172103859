/** Each number of components is looked up at each component of a path: more than a few of them take too long. */
const ANYWHERE_COMPONENTS_MAX = 8

/**
 * Finds the first of very many simple patterns that matches a path: plain names and paths, names by their end (`*.tmp`)
 * and by their start (`~$*`). Their texts are looked up, not tried, so their number hardly matters.
 */
export class SimplePatternIndex {
  /** By number of components, then by text. */
  readonly #anywhere = new Map<number, Map<string, Place>>()
  readonly #rooted = new Map<number, Map<string, Place>>()
  /** By length, the shortest first, then by text; of one component. */
  #endings = new Map<number, Map<string, Place>>()
  #beginnings = new Map<number, Map<string, Place>>()
  #sorted = true

  /** False, and nothing added, for a long path that may begin anywhere. */
  addLiteral(text: string, place: Place & { readonly rooted: boolean }): boolean {
    const count = text.split('/').length
    if (!place.rooted && count > ANYWHERE_COMPONENTS_MAX) return false
    add(place.rooted ? this.#rooted : this.#anywhere, count, text, place)
    return true
  }

  addEnding(text: string, place: Place): void {
    add(this.#endings, text.length, text, place)
    this.#sorted = false
  }

  addBeginning(text: string, place: Place): void {
    add(this.#beginnings, text.length, text, place)
    this.#sorted = false
  }

  /** The lowest line that matches, or `limit` when none below it does. */
  first(path: string, limit: number): number {
    const ends = componentEnds(path)
    let best = limit
    for (const texts of this.#rooted) best = atComponent(path, ends, 0, texts, best)
    if (this.#anywhere.size + this.#endings.size + this.#beginnings.size === 0) return best
    if (!this.#sorted) this.#sort()
    for (let i = 0; i < ends.length; i++) {
      for (const texts of this.#anywhere) best = atComponent(path, ends, i, texts, best)
      const start = i === 0 ? 0 : ends[i - 1]! + 1
      const end = ends[i]!
      const last = i === ends.length - 1
      for (const [length, texts] of this.#endings) {
        if (length > end - start) break
        best = better(texts.get(path.slice(end - length, end)), last, best)
      }
      for (const [length, texts] of this.#beginnings) {
        if (length > end - start) break
        best = better(texts.get(path.slice(start, start + length)), last, best)
      }
    }
    return best
  }

  #sort(): void {
    this.#endings = new Map([...this.#endings].sort(([a], [b]) => a - b))
    this.#beginnings = new Map([...this.#beginnings].sort(([a], [b]) => a - b))
    this.#sorted = true
  }
}

/**
 * Finds the first pattern of two texts around a single `**` that matches a path in which the texts overlap, as in
 * Syncthing. Longer paths are matched by the automaton.
 */
export class OverlapIndex {
  /** Entries visited so far, the measure of the cost. */
  steps = 0
  /** By length of the first text, then by that text; the lines in order. */
  readonly #starts = new Map<number, Map<string, Overlaps>>()

  add(start: string, end: string, line: number): void {
    let texts = this.#starts.get(start.length)
    if (texts === undefined) this.#starts.set(start.length, (texts = new Map()))
    let overlaps = texts.get(start)
    if (overlaps === undefined) texts.set(start, (overlaps = { longest: 0, ends: [] }))
    overlaps.longest = Math.max(overlaps.longest, end.length)
    overlaps.ends.push({ text: end, line })
  }

  /** The lowest line that matches, or `limit` when none below it does. */
  first(path: string, limit: number): number {
    let best = limit
    for (const [length, texts] of this.#starts) {
      this.steps++
      const overlaps = texts.get(path.slice(0, length))
      if (overlaps !== undefined && path.length < length + overlaps.longest) best = this.#ended(path, overlaps, best)
    }
    return best
  }

  #ended(path: string, { ends }: Overlaps, best: number): number {
    for (const { text, line } of ends) {
      if (line >= best) break
      this.steps++
      if (path.endsWith(text)) return line
    }
    return best
  }
}

/** The second texts of patterns with the same first text. */
interface Overlaps {
  longest: number
  readonly ends: { readonly text: string; readonly line: number }[]
}

/** The first line of a pattern, for the item itself and for everything below it. */
interface Place {
  readonly itself: number
  readonly below: number
}

function add(index: Map<number, Map<string, Place>>, key: number, text: string, place: Place): void {
  let texts = index.get(key)
  if (texts === undefined) index.set(key, (texts = new Map()))
  const existing = texts.get(text)
  texts.set(text, {
    itself: Math.min(place.itself, existing?.itself ?? Infinity),
    below: Math.min(place.below, existing?.below ?? Infinity),
  })
}

function componentEnds(path: string): number[] {
  const ends: number[] = []
  for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) ends.push(slash)
  ends.push(path.length)
  return ends
}

function atComponent(
  path: string,
  ends: readonly number[],
  first: number,
  [count, texts]: readonly [number, ReadonlyMap<string, Place>],
  best: number,
): number {
  const last = first + count - 1
  if (last >= ends.length) return best
  const start = first === 0 ? 0 : ends[first - 1]! + 1
  return better(texts.get(path.slice(start, ends[last])), last === ends.length - 1, best)
}

function better(place: Place | undefined, isLast: boolean, best: number): number {
  if (place === undefined) return best
  return Math.min(best, isLast ? place.itself : place.below)
}
