/** Ring buffer of the last `limit` items, oldest first. Adding and dropping take amortized constant time. */
export class Ring<T> {
  readonly #limit: number
  #items: (T | undefined)[] = []
  /** Index of the oldest item; the slots before it are empty. */
  #start = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get size(): number {
    return this.#items.length - this.#start
  }

  /** Returns the item dropped to stay within the limit. */
  push(item: T): T | undefined {
    this.#items.push(item)
    return this.size > this.#limit ? this.dropOldest() : undefined
  }

  dropOldest(): T | undefined {
    const oldest = this.#items[this.#start]
    this.#items[this.#start] = undefined
    this.#start++
    if (this.#start >= this.#limit) {
      this.#items = this.#items.slice(this.#start)
      this.#start = 0
    }
    return oldest
  }

  /** The accepted items, oldest first. */
  filter(accept: (item: T) => boolean): T[] {
    const found: T[] = []
    for (let i = this.#start; i < this.#items.length; i++) {
      const item = this.#items[i]
      if (item !== undefined && accept(item)) found.push(item)
    }
    return found
  }

  /** Up to `count` items before and including the newest, from the oldest of them; no more than `limit`. */
  last(count: number, limit: number): T[] {
    const first = Math.max(this.#start, this.#items.length - count)
    return this.#items.slice(first, first + limit) as T[]
  }

  clear(): void {
    this.#items = []
    this.#start = 0
  }
}
