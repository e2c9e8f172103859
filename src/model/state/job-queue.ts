/** Wishes for files that are not queued yet; a person makes a handful, a script may try more. */
const WISHES_MAX = 1_000

/** The files waiting to be pulled, in order, and those being pulled. A Set keeps insertion order and uniqueness at once. */
export class JobQueue {
  readonly #limit: number
  #waiting = new Set<string>()
  /** Goes along with what is taken: from its beginning a Set finds its first member only past all that are gone. */
  #order = this.#waiting.values()
  #first: string | undefined
  /** Files somebody wants first, the most recent wish last. They outlive the queue, which is built anew for every pull. */
  readonly #wishes = new Set<string>()
  /** With whether somebody wished for it: a wish that could not be fulfilled is not forgotten. */
  readonly #progress = new Map<string, boolean>()

  constructor(limit: number) {
    this.#limit = limit
  }

  /** False when full: the caller stops reading the need list and comes back later. */
  push(path: string): boolean {
    if (this.#waiting.has(path)) return true
    if (this.#waiting.size >= this.#limit) return false
    this.#waiting.add(path)
    if (this.#wishes.has(path)) this.#grantWishes()
    return true
  }

  peek(): string | undefined {
    if (this.#waiting.size === 0) return undefined
    if (this.#first === undefined) this.#first = this.#order.next().value
    return this.#first
  }

  /** The first one is being pulled from now on, until `finished`. */
  pop(): string | undefined {
    const first = this.peek()
    if (first === undefined) return undefined
    this.#waiting.delete(first)
    this.#first = undefined
    this.#progress.set(first, this.#wishes.delete(first))
    return first
  }

  finished(path: string, succeeded: boolean): void {
    if (this.#progress.get(path) === true && !succeeded) this.#wishes.add(path)
    this.#progress.delete(path)
  }

  /** Nothing waits any more. Wishes stay. */
  clear(): void {
    this.#setWaiting(new Set())
  }

  #setWaiting(waiting: Set<string>): void {
    this.#waiting = waiting
    this.#order = waiting.values()
    this.#first = undefined
  }

  /** In the order in which they will be pulled. */
  waiting(): readonly string[] {
    return [...this.#waiting]
  }

  /** Oldest first. */
  inProgress(): readonly string[] {
    return [...this.#progress.keys()]
  }

  wishes(): readonly string[] {
    return [...this.#wishes]
  }

  /** Linear, and that is fine: a person pressed a button. A file that is not queued yet goes first once it is. */
  bringToFront(path: string): void {
    this.#wishes.delete(path)
    this.#wishes.add(path)
    const [oldest] = this.#wishes
    if (this.#wishes.size > WISHES_MAX && oldest !== undefined) this.#wishes.delete(oldest)
    if (this.#waiting.has(path)) this.#grantWishes()
  }

  /** Files that somebody wished for come first, the most recent wish before the others. */
  #grantWishes(): void {
    const granted = [...this.#wishes].filter((wish) => this.#waiting.has(wish)).reverse()
    this.#setWaiting(new Set([...granted, ...this.#waiting]))
  }
}
