import { isAtOrBelow } from '../../core/paths.ts'
import type { ScanProblem } from '../../scanner/types.ts'

/** Bounds memory when every item fails. */
const PROBLEMS_MAX = 10_000

/** The items of a folder that could not be handled, by path. */
export class Problems {
  #byPath = new Map<string, string>()

  get count(): number {
    return this.#byPath.size
  }

  /** Replaces the problems at or below these paths by those of the latest scan. True when the list changed. */
  replace(subs: readonly string[], found: readonly ScanProblem[]): boolean {
    const before = this.#byPath
    const kept = [...before].filter(([path]) => !subs.some((sub) => isAtOrBelow(path, sub)))
    this.#byPath = new Map([...kept, ...found.map((each) => [each.path, each.error] as const)].slice(0, PROBLEMS_MAX))
    return before.size !== this.#byPath.size || [...before].some(([path, error]) => this.#byPath.get(path) !== error)
  }

  /** By path. */
  list(): readonly ScanProblem[] {
    return [...this.#byPath].map(([path, error]) => ({ path, error })).sort((a, b) => (a.path < b.path ? -1 : 1))
  }
}
