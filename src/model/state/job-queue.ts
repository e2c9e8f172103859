/** Bounds the requests for files that are not queued yet; a user makes a few, a script may send many. */
const PRIORITIZED_MAX = 1_000

/** The files waiting to be pulled, in order, and those being pulled. A Set keeps insertion order and uniqueness. */
export class JobQueue {
  readonly #limit: number
  #waiting = new Set<string>()
  /** Kept over `pop`: a new iterator of a Set would skip all deleted entries again to find the first one. */
  #order = this.#waiting.values()
  #first: string | undefined
  /** Files requested first, the most recent last. Kept when the queue is rebuilt for the next pull. */
  readonly #prioritized = new Set<string>()
  /** Those of them that were neither queued nor being pulled, since `takeRequested`. */
  #requested: string[] = []
  /** With whether the file was prioritized: after a failure it stays prioritized. */
  readonly #progress = new Map<string, boolean>()

  constructor(limit: number) {
    this.#limit = limit
  }

  /** False when full, which it never is for prioritized files: the path is pushed again later. */
  push(path: string): boolean {
    if (this.#waiting.has(path)) return true
    const isPrioritized = this.#prioritized.has(path)
    if (this.isFull && !isPrioritized) return false
    this.#waiting.add(path)
    if (isPrioritized) this.#movePrioritizedToFront()
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
    if (first !== undefined) this.begin(first)
    return first
  }

  /** The same for any that waits. */
  begin(path: string): void {
    this.#waiting.delete(path)
    if (this.#first === path) this.#first = undefined
    this.#progress.set(path, this.#prioritized.delete(path))
  }

  /** The first one, if it is prioritized. */
  peekPrioritized(): string | undefined {
    const first = this.#prioritized.size === 0 ? undefined : this.peek()
    return first !== undefined && this.#prioritized.has(first) ? first : undefined
  }

  finished(path: string, succeeded: boolean): void {
    if (this.#progress.get(path) === true && !succeeded) this.#prioritized.add(path)
    this.#progress.delete(path)
  }

  /** Empties the queue. Prioritized files stay prioritized. */
  clear(): void {
    this.#setWaiting(new Set())
  }

  #setWaiting(waiting: Set<string>): void {
    this.#waiting = waiting
    this.#order = waiting.values()
    this.#first = undefined
  }

  get isFull(): boolean {
    return this.#waiting.size >= this.#limit
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0 && this.#progress.size === 0
  }

  /** Whether a file is queued or being pulled. */
  has(path: string): boolean {
    return this.#waiting.has(path) || this.#progress.has(path)
  }

  /** In the order in which they will be pulled. */
  waiting(): readonly string[] {
    return [...this.#waiting]
  }

  /** Oldest first. */
  inProgress(): readonly string[] {
    return [...this.#progress.keys()]
  }

  prioritized(): readonly string[] {
    return [...this.#prioritized]
  }

  /** Files prioritized since the last call that are not queued yet. */
  takeRequested(): readonly string[] {
    if (this.#requested.length === 0) return this.#requested
    const requested = this.#requested
    this.#requested = []
    return requested
  }

  /** Linear, which is fine for a request by the user. A file that is not queued yet goes first once it is. */
  bringToFront(path: string): void {
    this.#prioritized.delete(path)
    this.#prioritized.add(path)
    const [oldest] = this.#prioritized
    if (this.#prioritized.size > PRIORITIZED_MAX && oldest !== undefined) this.#prioritized.delete(oldest)
    if (this.#waiting.has(path)) this.#movePrioritizedToFront()
    else if (this.#requested.length < PRIORITIZED_MAX) this.#requested.push(path)
  }

  /** Prioritized files come first, the most recent before the others. */
  #movePrioritizedToFront(): void {
    const front = [...this.#prioritized].filter((path) => this.#waiting.has(path)).reverse()
    this.#setWaiting(new Set([...front, ...this.#waiting]))
  }
}
