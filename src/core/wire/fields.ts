import { INNER_BYTES_MAX, WIRE_BYTES, WIRE_VARINT, type WireReader } from './reader.ts'
import { readFields, writeFields, type Field, type Schema } from './schema.ts'
import type { WireWriter } from './writer.ts'

/** A number or boolean: written unless it is the default. */
function scalar<T>(zero: T, read: (reader: WireReader) => T, write: (writer: WireWriter, value: T) => void) {
  return (number: number): Field<T> => ({
    number,
    wireType: WIRE_VARINT,
    start: () => zero,
    read,
    write: (writer, number, value) => {
      if (value === zero) return
      writer.tag(number, WIRE_VARINT)
      write(writer, value)
    },
  })
}

export const bool = scalar(
  false as boolean,
  (reader) => reader.bool(),
  (writer) => writer.uint32(1),
)
export const int32 = scalar(
  0,
  (reader) => reader.int32(),
  (writer, value) => writer.int32(value),
)
export const uint32 = scalar(
  0,
  (reader) => reader.uint32(),
  (writer, value) => writer.uint32(value),
)
/** For values that are normally safe integers; see `WireReader.int64` for others. */
export const int64 = scalar(
  0,
  (reader) => reader.int64(),
  (writer, value) => writer.int64(value),
)
export const int64Exact = scalar(
  0n,
  (reader) => reader.int64Exact(),
  (writer, value) => writer.bigint64(value),
)
export const uint64 = scalar(
  0n,
  (reader) => reader.uint64(),
  (writer, value) => writer.bigint64(value),
)

const NO_BYTES = new Uint8Array(0)
/** Copying so many bytes counts as one part. */
const COPIED_BYTES_PER_PART = 64

export function text(number: number): Field<string> {
  return {
    number,
    wireType: WIRE_BYTES,
    start: () => '',
    read: (reader) => reader.text(),
    write: (writer, number, value) => {
      if (value === '') return
      writer.tag(number, WIRE_BYTES)
      writer.text(value)
    },
  }
}

/** Decoded as a view into the message. */
export function bytes(number: number): Field<Uint8Array> {
  return {
    number,
    wireType: WIRE_BYTES,
    start: () => NO_BYTES,
    read: (reader) => reader.view(),
    write: (writer, number, value) => {
      if (value.length === 0) return
      writer.tag(number, WIRE_BYTES)
      writer.bytes(value)
    },
  }
}

/** An inner message: undefined when absent, which differs from empty. */
export function innerMessage<T>(number: number, schema: Schema<T>): Field<T | undefined> {
  return {
    number,
    wireType: WIRE_BYTES,
    start: () => undefined,
    read: (reader, before) => readInner(schema, reader, before ?? schema.start()),
    write: (writer, number, value) => {
      if (value !== undefined) writeInner(schema, writer, number, value)
    },
  }
}

/**
 * An inner message that is validated and kept as bytes, with unknown fields; one above 1 MiB is not validated. Repeated
 * ones are concatenated, which protobuf defines as a merge. A view into the message.
 */
export function rawMessage<T>(number: number, schema: Schema<T>): Field<Uint8Array | undefined> {
  return {
    number,
    wireType: WIRE_BYTES,
    start: () => undefined,
    read: (reader, before) => {
      reader.countPart()
      const outerEnd = reader.enter(Infinity)
      const view = reader.rest
      if (view.length <= INNER_BYTES_MAX) readFields(schema, reader, schema.start())
      reader.leave(outerEnd)
      if (before === undefined) return view
      reader.countPart(before.length / COPIED_BYTES_PER_PART) // many repetitions would copy quadratically
      return Buffer.concat([before, view])
    },
    write: (writer, number, value) => {
      if (value === undefined) return
      writer.tag(number, WIRE_BYTES)
      writer.bytes(value)
    },
  }
}

/** Elements beyond `countMax` are skipped. */
export function repeatedMessage<T>(number: number, schema: Schema<T>, countMax = Infinity): Field<T[]> {
  return {
    number,
    wireType: WIRE_BYTES,
    start: () => [],
    read: (reader, before) => {
      if (before.length < countMax) before.push(readInner(schema, reader, schema.start()))
      else reader.view()
      return before
    },
    write: (writer, number, values) => {
      for (const value of values) writeInner(schema, writer, number, value)
    },
  }
}

export function manyTexts(number: number): Field<string[]> {
  return {
    number,
    wireType: WIRE_BYTES,
    start: () => [],
    read: (reader, before) => {
      reader.countPart()
      before.push(reader.text())
      return before
    },
    write: (writer, number, values) => {
      for (const value of values) {
        writer.tag(number, WIRE_BYTES)
        writer.text(value)
      }
    },
  }
}

/** Written unpacked, as in Syncthing; read in both encodings. */
export function manyInt32(number: number): Field<number[]> {
  return {
    number,
    wireType: WIRE_VARINT,
    alsoPacked: true,
    start: () => [],
    read: (reader, before, wireType) => {
      const take = (): void => {
        reader.countPart()
        before.push(reader.int32())
      }
      if (wireType === WIRE_BYTES) {
        const outerEnd = reader.enter()
        while (!reader.done) take()
        reader.leave(outerEnd)
      } else take()
      return before
    },
    write: (writer, number, values) => {
      for (const value of values) {
        writer.tag(number, WIRE_VARINT)
        writer.int32(value)
      }
    },
  }
}

function readInner<T>(schema: Schema<T>, reader: WireReader, into: T): T {
  reader.countPart()
  const outerEnd = reader.enter()
  readFields(schema, reader, into)
  reader.leave(outerEnd)
  return into
}

function writeInner<T>(schema: Schema<T>, writer: WireWriter, number: number, value: T): void {
  writer.tag(number, WIRE_BYTES)
  const start = writer.begin()
  writeFields(schema, writer, value)
  writer.end(start)
}
