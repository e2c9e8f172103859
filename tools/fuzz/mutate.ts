import type { Chance } from '../../test/interop/random-changes.ts'

const INTERESTING = [0, 1, 0x7f, 0x80, 0xff, 0x0a, 0x22, 0x2e, 0x2f, 0x3c, 0x5c]
const CHANGES_MAX = 6
const COPIED_BYTES_MAX = 64

/** A changed copy of an input: some small changes, words of the format, or parts of another input. */
export function mutate(
  input: Uint8Array,
  other: Uint8Array,
  words: readonly Uint8Array[],
  chance: Chance,
  sizeBytesMax: number,
): Uint8Array {
  let bytes = Buffer.from(input)
  for (let count = 1 + chance.below(CHANGES_MAX); count > 0; count--) bytes = changed(bytes, other, words, chance)
  return bytes.subarray(0, sizeBytesMax)
}

function changed(
  bytes: Buffer<ArrayBuffer>,
  other: Uint8Array,
  words: readonly Uint8Array[],
  chance: Chance,
): Buffer<ArrayBuffer> {
  const at = chance.below(bytes.length + 1)
  const isInside = at < bytes.length
  switch (chance.below(9)) {
    case 0:
      if (isInside) bytes[at]! ^= 1 << chance.below(8)
      return bytes
    case 1:
      if (isInside) bytes[at] = chance.below(256)
      return bytes
    case 2:
      if (isInside) bytes[at] = chance.pick(INTERESTING)
      return bytes
    case 3:
      return spliced(bytes, at, 0, Buffer.from([chance.pick(INTERESTING)]))
    case 4:
      return spliced(bytes, at, 1 + chance.below(8), Buffer.alloc(0))
    case 5: {
      const part = bytes.subarray(at, at + 1 + chance.below(COPIED_BYTES_MAX))
      return spliced(bytes, chance.below(bytes.length + 1), 0, part)
    }
    case 6: {
      const from = chance.below(other.length + 1)
      return spliced(bytes, at, chance.below(8), other.subarray(from, from + 1 + chance.below(COPIED_BYTES_MAX)))
    }
    case 7:
      return words.length === 0 ? bytes : spliced(bytes, at, chance.below(4), chance.pick(words))
    default:
      return chance.below(4) === 0 ? bytes.subarray(0, at) : numbered(bytes, at, chance)
  }
}

/** A number in one of the lengths of the formats. */
function numbered(bytes: Buffer<ArrayBuffer>, at: number, chance: Chance): Buffer<ArrayBuffer> {
  const number = Buffer.alloc(chance.pick([2, 4]))
  number.writeUIntBE(chance.below(2 ** (8 * number.length - 1)), 0, number.length)
  if (chance.below(3) === 0) number.fill(0xff)
  return spliced(bytes, at, number.length, number)
}

function spliced(bytes: Uint8Array, at: number, removed: number, added: Uint8Array): Buffer<ArrayBuffer> {
  return Buffer.concat([bytes.subarray(0, at), added, bytes.subarray(at + removed)])
}
