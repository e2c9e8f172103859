import type { Logger } from '../events/types.ts'
import type { ScanProblem } from './types.ts'

/** Limit of stored problems; bounds memory when every item fails. */
const PROBLEMS_MAX = 10_000

/** The items that one scan could not read, by path. */
export class ScanProblems {
  readonly #log: Logger
  readonly #problems = new Map<string, ScanProblem>()

  constructor(log: Logger) {
    this.#log = log
  }

  get list(): readonly ScanProblem[] {
    return [...this.#problems.values()]
  }

  readonly add = (path: string, error: string): void => {
    if (this.#problems.size >= PROBLEMS_MAX) return
    this.#problems.set(path, { path, error })
    this.#log.debug(() => `${JSON.stringify(path)}: ${error}`)
  }
}
