const HASH_BYTES = 32
/** Keys sorted together: a larger table is gone through once for each lot, instead of once for every file. */
const LOT_KEYS = 128 * 1_024
/** A key and the place of its file in the lot make one number, so that sorting needs no function. */
const PLACES_MAX = 2 ** 20
const KEYS_BELOW_ZERO = 2 ** 31

/** 32 bits of a block hash: as a number with a sign they take four bytes in a table. */
export function blockKey(hashes: Uint8Array, offset = 0): number {
  return new DataView(hashes.buffer, hashes.byteOffset + offset).getInt32(0)
}

/** Block hashes of some files, on their way into a table that is ordered by hash. */
export class BlockLot {
  /** The records up to here are in the lot. */
  upTo: number
  isLast = false
  readonly #files: number[] = []
  #numbers = new Float64Array(1_024)
  #count = 0
  #taken = 0

  constructor(upTo: number) {
    this.upTo = upTo
  }

  get count(): number {
    return this.#count
  }

  get full(): boolean {
    return this.#count >= LOT_KEYS
  }

  add(sequence: number, hashes: Uint8Array): void {
    const place = this.#files.push(sequence) - 1
    this.#makeRoom(hashes.length / HASH_BYTES)
    for (let offset = 0; offset + HASH_BYTES <= hashes.length; offset += HASH_BYTES) {
      this.#numbers[this.#count++] = (blockKey(hashes, offset) + KEYS_BELOW_ZERO) * PLACES_MAX + place
    }
  }

  #makeRoom(more: number): void {
    const needed = this.#count + more
    if (needed <= this.#numbers.length) return
    const larger = new Float64Array(Math.max(needed, this.#numbers.length * 2))
    larger.set(this.#numbers)
    this.#numbers = larger
  }

  /** No more are added: from now on they can be taken, in order. `isLast`: there are no later records. */
  sort(isLast: boolean): void {
    this.#numbers = this.#numbers.subarray(0, this.#count).sort()
    this.isLast = isLast
  }

  /** Whether all have been taken. */
  get empty(): boolean {
    return this.#taken >= this.#count
  }

  /** The next key with the sequence number of its file, each once. Not for an empty lot. */
  next(): readonly [key: number, sequence: number] {
    const number = this.#numbers[this.#taken++] ?? 0
    // A file may hold the same block many times.
    while (this.#taken < this.#count && this.#numbers[this.#taken] === number) this.#taken++
    return [Math.floor(number / PLACES_MAX) - KEYS_BELOW_ZERO, this.#files[number % PLACES_MAX] ?? 0]
  }
}
