/**
 * Large inputs from small ones, as what costs more than its share of bytes shows only there; and messages with other
 * numbers, which changes of single bytes rarely produce.
 */
import type { Chance } from '../../test/interop/random-changes.ts'

const VARINT_BYTES_MAX = 4
const LENGTH_DELIMITED = 2
/** One in so many repeats a field of a message instead of one inside of it. */
const HERE_ONE_IN = 3
const PART_BYTES_MAX = 256
/** At which a reader or a store may decide otherwise. */
const LIMITS = [0n, 1n, 127n, 128n, 999_999_999n, 1_000_000_000n, 2n ** 31n - 1n, 2n ** 31n, 2n ** 32n - 1n, 2n ** 32n]
const LARGE_LIMITS = [2n ** 53n - 1n, 2n ** 53n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n]

/** Repeats a part of the input. */
export function growBytes(input: Uint8Array, chance: Chance, sizeBytes: number): Uint8Array {
  const from = chance.below(input.length + 1)
  const part = input.subarray(from, from + 1 + chance.below(PART_BYTES_MAX))
  return repeated(input, from, part, sizeBytes)
}

/** Repeats a field of a protobuf message, or of a message inside of it, and corrects the lengths around it. */
export function growMessage(input: Uint8Array, chance: Chance, sizeBytes: number): Uint8Array {
  const fields = fieldsOf(input)
  if (fields === undefined || fields.length === 0) return growBytes(input, chance, sizeBytes)
  const { from, contentFrom, to } = chance.pick(fields)
  const content = contentFrom === undefined ? undefined : input.subarray(contentFrom, to)
  const isMessage = content !== undefined && (fieldsOf(content)?.length ?? 0) > 0
  const tag = input.subarray(from, varintAt(input, from)!.end)
  if (!isMessage || chance.below(HERE_ONE_IN) === 0) {
    if (content === undefined || content.length === 0 || chance.below(2) === 0)
      return repeated(input, from, input.subarray(from, to), sizeBytes)
    // One large field and many empty ones.
    const large = repeated(content, 0, content, Math.floor(sizeBytes / 2))
    const field = Buffer.concat([input.subarray(0, from), tag, varint(large.length), large, input.subarray(to)])
    return repeated(field, field.length, Buffer.concat([tag, varint(0)]), sizeBytes)
  }
  const grown = growMessage(content, chance, sizeBytes)
  return Buffer.concat([input.subarray(0, from), tag, varint(grown.length), grown, input.subarray(to)])
}

/** Sets a number of a protobuf message, or of one inside of it, to a limit, and corrects the lengths around it. */
export function setNumber(input: Uint8Array, chance: Chance): Uint8Array {
  const fields = fieldsOf(input)
  if (fields === undefined || fields.length === 0) return input
  const { from, contentFrom, to } = chance.pick(fields)
  const tag = input.subarray(from, varintAt(input, from)!.end)
  const [before, after] = [input.subarray(0, from), input.subarray(to)]
  if (contentFrom !== undefined) {
    const content = setNumber(input.subarray(contentFrom, to), chance)
    return new Uint8Array(Buffer.concat([before, tag, varint(content.length), content, after]))
  }
  if ((tag[0]! & 7) !== 0) return input
  return new Uint8Array(Buffer.concat([before, tag, varint(chance.pick([...LIMITS, ...LARGE_LIMITS])), after]))
}

function repeated(input: Uint8Array, at: number, part: Uint8Array, sizeBytes: number): Uint8Array {
  const room = sizeBytes - input.length
  if (part.length === 0 || room <= 0) return input
  const added = Buffer.alloc(room - (room % part.length), part)
  return Buffer.concat([input.subarray(0, at), added, input.subarray(at)])
}

interface WireField {
  readonly from: number
  /** Of a text, bytes or a message. */
  readonly contentFrom: number | undefined
  readonly to: number
}

/** Undefined if the bytes are no message. */
function fieldsOf(message: Uint8Array): readonly WireField[] | undefined {
  const fields: WireField[] = []
  for (let at = 0; at < message.length;) {
    const tag = varintAt(message, at)
    const value = tag === undefined || tag.value < 8 ? undefined : valueAt(message, tag.end, tag.value & 7)
    if (value === undefined || value.to > message.length) return undefined
    fields.push({ from: at, ...value })
    at = value.to
  }
  return fields
}

function valueAt(message: Uint8Array, at: number, type: number): Omit<WireField, 'from'> | undefined {
  if (type === 1) return { contentFrom: undefined, to: at + 8 }
  if (type === 5) return { contentFrom: undefined, to: at + 4 }
  if (type === 0) {
    const end = message.findIndex((byte, index) => index >= at && byte < 0x80)
    return end < 0 ? undefined : { contentFrom: undefined, to: end + 1 }
  }
  const length = type === LENGTH_DELIMITED ? varintAt(message, at) : undefined
  return length === undefined ? undefined : { contentFrom: length.end, to: length.end + length.value }
}

/** A small number, as tags and lengths are here. */
function varintAt(bytes: Uint8Array, at: number): { readonly value: number; readonly end: number } | undefined {
  let value = 0
  for (let index = 0; index < VARINT_BYTES_MAX; index++) {
    const byte = bytes[at + index]
    if (byte === undefined) return undefined
    value |= (byte & 0x7f) << (7 * index)
    if (byte < 0x80) return { value, end: at + index + 1 }
  }
  return undefined
}

/** Own code: a source of `src` that is imported here would be loaded before it gets its counters. */
function varint(value: number | bigint): Uint8Array {
  const bytes: number[] = []
  for (let rest = BigInt(value); ; rest >>= 7n) {
    if (rest < 0x80n) return Uint8Array.from([...bytes, Number(rest)])
    bytes.push(Number(rest & 0x7fn) | 0x80)
  }
}
