import { ProtocolError } from '../wire/errors.ts'
import { text, uint32 } from '../wire/fields.ts'
import { WIRE_BYTES, WIRE_VARINT, WireReader } from '../wire/reader.ts'
import { encode, message } from '../wire/schema.ts'
import { WireWriter } from '../wire/writer.ts'

/** The owner of an item on a Unix system. An empty name is unknown. */
export interface UnixOwner {
  readonly ownerName: string
  readonly groupName: string
  readonly userId: number
  readonly groupId: number
}

const UNIX_FIELD = 1
const FIELDS = { ownerName: 1, groupName: 2, userId: 3, groupId: 4 } as const
const UNIX = message({
  ownerName: text(FIELDS.ownerName),
  groupName: text(FIELDS.groupName),
  userId: uint32(FIELDS.userId),
  groupId: uint32(FIELDS.groupId),
})

interface WireField {
  readonly number: number
  /** The encoded field with its tag. */
  readonly whole: Uint8Array
  /** The lowest 32 bits of a number: signed ones are encoded with 64. Undefined for types that no field has. */
  readonly value: number | Uint8Array | undefined
}

/**
 * The owner in the platform data of a record. Platform data is kept as received, an encoded message of the block
 * exchange protocol; undefined without an owner and for invalid bytes.
 */
export function unixOwnerOf(platform: Uint8Array | undefined): UnixOwner | undefined {
  const unix = fieldsOf(platform ?? NO_BYTES)?.findLast(({ number }) => number === UNIX_FIELD)?.value
  const fields = unix instanceof Uint8Array ? fieldsOf(unix) : undefined
  if (fields === undefined) return undefined
  const value = (number: number) => fields.findLast((field) => field.number === number)?.value
  return {
    ownerName: textOf(value(FIELDS.ownerName)),
    groupName: textOf(value(FIELDS.groupName)),
    userId: numberOf(value(FIELDS.userId)),
    groupId: numberOf(value(FIELDS.groupId)),
  }
}

/** The same platform data with another owner. The data of other systems is unchanged. */
export function withUnixOwner(platform: Uint8Array | undefined, owner: UnixOwner): Uint8Array {
  const others = (fieldsOf(platform ?? NO_BYTES) ?? []).filter(({ number }) => number !== UNIX_FIELD)
  // Written even when it is empty: the owner is id 0 then.
  return Buffer.concat([taggedField(UNIX_FIELD, encode(UNIX, owner)), ...others.map(({ whole }) => whole)])
}

/** Compared by name where both names are known: ids differ between machines. */
export function isSameOwner(a: UnixOwner, b: UnixOwner): boolean {
  const named = a.ownerName !== '' && a.groupName !== '' && b.ownerName !== '' && b.groupName !== ''
  if (named) return a.ownerName === b.ownerName && a.groupName === b.groupName
  return a.userId === b.userId && a.groupId === b.groupId
}

const NO_BYTES = new Uint8Array(0)

/** Undefined for bytes that are not a message. */
export function fieldsOf(bytes: Uint8Array): readonly WireField[] | undefined {
  const reader = new WireReader(bytes, 0)
  const fields: WireField[] = []
  try {
    while (!reader.done) fields.push(nextField(bytes, reader))
    return fields
  } catch (error) {
    if (error instanceof ProtocolError) return undefined
    throw error
  }
}

function nextField(bytes: Uint8Array, reader: WireReader): WireField {
  const rest = bytes.subarray(bytes.length - reader.leftBytes)
  const tag = reader.tag()
  const wireType = tag & 7
  let value: number | Uint8Array | undefined
  if (wireType === WIRE_VARINT) value = reader.uint32()
  else if (wireType === WIRE_BYTES) value = reader.view()
  else reader.skip(tag)
  return { number: tag >>> 3, whole: rest.subarray(0, rest.length - reader.leftBytes), value }
}

export function numberOf(value: WireField['value']): number {
  return typeof value === 'number' ? value : 0
}

export function textOf(value: WireField['value']): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString() : ''
}

export function taggedField(number: number, value: Uint8Array): Uint8Array {
  const writer = new WireWriter(value.length + TAG_BYTES_MAX)
  writer.tag(number, WIRE_BYTES)
  writer.bytes(value)
  return writer.finish()
}

/** A tag and a length. */
const TAG_BYTES_MAX = 10
