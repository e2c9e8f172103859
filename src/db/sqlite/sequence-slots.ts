const SLOTS_MIN = 1024
const SHORT_MAX = 2 ** 32 - 1

/**
 * Sequence numbers of records by 32 bits of a hash, in memory: a hash table with open addressing, 8 bytes per slot, or
 * 12 once a number is larger than four bytes hold. It returns candidates, because different hashes can have the same
 * key.
 */
export class SequenceSlots {
  /** A free slot has the sequence number 0. */
  #keys = new Uint32Array(SLOTS_MIN)
  #sequences: Uint32Array | Float64Array = new Uint32Array(SLOTS_MIN)
  #count = 0

  get count(): number {
    return this.#count
  }

  add(key: number, sequence: number): void {
    if (this.#count * 3 >= this.#keys.length * 2) this.#grow()
    if (sequence > SHORT_MAX && this.#sequences instanceof Uint32Array)
      this.#sequences = Float64Array.from(this.#sequences)
    place(this.#keys, this.#sequences, key >>> 0, sequence)
    this.#count++
  }

  *get(key: number): Iterable<number> {
    const wanted = key >>> 0
    const mask = this.#keys.length - 1
    for (let slot = wanted & mask; this.#sequences[slot] !== 0; slot = (slot + 1) & mask) {
      if (this.#keys[slot] === wanted) yield this.#sequences[slot] ?? 0
    }
  }

  #grow(): void {
    const keys = new Uint32Array(this.#keys.length * 2)
    const isShort = this.#sequences instanceof Uint32Array
    const sequences = isShort ? new Uint32Array(keys.length) : new Float64Array(keys.length)
    for (let slot = 0; slot < this.#keys.length; slot++) {
      const sequence = this.#sequences[slot] ?? 0
      if (sequence !== 0) place(keys, sequences, this.#keys[slot] ?? 0, sequence)
    }
    this.#keys = keys
    this.#sequences = sequences
  }
}

function place(keys: Uint32Array, sequences: Uint32Array | Float64Array, key: number, sequence: number): void {
  const mask = keys.length - 1
  let slot = key & mask
  while (sequences[slot] !== 0) slot = (slot + 1) & mask
  keys[slot] = key
  sequences[slot] = sequence
}
