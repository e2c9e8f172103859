import { malformed } from '../core/wire/errors.ts'
import type { Steps } from './steps.ts'

/** Output of one step: even of the costliest sequences it takes about a millisecond. */
const STEP_BYTES = 256 * 1024
/** A length of this value in the token continues in the bytes after it. */
const LITERALS_EXTENDED = 15
const MATCH_EXTENDED = 15
const MATCH_BYTES_MIN = 4
const WORD_BYTES = 8
/** Whole words are copied, up to three for a short match: this far from the ends they stay inside. */
const SOURCE_MARGIN_BYTES = 32
const OUTPUT_MARGIN_BYTES = 64
/** Up to this length a loop is faster than a call for a range. */
const LOOPED_BYTES_MAX = 64

/**
 * Decodes an LZ4 block, in steps, into an output of exactly its length. Bytes of the output that are not decoded yet
 * are never copied into decoded ones, so it need not be zeroed.
 */
export function* decodeBlock(source: Uint8Array, output: Uint8Array): Steps<never> {
  const decoder = new BlockDecoder(source, output)
  let stepEnd = STEP_BYTES
  for (;;) {
    decoder.decodeShort(stepEnd)
    if (decoder.decodedBytes >= stepEnd) {
      yield undefined
      stepEnd = decoder.decodedBytes + STEP_BYTES
    }
    decoder.beginSequence()
    while (decoder.copyLiterals(STEP_BYTES)) yield undefined
    if (decoder.isAtEnd) break
    decoder.beginMatch()
    while (decoder.copyMatch(STEP_BYTES)) yield undefined
  }
  if (decoder.decodedBytes !== output.length) throw malformed('a compressed message that is shorter than it claims')
}

/** A sequence is a token with two lengths, literals, and the offset of a match that is copied from the output. */
class BlockDecoder {
  readonly #source: Uint8Array
  readonly #output: Uint8Array
  readonly #sourceView: DataView
  readonly #outputView: DataView
  #sourceAt = 0
  #outputAt = 0
  #token = 0
  #literalsLeft = 0
  #matchLeft = 0
  #offset = 0

  constructor(source: Uint8Array, output: Uint8Array) {
    this.#source = source
    this.#output = output
    this.#sourceView = new DataView(source.buffer, source.byteOffset, source.byteLength)
    this.#outputView = new DataView(output.buffer, output.byteOffset, output.byteLength)
  }

  get decodedBytes(): number {
    return this.#outputAt
  }

  /** The last sequence has no match. */
  get isAtEnd(): boolean {
    return this.#sourceAt === this.#source.length
  }

