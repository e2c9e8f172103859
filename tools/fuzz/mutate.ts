import type { Chance } from '../../test/interop/random-changes.ts'

const INTERESTING = [0, 1, 0x7f, 0x80, 0xff, 0x0a, 0x22, 0x2e, 0x2f, 0x3c, 0x5c]
const CHANGES_MAX = 6
const COPIED_BYTES_MAX = 64
/** Words are shorter. */
const ADDED_BYTES_MAX = 256
const NOTHING = new Uint8Array(0)

/** A changed copy of an input: some small changes, words of the format, or parts of another input. */
export function mutate(
  input: Uint8Array,
  other: Uint8Array,
  words: readonly Uint8Array[],
  chance: Chance,
  sizeBytesMax: number,
): Uint8Array {
  const draft = new Draft(input)
  for (let count = 1 + chance.below(CHANGES_MAX); count > 0; count--) change(draft, other, words, chance)
  return draft.copy(sizeBytesMax)
}

/** Bytes that are changed in place, with room to grow: a copy for each change would take most of the time. */
class Draft {
  static #memory = Buffer.alloc(1 << 16)
  readonly bytes: Buffer
  length: number

  constructor(input: Uint8Array) {
    const roomBytes = input.length + CHANGES_MAX * ADDED_BYTES_MAX
    if (roomBytes > Draft.#memory.length) Draft.#memory = Buffer.alloc(2 * roomBytes)
    this.bytes = Draft.#memory
    this.bytes.set(input)
    this.length = input.length
  }

  splice(at: number, removed: number, added: Uint8Array): void {
    const end = Math.min(this.length, at + removed)
    // `added` may be a part of these bytes, which move.
    const moved = added.buffer === this.bytes.buffer ? Uint8Array.prototype.slice.call(added) : added
    this.bytes.copyWithin(at + moved.length, end, this.length)
    this.bytes.set(moved, at)
    this.length += moved.length - (end - at)
  }

  part(from: number, sizeBytes: number): Uint8Array {
    return this.bytes.subarray(from, Math.min(this.length, from + sizeBytes))
  }

  copy(sizeBytesMax: number): Uint8Array {
    return new Uint8Array(this.bytes.subarray(0, Math.min(this.length, sizeBytesMax)))
  }
}

function change(draft: Draft, other: Uint8Array, words: readonly Uint8Array[], chance: Chance): void {
  const at = chance.below(draft.length + 1)
  const isInside = at < draft.length
  switch (chance.below(9)) {
    case 0:
      if (isInside) draft.bytes[at]! ^= 1 << chance.below(8)
      return
    case 1:
      if (isInside) draft.bytes[at] = chance.below(256)
      return
    case 2:
      if (isInside) draft.bytes[at] = chance.pick(INTERESTING)
      return
    case 3:
      return draft.splice(at, 0, Uint8Array.of(chance.pick(INTERESTING)))
    case 4:
      return draft.splice(at, 1 + chance.below(8), NOTHING)
    case 5: {
      const part = draft.part(at, 1 + chance.below(COPIED_BYTES_MAX))
      return draft.splice(chance.below(draft.length + 1), 0, part)
    }
    case 6: {
      const from = chance.below(other.length + 1)
      return draft.splice(at, chance.below(8), other.subarray(from, from + 1 + chance.below(COPIED_BYTES_MAX)))
    }
    case 7:
      return words.length === 0 ? undefined : draft.splice(at, chance.below(4), chance.pick(words))
    default:
      if (chance.below(4) === 0) draft.length = at
      else putNumber(draft, at, chance)
  }
}

/** A number in one of the lengths of the formats. */
function putNumber(draft: Draft, at: number, chance: Chance): void {
  const number = Buffer.alloc(chance.pick([2, 4]))
  number.writeUIntBE(chance.below(2 ** (8 * number.length - 1)), 0, number.length)
  if (chance.below(3) === 0) number.fill(0xff)
  draft.splice(at, number.length, number)
}
