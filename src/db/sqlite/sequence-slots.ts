const SLOTS_MIN = 1024

/**
 * Sequence numbers of records by 32 bits of a hash, in memory: a hash table with open addressing, 12 bytes per slot. It
 * returns candidates, because different hashes can have the same key.
 */
export class SequenceSlots {
  /** A free slot has the sequence number 0. */
  #keys = new Uint32Array(SLOTS_MIN)
  #sequences = new Float64Array(SLOTS_MIN)
  #count = 0

  get count(): number {
    return this.#count
  }

  add(key: number, sequence: number): void {
    if (this.#count * 3 >= this.#keys.length * 2) this.#grow()
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
    const sequences = new Float64Array(keys.length)
    this.#sequences.forEach((sequence, slot) => {
      if (sequence !== 0) place(keys, sequences, this.#keys[slot] ?? 0, sequence)
    })
    this.#keys = keys
    this.#sequences = sequences
  }
}

function place(keys: Uint32Array, sequences: Float64Array, key: number, sequence: number): void {
  const mask = keys.length - 1
  let slot = key & mask
  while (sequences[slot] !== 0) slot = (slot + 1) & mask
  keys[slot] = key
  sequences[slot] = sequence
}
