/** The owner of an item on a Unix system. An empty name is unknown. */
export interface UnixOwner {
  readonly ownerName: string
  readonly groupName: string
  readonly userId: number
  readonly groupId: number
}

const UNIX_FIELD = 1
const FIELDS = { ownerName: 1, groupName: 2, userId: 3, groupId: 4 } as const
const WIRE_VARINT = 0
const WIRE_BYTES = 2

interface WireField {
  readonly number: number
  /** The encoded field with its tag. */
  readonly whole: Uint8Array
  readonly value: number | Uint8Array
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
  const unix = Buffer.concat([
    bytesField(FIELDS.ownerName, Buffer.from(owner.ownerName)),
    bytesField(FIELDS.groupName, Buffer.from(owner.groupName)),
    numberField(FIELDS.userId, owner.userId),
    numberField(FIELDS.groupId, owner.groupId),
  ])
  // Written even when it is empty: the owner is id 0 then.
  return Buffer.concat([tagged(UNIX_FIELD, unix), ...others.map(({ whole }) => whole)])
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
  const fields: WireField[] = []
  for (let at = 0; at < bytes.length;) {
    const tag = varintAt(bytes, at)
    const first = tag === undefined ? undefined : varintAt(bytes, tag.end)
    if (tag === undefined || first === undefined) return undefined
    const wireType = tag.value & 7
    if (wireType !== WIRE_BYTES && wireType !== WIRE_VARINT) return undefined
    const end = wireType === WIRE_BYTES ? first.end + first.value : first.end
    if (end > bytes.length) return undefined
    const value = wireType === WIRE_BYTES ? bytes.subarray(first.end, end) : first.low
    fields.push({ number: Math.floor(tag.value / 8), whole: bytes.subarray(at, end), value })
    at = end
  }
  return fields
}

const VARINT_BYTES_MAX = 10

interface Varint {
  /** Rounded when it exceeds the exact range of a number. */
  readonly value: number
  /** Its lowest 32 bits: signed numbers are encoded with 64. */
  readonly low: number
  readonly end: number
}

function varintAt(bytes: Uint8Array, start: number): Varint | undefined {
  let value = 0
  let low = 0
  for (let at = start; at < Math.min(bytes.length, start + VARINT_BYTES_MAX); at++) {
    const byte = bytes[at]!
    value += (byte & 0x7f) * 2 ** (7 * (at - start))
    if (at - start < 5) low = value % 2 ** 32
    if (byte < 0x80) return { value, low, end: at + 1 }
  }
  return undefined
}

export function numberOf(value: number | Uint8Array | undefined): number {
  return typeof value === 'number' ? value : 0
}

export function textOf(value: number | Uint8Array | undefined): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString() : ''
}

function varint(value: number): Uint8Array {
  const bytes: number[] = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Uint8Array.from([...bytes, rest])
    bytes.push((rest % 128) | 0x80)
  }
}

export function tagged(number: number, value: Uint8Array): Uint8Array {
  return Buffer.concat([varint(number * 8 + WIRE_BYTES), varint(value.length), value])
}

function bytesField(number: number, value: Uint8Array): Uint8Array {
  return value.length === 0 ? NO_BYTES : tagged(number, value)
}

function numberField(number: number, value: number): Uint8Array {
  return value === 0 ? NO_BYTES : Buffer.concat([varint(number * 8 + WIRE_VARINT), varint(value)])
}
