/** Leftovers beyond the limit are removed by a scan after a day. */
const NAMES_MAX = 10_000

/**
 * Temporary files of failed pulls. They are kept for the next attempt, and removed when the item is up to date or
 * deleted.
 */
export class Leftovers {
  readonly #names = new Set<string>()

  get any(): boolean {
    return this.#names.size > 0
  }

  add(name: string): void {
    if (this.#names.size < NAMES_MAX) this.#names.add(name)
  }

  /** Removes leftovers that no pull will resume: those for which `isRemoved` resolves with true. */
  async sweep(isRemoved: (name: string) => Promise<boolean>): Promise<void> {
    for (const name of this.#names) if (await isRemoved(name)) this.#names.delete(name)
  }
}
