const START_BYTES = 512
const TWO_32 = 0x1_0000_0000

/** Writes protobuf in the canonical encoding: shortest numbers, shortest lengths. */
export class WireWriter {
  #bytes: Buffer
  #at = 0

  constructor(capacityBytes: number = START_BYTES) {
    this.#bytes = Buffer.allocUnsafe(capacityBytes)
  }

  get lengthBytes(): number {
    return this.#at
  }

  /** The written bytes, not copied: the writer must not be used afterwards. */
  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#at)
  }

  tag(number: number, wireType: number): void {
    this.uint32(number * 8 + wireType)
  }

  uint32(value: number): void {
    this.#reserve(5)
    while (value > 0x7f) {
      this.#bytes[this.#at++] = (value & 0x7f) | 0x80
      value >>>= 7
    }
    this.#bytes[this.#at++] = value
  }

  /** Negative numbers take ten bytes, the upper 32 bits are their sign. */
  int32(value: number): void {
    if (value >= 0) this.uint32(value)
    else this.#write64(value | 0, -1)
  }

  int64(value: number): void {
    if (!Number.isSafeInteger(value)) throw new RangeError(`not a safe integer: ${value}`)
    if (value >= 0 && value < TWO_32) this.uint32(value)
    else this.#write64((value % TWO_32) | 0, Math.floor(value / TWO_32) | 0)
  }

  /** Signed or unsigned: the lower 64 bits are written. */
  bigint64(value: bigint): void {
    this.#write64(Number(BigInt.asIntN(32, value)), Number(BigInt.asIntN(32, value >> 32n)))
  }

  bytes(value: Uint8Array): void {
    this.uint32(value.length)
    this.#reserve(value.length)
    this.#bytes.set(value, this.#at)
    this.#at += value.length
  }

  text(value: string): void {
    const length = Buffer.byteLength(value)
    this.uint32(length)
    this.#reserve(length)
    this.#at += this.#bytes.write(value, this.#at, length, 'utf8')
  }

  /** Starts an inner message; pass the result to `end`. */
  begin(): number {
    this.#reserve(1)
    this.#at += 1
    return this.#at
  }

  /** Writes the length before the bytes since `begin`: one byte is reserved, which is enough for most. */
  end(start: number): void {
    const length = this.#at - start
    const extra = length < 0x80 ? 0 : length < 0x4000 ? 1 : length < 0x20_0000 ? 2 : length < 0x1000_0000 ? 3 : 4
    if (extra > 0) {
      this.#reserve(extra)
      this.#bytes.copyWithin(start + extra, start, this.#at)
    }
    this.#at = start - 1
    this.uint32(length)
    this.#at += length
  }

  #write64(low: number, high: number): void {
    this.#reserve(10)
    while (high !== 0 || low >>> 0 > 0x7f) {
      this.#bytes[this.#at++] = (low & 0x7f) | 0x80
      low = (low >>> 7) | (high << 25)
      high >>>= 7
    }
    this.#bytes[this.#at++] = low
  }

  #reserve(count: number): void {
    const needed = this.#at + count
    if (needed <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2))
    this.#bytes.copy(larger, 0, 0, this.#at)
    this.#bytes = larger
  }
}
