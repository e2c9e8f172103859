import { TwinfoldError } from '../errors.ts'

/** Whether an item of a folder is to be on this device. */
export type SelectionState = 'kept' | 'dropped'

/** Why an entry is there: a user chose it, the item was made here, or it got its name by a rename on another device. */
export type SelectionReason = 'chosen' | 'made-here' | 'renamed'

/** A path at which the selection changes, for itself and everything below it. The root is ''. */
export interface SelectionEntry {
  readonly path: string
  readonly state: SelectionState
  readonly reason: SelectionReason
}

/** Every entry is a pattern, and patterns are compared with every name. */
export const ENTRIES_MAX = 10_000

/**
 * Which items of a folder are kept on this device. The nearest entry at or above a path decides; without one the path
 * is kept. No entry repeats what holds without it, so an item with an entry below it is partly kept.
 */
export class Selection {
  static readonly everything = new Selection([])

  readonly #entries = new Map<string, SelectionEntry>()
  /** Paths above an entry. */
  readonly #above = new Set<string>()

  constructor(entries: readonly SelectionEntry[]) {
    // Parents first, so that an entry which repeats its parent's state is recognized.
    for (const entry of [...entries].sort((a, b) => a.path.length - b.path.length)) this.#set(entry)
  }

  /** Parents after what is below them. */
  get entries(): readonly SelectionEntry[] {
    return [...this.#entries.values()].sort((a, b) => compareChildrenFirst(a.path, b.path))
  }

  get isEverything(): boolean {
    return this.#entries.size === 0
  }

  get hasKept(): boolean {
    return [...this.#entries.values()].some(({ state }) => state === 'kept')
  }

  stateOf(path: string): SelectionState {
    return this.entryFor(path)?.state ?? 'kept'
  }

  /** The entry that decides on a path. */
  entryFor(path: string): SelectionEntry | undefined {
    for (let at = path; at !== ''; at = aboveOf(at)) {
      const entry = this.#entries.get(at)
      if (entry !== undefined) return entry
    }
    return this.#entries.get('')
  }

  /** Whether something below the path has another state than the path. */
  isMixed(path: string): boolean {
    return this.#above.has(path)
  }

  /** With these entries, and without those below them. Throws `bad-request` for too many. */
  with(changes: readonly SelectionEntry[]): Selection {
    const next = new Selection(this.entries)
    for (const change of changes) {
      next.#remove(change.path)
      next.#set(change)
    }
    if (next.#entries.size > ENTRIES_MAX) {
      const remedy = 'keep or drop their directories instead'
      throw new TwinfoldError('bad-request', `more than ${ENTRIES_MAX} paths are kept or dropped singly; ${remedy}`)
    }
    return new Selection(next.entries)
  }

  #set(entry: SelectionEntry): void {
    if (this.stateOf(entry.path) === entry.state) return
    this.#entries.set(entry.path, entry)
    for (let at = entry.path; at !== '';) {
      at = aboveOf(at)
      this.#above.add(at)
    }
  }

  #remove(path: string): void {
    this.#entries.delete(path)
    if (!this.#above.has(path)) return
    for (const below of this.#entries.keys()) {
      if (path === '' || below.startsWith(`${path}/`)) this.#entries.delete(below)
    }
  }
}

/** Here and not of `core/paths`, which browsers cannot load. */
function aboveOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

/** By name, and what is below a path before the path, as the first pattern that matches decides. */
function compareChildrenFirst(a: string, b: string): number {
  if (a === b) return 0
  if (a === '' || b === '') return a === '' ? 1 : -1
  const [ours, theirs] = [a.split('/'), b.split('/')]
  for (let at = 0; at < ours.length && at < theirs.length; at++) {
    if (ours[at] !== theirs[at]) return ours[at]! < theirs[at]! ? -1 : 1
  }
  return theirs.length - ours.length
}
