import { NAME_END, NameMatcher } from '../../core/name-search.ts'
import { compareNames } from '../../core/paths.ts'
import type { SearchStep } from '../types.ts'
import { GLOBAL_SOURCES } from './global-rows.ts'
import type { JoinedNames, Listing } from './listing.ts'

/** How far one source of global rows has been read. */
interface SearchedSource {
  readonly source: number
  /** Undefined at its end. */
  readTo: string | undefined
  /** Found, and behind what another source has been read to. */
  found: string[]
  /** Names before the latest ones. */
  before: number
  latest: JoinedNames
}

const NO_NAMES: JoinedNames = { joined: '', count: 0, isEnd: false }

/**
 * A search in the names of a folder, in steps, so that other requests are served in between; changes in between may be
 * missing. Each source of global rows is read by itself: merging their rows in SQL takes longer than the search.
 */
export class IndexSearch {
  readonly #matcher: NameMatcher
  readonly #sources: readonly SearchedSource[]
  #searchedTo: string | undefined

  /** From behind this name on; '' is the beginning. */
  constructor(text: string, after: string) {
    this.#matcher = new NameMatcher(text)
    this.#searchedTo = after
    this.#sources = GLOBAL_SOURCES.map((_condition, source) => {
      return { source, readTo: after, found: [], before: 0, latest: NO_NAMES }
    })
  }

  /** Reads on, and returns up to `limit` names. After as many, it may not be called again. */
  step(listing: Listing, limit: number): SearchStep {
    const from = this.#horizon
    for (const each of this.#sources)
      if (each.readTo !== undefined && each.readTo === from) this.#read(listing, each, limit)
    const horizon = this.#horizon
    const isReached = (name: string) => horizon === undefined || compareNames(name, horizon) <= 0
    const reached = this.#sources.flatMap(({ found }) => found.filter(isReached)).sort(compareNames)
    for (const each of this.#sources) each.found = each.found.filter((name) => !isReached(name))
    // A name that has changed its winner in between may be in two sources.
    const found = reached.filter((name, at) => name !== reached[at - 1])
    this.#searchedTo = found.length > limit ? found[limit - 1] : horizon
    return { found: found.slice(0, limit), searchedTo: this.#searchedTo }
  }

  /** How many names have been compared, up to the end of the latest step. */
  get searched(): number {
    const to = this.#searchedTo
    const counts = this.#sources.map(({ readTo, before, latest }) => {
      if (to === undefined || (readTo !== undefined && compareNames(readTo, to) <= 0)) return before + latest.count
      return before + latest.joined.split(NAME_END).filter((name) => name !== '' && compareNames(name, to) <= 0).length
    })
    return counts.reduce((sum, count) => sum + count, 0)
  }

  /** The name up to which all sources have been read; undefined at the end of all. */
  get #horizon(): string | undefined {
    let least: string | undefined
    for (const { readTo } of this.#sources)
      if (readTo !== undefined && (least === undefined || compareNames(readTo, least) < 0)) least = readTo
    return least
  }

  /** The next names of one source; less of them if as many as `limit` are found. */
  #read(listing: Listing, each: SearchedSource, limit: number): void {
    each.before += each.latest.count
    const latest = listing.joinedNames(each.source, each.readTo ?? '')
    each.latest = latest
    each.readTo = latest.isEnd ? undefined : latest.joined.slice(latest.joined.lastIndexOf(NAME_END) + 1)
    let left = limit
    for (const name of this.#matcher.matches(latest.joined)) {
      if (left === 0) {
        each.readTo = each.found.at(-1)
        each.latest = namesUpTo(latest.joined, each.readTo ?? '')
        return
      }
      if (!listing.isListedIn(each.source, name)) continue
      each.found.push(name)
      left--
    }
  }
}

function namesUpTo(joined: string, last: string): JoinedNames {
  const names = joined.split(NAME_END).filter((name) => compareNames(name, last) <= 0)
  return { joined: names.join(NAME_END), count: names.length, isEnd: false }
}
