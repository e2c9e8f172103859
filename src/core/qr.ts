import { drawCode, type QrCode } from './qr-draw.ts'

const VERSION_MAX = 40
/** Check bytes in each block and number of blocks, by version from 1, at the level that survives 15 % of damage. */
const CHECK_BYTES = [
  10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26, 28, 28, 28, 28, 28, 28, 28, 28,
  28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28,
] as const
const BLOCKS = [
  1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16, 17, 17, 18, 20, 21, 23, 25, 26, 28, 29, 31, 33, 35,
  37, 38, 40, 43, 45, 47, 49,
] as const

/** The smallest code that holds the text, in bytes of UTF-8; undefined when none does (2,331 bytes at most). */
export function encodeQr(text: string): QrCode | undefined {
  const data = new TextEncoder().encode(text)
  for (let version = 1; version <= VERSION_MAX; version++) {
    const neededBits = headerBits(version) + data.length * 8
    if (neededBits <= dataBytes(version) * 8) return drawCode(version, withChecks(version, data))
  }
  return undefined
}

function headerBits(version: number): number {
  return 4 + (version < 10 ? 8 : 16)
}

/** What is left of the square for bytes once all patterns and the information about the code are drawn. */
function rawBytes(version: number): number {
  const side = version * 4 + 17
  const marks = version === 1 ? 0 : Math.floor(version / 7) + 2
  const alignment = marks === 0 ? 0 : (marks * marks - 3) * 25 - (marks - 2) * 2 * 5
  const finders = 3 * 64
  const timing = 2 * (side - 16)
  const format = 31
  return Math.floor((side * side - finders - timing - format - alignment - (version >= 7 ? 36 : 0)) / 8)
}

function dataBytes(version: number): number {
  return rawBytes(version) - CHECK_BYTES[version - 1]! * BLOCKS[version - 1]!
}

/** The text with its header and padding, cut into blocks, each with its check bytes, woven together. */
function withChecks(version: number, text: Uint8Array): Uint8Array {
  const data = padded(version, text)
  const blockCount = BLOCKS[version - 1]!
  const divisor = generator(CHECK_BYTES[version - 1]!)
  const shortBytes = Math.floor(data.length / blockCount)
  const longFrom = blockCount - (data.length % blockCount)
  const blocks: Uint8Array[] = []
  for (let i = 0, at = 0; i < blockCount; i++) {
    const length = shortBytes + (i < longFrom ? 0 : 1)
    blocks.push(data.subarray(at, (at += length)))
  }
  const checks = blocks.map((block) => remainder(block, divisor))
  return Uint8Array.from([...woven(blocks), ...woven(checks)])
}

function padded(version: number, text: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(dataBytes(version))
  let at = 0
  const put = (value: number, count: number) => {
    for (let i = count - 1; i >= 0; i--, at++) bytes[at >>> 3]! |= ((value >>> i) & 1) << (7 - (at & 7))
  }
  put(0b0100, 4) // bytes follow
  put(text.length, headerBits(version) - 4)
  for (const byte of text) put(byte, 8)
  const filled = Math.ceil((at + Math.min(4, bytes.length * 8 - at)) / 8) // the end mark is up to four zeros
  for (let i = filled; i < bytes.length; i++) bytes[i] = (i - filled) % 2 === 0 ? 0xec : 0x11
  return bytes
}

/** First bytes of all, then second bytes of all; shorter ones run out first. */
function* woven(blocks: readonly Uint8Array[]): Generator<number> {
  const longest = Math.max(...blocks.map(({ length }) => length))
  for (let i = 0; i < longest; i++) for (const block of blocks) if (i < block.length) yield block[i]!
}

/** Multiplication of bytes as polynomials modulo x^8 + x^4 + x^3 + x^2 + 1. */
function multiply(a: number, b: number): number {
  let product = 0
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d)
    if (((b >>> bit) & 1) === 1) product ^= a
  }
  return product
}

/** Coefficients of (x - 1)(x - 2)(x - 4)… with `degree` factors, the highest (which is 1) left out. */
function generator(degree: number): Uint8Array {
  const coefficients = new Uint8Array(degree)
  coefficients[degree - 1] = 1
  for (let i = 0, root = 1; i < degree; i++, root = multiply(root, 2)) {
    for (let j = 0; j < degree; j++) coefficients[j] = multiply(coefficients[j]!, root) ^ (coefficients[j + 1] ?? 0)
  }
  return coefficients
}

function remainder(data: Uint8Array, divisor: Uint8Array): Uint8Array {
  const left = new Uint8Array(divisor.length)
  for (const byte of data) {
    const factor = byte ^ left[0]!
    left.copyWithin(0, 1)
    left[left.length - 1] = 0
    for (let i = 0; i < left.length; i++) left[i]! ^= multiply(divisor[i]!, factor)
  }
  return left
}
