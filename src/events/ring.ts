/** The last `limit` things, oldest first. Adding never moves what is there, so a flood stays cheap. */
export class Ring<T> {
  readonly #limit: number
  #items: T[] = []
  /** Where the oldest item is once the ring is full. */
  #start = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  push(item: T): void {
    if (this.#items.length < this.#limit) {
      this.#items.push(item)
      return
    }
    this.#items[this.#start] = item
    this.#start = (this.#start + 1) % this.#limit
  }

  /** Those that the test accepts, oldest first. */
  filter(accept: (item: T) => boolean): T[] {
    const found: T[] = []
    for (let i = 0; i < this.#items.length; i++) {
      const item = this.#items[(this.#start + i) % this.#items.length]
      if (item !== undefined && accept(item)) found.push(item)
    }
    return found
  }

  clear(): void {
    this.#items = []
    this.#start = 0
  }
}
