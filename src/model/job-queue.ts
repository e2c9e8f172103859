/** Wishes for files that are not queued yet; a person makes a handful, a script may try more. */
const WISHES_MAX = 1_000

/** The files waiting to be pulled, in order. A Set keeps insertion order and uniqueness at once. */
export class JobQueue {
  readonly #limit: number
  #waiting = new Set<string>()
  /** Files somebody wants first, the most recent wish last. They outlive the queue, which is built anew for every pull. */
  readonly #wishes = new Set<string>()

  constructor(limit: number) {
    this.#limit = limit
  }

  /** False when full: the caller stops reading the need list and comes back later. */
  push(path: string): boolean {
    if (this.#waiting.has(path)) return true
    if (this.#waiting.size >= this.#limit) return false
    this.#waiting.add(path)
    if (this.#wishes.delete(path)) this.#moveToFront(path)
    return true
  }

  pop(): string | undefined {
    const [first] = this.#waiting
    if (first !== undefined) this.#waiting.delete(first)
    return first
  }

  /** In the order in which they will be pulled. */
  waiting(): readonly string[] {
    return [...this.#waiting]
  }

  /** Linear, and that is fine: a person pressed a button. A file that is not queued yet goes first once it is. */
  bringToFront(path: string): void {
    if (this.#waiting.has(path)) {
      this.#moveToFront(path)
      return
    }
    this.#wishes.delete(path)
    this.#wishes.add(path)
    const [oldest] = this.#wishes
    if (this.#wishes.size > WISHES_MAX && oldest !== undefined) this.#wishes.delete(oldest)
  }

  #moveToFront(path: string): void {
    this.#waiting.delete(path)
    this.#waiting = new Set([path, ...this.#waiting])
  }
}
