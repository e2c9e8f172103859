/** Limit of touched names that are kept. */
const TOUCHED_MAX = 20_000

/** The names that were written since they were last taken. */
export class TouchedNames {
  /** Undefined before the first `take`, or when there are too many. */
  #names: Set<string> | undefined

  add(name: string): void {
    if (this.#names === undefined) return
    if (this.#names.size >= TOUCHED_MAX) this.#names = undefined
    else this.#names.add(name)
  }

  take(): readonly string[] | undefined {
    const names = this.#names
    this.#names = new Set()
    return names === undefined ? undefined : [...names]
  }
}
