import { WIRE_BYTES, WireReader } from './reader.ts'
import { WireWriter } from './writer.ts'

/** Wire encoding of one type. The default value, `start()`, is not written. */
interface FieldType<T> {
  readonly wireType: number
  start(): T
  /** `before` is the value of earlier occurrences of the field. */
  read(reader: WireReader, before: T, wireType: number): T
  /** Writes tag and value, or nothing. */
  write(writer: WireWriter, number: number, value: T): void
  /** Lists of numbers may also be packed. */
  readonly alsoPacked?: true
  /** A list that is no array. */
  readonly isRepeated?: true
}

export interface Field<T> extends FieldType<T> {
  readonly number: number
}

type Fields = Readonly<Record<string, Field<unknown>>>
type ValueOf<F> = F extends { start(): infer T } ? T : never
type Values<F> = { -readonly [K in keyof F]: ValueOf<F[K]> }

interface Slot {
  readonly name: string
  readonly field: Field<unknown>
}

/** One message type: the declaration is the codec. */
export interface Schema<T> {
  readonly slots: readonly Slot[]
  readonly byNumber: readonly (Slot | undefined)[]
  start(): T
}

/** The decoded type of a schema. */
export type Message<S> = S extends Schema<infer T> ? Readonly<T> : never

/** Declares a message. Fields are written in the order of their numbers, as in other implementations. */
export function message<F extends Fields>(fields: F): Schema<Values<F>> {
  const slots: Slot[] = Object.entries(fields).map(([name, field]) => ({ name, field }))
  slots.sort((a, b) => a.field.number - b.field.number)
  const byNumber: (Slot | undefined)[] = []
  for (const slot of slots) byNumber[slot.field.number] = slot
  // Filled, so that the lookup of an unknown number stays inside a dense array.
  for (let number = 0; number < byNumber.length; number++) byNumber[number] ??= undefined
  const template = Object.fromEntries(slots.map(({ name, field }) => [name, field.start()])) as Values<F>
  const lists = slots.filter(({ field }) => Array.isArray(field.start()))
  const start = (): Values<F> => {
    // A copy has its final hidden class immediately, unlike an object that grows field by field.
    const made: Record<string, unknown> = { ...template }
    for (const { name, field } of lists) made[name] = field.start()
    return made as Values<F>
  }
  return { slots, byNumber, start }
}

/** Decodes one whole message into at most `partsMax` list elements and inner messages. */
export function decode<T>(schema: Schema<T>, bytes: Uint8Array, partsMax: number): T {
  return readFields(schema, new WireReader(bytes, partsMax), schema.start())
}

/**
 * Whether a message is as our schema would write it: no unknown field, no field twice that is no list. Bytes made for
 * another purpose need such fields to pass as a message.
 */
export function hasOnlyOwnFields<T>(schema: Schema<T>, bytes: Uint8Array): boolean {
  const reader = new WireReader(bytes, 0)
  const seen = new Set<number>()
  while (!reader.done) {
    const tag = reader.tag()
    const field = schema.byNumber[tag >>> 3]?.field
    if (field === undefined || !takes(field, tag & 7)) return false
    if (seen.has(field.number) && field.isRepeated !== true && !Array.isArray(field.start())) return false
    seen.add(field.number)
    reader.skip(tag)
  }
  return true
}

export function encode<T>(schema: Schema<T>, value: Partial<T>): Uint8Array {
  const writer = new WireWriter()
  writeFields(schema, writer, value)
  return writer.finish()
}

/** Reads fields up to the end of the current message and merges them into `into`. */
export function readFields<T>(schema: Schema<T>, reader: WireReader, into: T): T {
  const values = into as Record<string, unknown>
  while (!reader.done) readField(schema, reader, values)
  return into
}

/** As `readFields`, for a long message: yields after every `stepBytes`, so that other work can run in between. */
export function* readFieldsInSteps<T>(
  schema: Schema<T>,
  reader: WireReader,
  into: T,
  stepBytes: number,
): Generator<undefined, T> {
  const values = into as Record<string, unknown>
  let nextBytes = reader.leftBytes - stepBytes
  while (!reader.done) {
    readField(schema, reader, values)
    if (reader.leftBytes > nextBytes) continue
    yield
    nextBytes = reader.leftBytes - stepBytes
  }
  return into
}

function readField(schema: Schema<unknown>, reader: WireReader, values: Record<string, unknown>): void {
  const tag = reader.tag()
  const slot = schema.byNumber[tag >>> 3]
  const wireType = tag & 7
  if (slot === undefined || !takes(slot.field, wireType)) reader.skip(tag)
  else values[slot.name] = slot.field.read(reader, values[slot.name], wireType)
}

function takes(field: Field<unknown>, wireType: number): boolean {
  return wireType === field.wireType || (wireType === WIRE_BYTES && field.alsoPacked === true)
}

/** Undefined fields are not written. */
export function writeFields<T>(schema: Schema<T>, writer: WireWriter, value: Partial<T>): void {
  const values = value as Readonly<Record<string, unknown>>
  for (const { name, field } of schema.slots) {
    const given = values[name]
    if (given !== undefined) field.write(writer, field.number, given)
  }
}
