import { damaged } from '../sqlite/damage.ts'

/** Reads numbers and byte strings of LevelDB's formats in order. Throws `database-damaged` at the end of the data. */
export class VarintReader {
  readonly #data: Buffer
  #at: number
  readonly #end: number

  constructor(data: Buffer, start = 0, end = data.length) {
    this.#data = data
    this.#at = start
    this.#end = end
  }

  get at(): number {
    return this.#at
  }

  get done(): boolean {
    return this.#at >= this.#end
  }

  /** Exact up to 2^53; larger numbers occur in no valid file, and fail the checks of their callers. */
  varint(): number {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      if (this.#at >= this.#end || factor > 2 ** 63) throw damaged('a number that does not end')
      const byte = this.#data[this.#at++] ?? 0
      value += (byte & 0x7f) * factor
      if (byte < 0x80) return value
    }
  }

  /** A view. */
  bytes(length = this.varint()): Buffer {
    if (!(length <= this.#end - this.#at)) throw damaged('a value outside of its record')
    const start = this.#at
    this.#at += length
    return this.#data.subarray(start, this.#at)
  }

  /** Bytes as a string of one character each, which compares as the bytes do. */
  key(length = this.varint()): string {
    return this.bytes(length).toString('latin1')
  }
}