  /** Decodes sequences of two short lengths, most of all, up to the first other one, an end, or the end of the step. */
  decodeShort(stepEnd: number): void {
    const [source, output] = [this.#sourceView, this.#outputView]
    const sourceEnd = source.byteLength - SOURCE_MARGIN_BYTES
    const outputEnd = Math.min(output.byteLength - OUTPUT_MARGIN_BYTES, stepEnd)
    let [from, to] = [this.#sourceAt, this.#outputAt]
    while (from < sourceEnd && to < outputEnd) {
      const token = source.getUint8(from)
      const literals = token >>> 4
      const match = token & 15
      if (literals === LITERALS_EXTENDED || match === MATCH_EXTENDED) break
      output.setBigInt64(to, source.getBigInt64(from + 1))
      if (literals > WORD_BYTES) output.setBigInt64(to + WORD_BYTES, source.getBigInt64(from + 1 + WORD_BYTES))
      from += 1 + literals
      to += literals
      const offset = source.getUint16(from, true)
      from += 2
      if (offset === 0 || offset > to) throw wrongOffset(offset)
      copyShortMatch(output, to, offset, match + MATCH_BYTES_MIN)
      to += match + MATCH_BYTES_MIN
    }
    this.#sourceAt = from
    this.#outputAt = to
  }

  beginSequence(): void {
    this.#token = this.#readByte()
    const left = Math.min(this.#source.length - this.#sourceAt, this.#output.length - this.#outputAt)
    this.#literalsLeft = this.#readLength(this.#token >>> 4, left)
    if (this.#literalsLeft > this.#source.length - this.#sourceAt)
      throw malformed('a compressed message that is cut off')
  }

  beginMatch(): void {
    this.#offset = this.#readByte() | (this.#readByte() << 8)
    if (this.#offset === 0 || this.#offset > this.#outputAt) throw wrongOffset(this.#offset)
    const left = this.#output.length - this.#outputAt
    this.#matchLeft = MATCH_BYTES_MIN + this.#readLength(this.#token & 15, left - MATCH_BYTES_MIN)
  }

  /** Whether some are left to be copied. */
  copyLiterals(bytesMax: number): boolean {
    const count = Math.min(this.#literalsLeft, bytesMax)
    const [from, to] = [this.#sourceAt, this.#outputAt]
    if (count > LOOPED_BYTES_MAX) this.#output.set(this.#source.subarray(from, from + count), to)
    else copyWords(this.#sourceView, from, this.#outputView, to, count)
    this.#sourceAt += count
    this.#outputAt += count
    this.#literalsLeft -= count
    return this.#literalsLeft > 0
  }

  /** Whether a part of it is left to be copied. */
  copyMatch(bytesMax: number): boolean {
    const count = Math.min(this.#matchLeft, bytesMax)
    const to = this.#outputAt
    const from = to - this.#offset
    if (count > LOOPED_BYTES_MAX) repeat(this.#output, from, to, to + count)
    else if (this.#offset < WORD_BYTES) copyBytes(this.#outputView, from, this.#outputView, to, count)
    else copyWords(this.#outputView, from, this.#outputView, to, count)
    this.#outputAt += count
    this.#matchLeft -= count
    return this.#matchLeft > 0
  }

  /** Ends at the first byte by which the length is above the maximum, however many follow. */
  #readLength(start: number, bytesMax: number): number {
    let length = start
    let byte = start === LITERALS_EXTENDED ? 255 : 0
    while (byte === 255) {
      byte = this.#readByte()
      length += byte
      if (length > bytesMax) break
    }
    if (length > bytesMax) throw malformed('a compressed message that is longer than it claims')
    return length
  }

  #readByte(): number {
    const byte = this.#source[this.#sourceAt++]
    if (byte === undefined) throw malformed('a compressed message that is cut off')
    return byte
  }
}

/** By whole words where none is read before it is written. */
function copyShortMatch(output: DataView, to: number, offset: number, lengthBytes: number): void {
  const from = to - offset
  if (offset < WORD_BYTES) return copyBytes(output, from, output, to, lengthBytes)
  output.setBigInt64(to, output.getBigInt64(from))
  if (lengthBytes <= WORD_BYTES) return
  output.setBigInt64(to + WORD_BYTES, output.getBigInt64(from + WORD_BYTES))
  if (lengthBytes <= 2 * WORD_BYTES) return
  output.setBigInt64(to + 2 * WORD_BYTES, output.getBigInt64(from + 2 * WORD_BYTES))
}

function copyWords(source: DataView, from: number, output: DataView, to: number, count: number): void {
  let copied = 0
  for (; copied + WORD_BYTES <= count; copied += WORD_BYTES) {
    output.setBigInt64(to + copied, source.getBigInt64(from + copied))
  }
  copyBytes(source, from + copied, output, to + copied, count - copied)
}

/** One by one, so that bytes are copied again which were written by the same call. */
function copyBytes(source: DataView, from: number, output: DataView, to: number, count: number): void {
  for (let i = 0; i < count; i++) output.setUint8(to + i, source.getUint8(from + i))
}

/** Fills a range with the bytes before it, from `from` on, again and again. What is repeated doubles with each copy. */
function repeat(output: Uint8Array, from: number, start: number, end: number): void {
  for (let at = start; at < end;) {
    const count = Math.min(end - at, at - from)
    output.copyWithin(at, from, from + count)
    at += count
  }
}

function wrongOffset(offset: number): Error {
  return malformed(`a compressed message with a match at offset ${offset}`)
}
