import { HASH_SIZE_BYTES } from '../../core/records/blocks.ts'
import { SequenceSlots } from '../sqlite/sequence-slots.ts'

/** Keys that are sorted together. A large table is gone through once for each lot, instead of once for every file. */
const LOT_KEYS = 64 * 1_024
/** A key and the place of its file in the lot make one number, so that sorting needs no function. */
const PLACES_MAX = 2 ** 20
const KEYS_BELOW_ZERO = 2 ** 31

/** 32 bits of a block hash: as a number with a sign they take four bytes in a table. */
export function blockKey(hashes: Uint8Array, offset = 0): number {
  return new DataView(hashes.buffer, hashes.byteOffset + offset).getInt32(0)
}

/** Block hashes of some files, to be found in memory until there are enough to go into a table that is ordered by hash. */
export class BlockBatch {
  /** The records up to here are in the lot. */
  upTo: number
  readonly #slots = new SequenceSlots()
  readonly #files: number[] = []
  #numbers: number[] | Float64Array = []
  #taken = 0

  constructor(upTo: number) {
    this.upTo = upTo
  }

  get count(): number {
    return this.#slots.count
  }

  get full(): boolean {
    return this.count >= LOT_KEYS
  }

  add(sequence: number, hashes: Uint8Array): void {
    const place = this.#files.push(sequence) - 1
    for (let offset = 0; offset + HASH_SIZE_BYTES <= hashes.length; offset += HASH_SIZE_BYTES) {
      const key = blockKey(hashes, offset)
      this.#slots.add(key, sequence)
      this.#numbers[this.count - 1] = (key + KEYS_BELOW_ZERO) * PLACES_MAX + place
    }
  }

  get(key: number): Iterable<number> {
    return this.#slots.get(key)
  }

  /** No more are added: from now on they can be taken, in order. */
  sort(): void {
    this.#numbers = Float64Array.from(this.#numbers).sort()
  }

  /** Whether all have been taken. */
  get empty(): boolean {
    return this.#taken >= this.#numbers.length
  }

  /** The next key with the sequence number of its file. Not for an empty lot. */
  next(): readonly [key: number, sequence: number] {
    const number = this.#numbers[this.#taken++] ?? 0
    return [Math.floor(number / PLACES_MAX) - KEYS_BELOW_ZERO, this.#files[number % PLACES_MAX] ?? 0]
  }
}
