import { malformed } from './errors.ts'

export const WIRE_VARINT = 0
const WIRE_FIXED64 = 1
export const WIRE_BYTES = 2
const WIRE_GROUP_START = 3
const WIRE_GROUP_END = 4
const WIRE_FIXED32 = 5

/** Groups are obsolete and skipped; the depth is bounded. */
const GROUP_DEPTH_MAX = 32
/** Above the length of any inner message that is decoded in one step. */
export const INNER_BYTES_MAX = 1024 * 1024
const GROUP_FIELDS_MAX = 10_000
/** Far above the longest path; bounds the time of one step. */
const TEXT_BYTES_MAX = 256 * 1024
const TWO_32 = 0x1_0000_0000
/** A byte order mark is a regular character of a name. */
const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Reads protobuf from untrusted bytes. Never reads outside of them, and throws `malformed` for invalid protobuf.
 */
export class WireReader {
  readonly #bytes: Buffer
  #at: number
  #end: number
  /** Remaining number of decoded parts: bounds the memory that a few bytes can expand to. */
  #partsLeft: number
  /** The 64 bits of the last varint. */
  #low = 0
  #high = 0

  constructor(bytes: Uint8Array, partsMax: number) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#at = 0
    this.#end = bytes.length
    this.#partsLeft = partsMax
  }

  get done(): boolean {
    return this.#at >= this.#end
  }

  /** Bytes left in the current message. */
  get leftBytes(): number {
    return this.#end - this.#at
  }

  /** A view of the unread bytes of the current message; does not consume them. */
  get rest(): Uint8Array {
    return this.#bytes.subarray(this.#at, this.#end)
  }

  /** Counts one part of a message, a list element or an inner message, or other work of the cost of so many parts. */
  countPart(count = 1): void {
    this.#partsLeft -= count
    if (this.#partsLeft < 0) throw malformed('a message of too many parts')
  }

  /** Field number and wire type as encoded: number × 8 + type. */
  tag(): number {
    this.#varint()
    if (this.#high !== 0 || this.#low >>> 3 === 0) throw malformed('field number out of range')
    return this.#low >>> 0
  }

  int32(): number {
    this.#varint()
    return this.#low | 0
  }

  uint32(): number {
    this.#varint()
    return this.#low >>> 0
  }

  /** Exact for safe integers; other values are returned as an unsafe integer too. */
  int64(): number {
    this.#varint()
    return (this.#high | 0) * TWO_32 + (this.#low >>> 0)
  }

  int64Exact(): bigint {
    return BigInt.asIntN(64, this.uint64())
  }

  uint64(): bigint {
    this.#varint()
    const low = BigInt(this.#low >>> 0)
    return this.#high === 0 ? low : (BigInt(this.#high >>> 0) << 32n) | low
  }

  bool(): boolean {
    this.#varint()
    return (this.#low | this.#high) !== 0
  }

  /** A view into the message, not a copy: it keeps the whole message in memory. */
  view(): Uint8Array {
    const length = this.#length()
    const start = this.#at
    this.#at += length
    return this.#bytes.subarray(start, this.#at)
  }

  /** Text that is not UTF-8 is malformed: it could not be sent unchanged. */
  text(): string {
    const length = this.#length()
    if (length > TEXT_BYTES_MAX) throw malformed(`a text of ${length} bytes`)
    const start = this.#at
    this.#at += length
    const text = this.#bytes.toString('utf8', start, this.#at)
    if (!text.includes('\ufffd')) return text
    try {
      return STRICT_UTF8.decode(this.#bytes.subarray(start, this.#at))
    } catch (cause) {
      throw malformed('text that is not UTF-8', { cause })
    }
  }

  /** The length of the next bytes field, which is not consumed. */
  get nextLength(): number {
    const start = this.#at
    const length = this.#length()
    this.#at = start
    return length
  }

  /** Copies the next bytes field to `target` if it has exactly `length` bytes; otherwise skips it, returns false. */
  copyTo(target: Uint8Array, offset: number, length: number): boolean {
    const found = this.#length()
    const start = this.#at
    this.#at += found
    if (found !== length) return false
    this.#bytes.copy(target, offset, start, this.#at)
    return true
  }

  /** Enters an inner message of a bounded length; pass the result to `leave`. */
  enter(bytesMax = INNER_BYTES_MAX): number {
    const length = this.#length()
    if (length > bytesMax) throw malformed(`an inner message of ${length} bytes`)
    const outerEnd = this.#end
    this.#end = this.#at + length
    return outerEnd
  }

  leave(outerEnd: number): void {
    this.#at = this.#end
    this.#end = outerEnd
  }

  /** Skips a field. */
  skip(tag: number): void {
    if ((tag & 7) !== WIRE_GROUP_START) return this.#skipValue(tag)
    const open = [tag >>> 3]
    for (let count = 0; open.length > 0; count++) {
      if (count > GROUP_FIELDS_MAX) throw malformed('a group of too many fields')
      const inner = this.tag()
      if ((inner & 7) === WIRE_GROUP_START) {
        if (open.length >= GROUP_DEPTH_MAX) throw malformed('groups nested too deeply')
        open.push(inner >>> 3)
      } else if ((inner & 7) === WIRE_GROUP_END) {
        if (open.pop() !== inner >>> 3) throw malformed('a group that ends another')
      } else this.#skipValue(inner)
    }
  }

  #skipValue(tag: number): void {
    switch (tag & 7) {
      case WIRE_VARINT:
        return this.#varint()
      case WIRE_FIXED64:
        return this.#advance(8)
      case WIRE_BYTES:
        return this.#advance(this.#length())
      case WIRE_FIXED32:
        return this.#advance(4)
      default:
        throw malformed(`unknown wire type ${tag & 7}`)
    }
  }

  #advance(count: number): void {
    if (count > this.#end - this.#at) throw malformed('a field that ends outside of its message')
    this.#at += count
  }

  /** The length of a field, checked to be within the message. */
  #length(): number {
    this.#varint()
    const length = this.#low >>> 0
    if (this.#high !== 0 || length > this.#end - this.#at) throw malformed('a field that ends outside of its message')
    return length
  }

  #varint(): void {
    const first = this.#byte()
    if (first < 0x80) {
      this.#low = first
      this.#high = 0
      return
    }
    let low = first & 0x7f
    let high = 0
    for (let shift = 7; ; shift += 7) {
      const byte = this.#byte()
      const bits = byte & 0x7f
      if (shift < 28) low |= bits << shift
      else if (shift === 28) {
        low |= bits << 28
        high = bits >>> 4
      } else {
        // The tenth byte has room for one bit: 64 bits are full.
        if (shift === 63 && byte > 1) throw malformed('a number of more than 64 bits')
        high |= bits << (shift - 32)
      }
      if (byte < 0x80) break
    }
    this.#low = low
    this.#high = high
  }

  #byte(): number {
    if (this.#at >= this.#end) throw malformed('a number that ends outside of its message')
    return this.#bytes[this.#at++] ?? 0
  }
}
