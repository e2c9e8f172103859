import { HASH_SIZE_BYTES } from '../../core/records/blocks.ts'
import { SequenceSlots } from '../sqlite/sequence-slots.ts'

/** Keys that are sorted together: a large table is traversed once per batch instead of once per file. */
const BATCH_KEYS = 64 * 1_024
/** A key and the position of its file in the batch form one number, so that sorting needs no comparison function. */
const PLACES_MAX = 2 ** 20
const KEYS_BELOW_ZERO = 2 ** 31

/** 32 bits of a block hash; a signed number takes four bytes in a table. */
export function blockKey(hashes: Uint8Array, offset = 0): number {
  return new DataView(hashes.buffer, hashes.byteOffset + offset).getInt32(0)
}

/** Block hashes of some files, searched in memory until there are enough to store in the table ordered by hash. */
export class BlockBatch {
  /** The records up to this sequence number are in the batch. */
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
    return this.count >= BATCH_KEYS
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

  /** Call after the last `add` and before the first `next`. */
  sort(): void {
    this.#numbers = Float64Array.from(this.#numbers).sort()
  }

  /** Whether all have been taken. */
  get empty(): boolean {
    return this.#taken >= this.#numbers.length
  }

  /** The next key with the sequence number of its file. Not for an empty batch. */
  next(): readonly [key: number, sequence: number] {
    const number = this.#numbers[this.#taken++] ?? 0
    return [Math.floor(number / PLACES_MAX) - KEYS_BELOW_ZERO, this.#files[number % PLACES_MAX] ?? 0]
  }
}
