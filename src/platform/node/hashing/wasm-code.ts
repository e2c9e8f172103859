/** The logarithm of 16: all vectors in memory are aligned. */
const ALIGNMENT = 4

// Opcodes by their names in the specification of WebAssembly. Those of vectors are written by `vector`, with a prefix.
export const LOOP = [0x03, 0x40]
export const BR_IF_LOOP = [0x0d, 0]
export const END = 0x0b
export const I32_LT_U = 0x49
export const I32_ADD = 0x6a
export const I32_SUB = 0x6b
export const V128_AND = 78
export const V128_OR = 80
export const V128_XOR = 81
export const I32X4_SHL = 171
export const I32X4_SHR_U = 173
export const I32X4_ADD = 174
const V128_LOAD = 0
const V128_STORE = 11
const I8X16_SHUFFLE = 13
export const TYPE_I32 = 0x7f
export const TYPE_V128 = 0x7b
export const TYPE_FUNCTION = 0x60

/** Code of WebAssembly, written in place: lists of bytes would leave megabytes of garbage. */
export class WasmCode {
  readonly #bytes: Uint8Array
  #length = 0

  constructor(sizeBytesMax: number) {
    this.#bytes = new Uint8Array(sizeBytesMax)
  }

  get written(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  bytes(bytes: ArrayLike<number>): this {
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
    return this
  }

  byte(byte: number): this {
    this.#bytes[this.#length++] = byte
    return this
  }

  /** LEB128. */
  number(value: number): this {
    let rest = value
    for (; rest >= 0x80; rest >>>= 7) this.byte((rest & 0x7f) | 0x80)
    return this.byte(rest)
  }

  /** A section, or anything else that follows its length. */
  sized(content: WasmCode): this {
    return this.number(content.written.length).bytes(content.written)
  }

  get(local: number): this {
    return this.byte(0x20).number(local)
  }

  set(local: number): this {
    return this.byte(0x21).number(local)
  }

  tee(local: number): this {
    return this.byte(0x22).number(local)
  }

  /** LEB128 with a sign, which is the highest bit of the last byte; not for negative numbers. */
  i32(value: number): this {
    this.byte(0x41)
    let rest = value
    for (; rest >= 0x40; rest >>>= 7) this.byte((rest & 0x7f) | 0x80)
    return this.byte(rest)
  }

  vector(opcode: number): this {
    return this.byte(0xfd).number(opcode)
  }

  load(offset: number): this {
    return this.vector(V128_LOAD).byte(ALIGNMENT).number(offset)
  }

  store(offset: number): this {
    return this.vector(V128_STORE).byte(ALIGNMENT).number(offset)
  }

  /** The bytes of two vectors in a new order, written into a local. */
  shuffle(left: number, right: number, places: readonly number[], to: number): this {
    return this.get(left).get(right).vector(I8X16_SHUFFLE).bytes(places).set(to)
  }
}
