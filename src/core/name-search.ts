import { INDEXED_NAME_LENGTH_MAX } from './paths.ts'

/** Between names that are joined in one text: no name contains it. */
export const NAME_END = '\0'

/**
 * Finds names that contain a text in any case: in the last segment of their paths, or anywhere if the text has a slash.
 * Many names are compared at once, because a text of each of them costs more than the comparison.
 */
export class NameMatcher {
  readonly #wanted: string
  readonly #isPath: boolean

  constructor(text: string) {
    this.#wanted = text.normalize('NFC').toLowerCase()
    this.#isPath = this.#wanted.includes('/')
  }

  /** Those of the joined names that match, in their order. */
  matches(joined: string): readonly string[] {
    const found: string[] = []
    const wanted = this.#wanted
    if (wanted === '' || wanted.includes(NAME_END)) return found
    const lower = joined.toLowerCase() // may be longer: the same name is at another place in it
    let start = 0
    let lowerStart = 0
    for (let at = lower.indexOf(wanted); at !== -1;) {
      let lowerEnd = endOf(lower, lowerStart)
      while (lowerEnd < at) {
        start = endOf(joined, start) + 1
        lowerStart = lowerEnd + 1
        lowerEnd = endOf(lower, lowerStart)
      }
      const lastSlash = this.#isPath ? -1 : lower.slice(lowerStart, lowerEnd).lastIndexOf('/')
      if (at > lowerStart + lastSlash) {
        found.push(joined.slice(start, endOf(joined, start)))
        at = lower.indexOf(wanted, lowerEnd)
      } else {
        at = lower.indexOf(wanted, lowerStart + lastSlash + 1)
      }
    }
    return found
  }
}

function endOf(joined: string, start: number): number {
  const end = joined.indexOf(NAME_END, start)
  return end === -1 ? joined.length : end
}

/** Where a search in all folders goes on: behind this name of the folder, or, without a name, at its beginning. */
export interface SearchPosition {
  readonly folder: string
  readonly after: string
}

/** More than an encoded folder ID of usual length and the longest name. */
const CURSOR_LENGTH_MAX = 2 * INDEXED_NAME_LENGTH_MAX

export function searchCursor({ folder, after }: SearchPosition): string {
  return `${encodeURIComponent(folder)}/${after}`
}

/** Undefined for a text that is no cursor. */
export function parseSearchCursor(text: string): SearchPosition | undefined {
  const slash = text.indexOf('/')
  const after = text.slice(slash + 1)
  if (slash < 1 || text.length > CURSOR_LENGTH_MAX || !isSearchedName(after)) return undefined
  try {
    return { folder: decodeURIComponent(text.slice(0, slash)), after }
  } catch {
    return undefined // no percent-encoded text
  }
}

/** Whether a search can go on behind this name; '' is the beginning. */
export function isSearchedName(name: string): boolean {
  return name.length <= INDEXED_NAME_LENGTH_MAX && !name.includes(NAME_END) && name.isWellFormed()
}
