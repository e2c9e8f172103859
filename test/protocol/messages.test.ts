import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { ByteReader } from '../../src/protocol/byte-reader.ts'
import { ProtocolError } from '../../src/core/wire/errors.ts'
import { readFrame, unpackBody, writeFrame } from '../../src/protocol/frame.ts'
import {
  CLUSTER_CONFIG,
  DOWNLOAD_PROGRESS,
  MESSAGE_TYPES,
  REQUEST,
  RESPONSE,
  type MessageType,
} from '../../src/protocol/messages.ts'
import { decode, encode, type Schema } from '../../src/core/wire/schema.ts'
import { WireReader } from '../../src/core/wire/reader.ts'
import { WireWriter } from '../../src/core/wire/writer.ts'
import { effort, reportRow } from '../support/effort.ts'
import { damage, numbers } from './damage.ts'
import { FULL, referenceType } from './reference-schema.ts'
import { ScriptedStream } from './scripted-stream.ts'
import { NO_LISTENER } from './test-connection.ts'
import { testSeed } from '../support/seed.ts'

interface Captured {
  readonly name: string
  readonly message_type: MessageType
  readonly header: { readonly type: number; readonly compression: number }
  readonly frame_hex: string
  readonly uncompressed_hex?: string
  readonly decoded: object
}

const VECTORS = join(import.meta.dirname, '..', 'vectors')
const captured: readonly Captured[] = JSON.parse(readFileSync(join(VECTORS, 'bep-messages.json'), 'utf8')).messages
const PARTS = 100_000

/** A decoded message in the format of the vectors: bytes in hex, 64 bits in decimal, defaults omitted. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, inner]) => !isDefault(inner))
  return Object.fromEntries(entries.map(([name, inner]) => [name, plain(inner)]))
}

function isDefault(value: unknown): boolean {
  if (value instanceof Uint8Array || Array.isArray(value)) return value.length === 0
  return value === undefined || value === 0 || value === 0n || value === false || value === ''
}

async function frameOf(hex: string) {
  const stream = new ScriptedStream()
  stream.feed(Buffer.from(hex, 'hex'))
  stream.end()
  const reader = new ByteReader(stream, () => 0)
  const frame = await readFrame(reader, NO_LISTENER)
  assert.equal(await readFrame(reader, NO_LISTENER), undefined, 'nothing is left over')
  assert.ok(frame !== undefined)
  return { ...frame, body: await unpackBody(frame) }
}

for (const vector of captured) {
  test(`captured frame: ${vector.name}`, async () => {
    const frame = await frameOf(vector.frame_hex)
    assert.equal(frame.type, vector.message_type)
    const uncompressedHex =
      vector.uncompressed_hex ?? vector.frame_hex.slice(-frame.body.length * 2 || vector.frame_hex.length)
    assert.equal(Buffer.from(frame.body).toString('hex'), uncompressedHex)

    const schema = FULL[vector.message_type]!
    const decoded = decode(schema, frame.body, PARTS)
    assert.deepEqual(plain(decoded), vector.decoded)
    const body = encode(schema, decoded)
    assert.equal(Buffer.from(body).toString('hex'), uncompressedHex, 'encoded again it is the same, byte for byte')

    if (vector.header.compression === 0) {
      const again = Buffer.concat(writeFrame(frame.type, [body], 'never'))
      assert.equal(again.toString('hex'), vector.frame_hex)
    } else {
      const packed = Buffer.concat(writeFrame(frame.type, [body], 'always'))
      assert.deepEqual(Buffer.from((await frameOf(packed.toString('hex'))).body), Buffer.from(body))
    }
  })
}

test('there are captured frames of every type', () => {
  assert.deepEqual(new Set(captured.map((vector) => vector.message_type)), new Set(MESSAGE_TYPES))
})

const uint64 = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n })
const safe = fc.oneof(fc.maxSafeInteger(), fc.integer())
const int32 = fc.integer()
const someBytes = fc.uint8Array({ maxLength: 64 })
const someText = fc.string({ unit: 'binary', maxLength: 20 }).filter((value) => value.isWellFormed())
const vector = fc.record({ counters: fc.array(fc.record({ id: uint64, value: uint64 }), { maxLength: 4 }) })
const device = fc.record({
  id: someBytes,
  name: someText,
  addresses: fc.array(someText, { maxLength: 3 }),
  compression: int32,
  cert_name: someText,
  max_sequence: safe,
  introducer: fc.boolean(),
  index_id: uint64,
  skip_introduction_removals: fc.boolean(),
  encryption_password_token: someBytes,
})
const folder = fc.record({
  id: someText,
  label: someText,
  type: int32,
  ignore_permissions: fc.boolean(),
  ignore_delete: fc.boolean(),
  disable_temp_indexes: fc.boolean(),
  stop_reason: int32,
  devices: fc.array(device, { maxLength: 3 }),
})

/** Converts between our values and those of protobufjs: only 64-bit numbers differ. */
function forReference(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return value.map(forReference)
  if (value instanceof Uint8Array || typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .map(([name, inner]) => [name, forReference(inner)]),
  )
}

function crossCheck<T>(name: string, schema: Schema<T>, arbitrary: fc.Arbitrary<T>): void {
  test(`protobufjs agrees on random messages: ${name}`, () => {
    const reference = referenceType(name)
    fc.assert(
      fc.property(arbitrary, (value) => {
        const ours = encode(schema, value)
        const theirs = reference.encode(reference.fromObject(forReference(value) as object)).finish()
        // proto3 omits defaults, protobufjs does not: compare its decoding of both encodings.
        const options = { longs: String, bytes: String, defaults: true, arrays: true }
        assert.deepEqual(
          reference.toObject(reference.decode(ours), options),
          reference.toObject(reference.decode(theirs), options),
        )
        assert.deepEqual(plain(decode(schema, theirs, PARTS)), plain(value))
        assert.deepEqual(plain(decode(schema, ours, PARTS)), plain(value))
      }),
      { numRuns: effort(300) },
    )
  })
}

crossCheck(
  'ClusterConfig',
  CLUSTER_CONFIG,
  fc.record({ folders: fc.array(folder, { maxLength: 3 }), secondary: fc.boolean() }),
)
crossCheck(
  'Request',
  REQUEST,
  fc.record({
    id: int32,
    folder: someText,
    name: someText,
    offset: safe,
    size: int32,
    hash: someBytes,
    from_temporary: fc.boolean(),
    block_no: int32,
  }),
)
crossCheck('Response', RESPONSE, fc.record({ id: int32, data: fc.uint8Array({ maxLength: 5_000 }), code: int32 }))
crossCheck(
  'DownloadProgress',
  DOWNLOAD_PROGRESS,
  fc.record({
    folder: someText,
    updates: fc.array(
      fc.record({
        update_type: int32,
        name: someText,
        version: fc.option(vector, { nil: undefined }),
        block_indexes: fc.array(int32),
        block_size: int32,
      }),
      { maxLength: 4 },
    ),
  }),
)

test('64-bit numbers are exact from end to end', () => {
  for (const value of [
    0n,
    1n,
    127n,
    128n,
    (1n << 53n) + 1n,
    15249666367413417479n,
    (1n << 63n) - 1n,
    1n << 63n,
    (1n << 64n) - 1n,
  ]) {
    const body = encode(FULL['DownloadProgress']!, { updates: [{ version: { counters: [{ id: value, value }] } }] })
    const again = plain(decode(DOWNLOAD_PROGRESS, body, PARTS))
    const text = value.toString()
    const counter = value === 0n ? {} : { id: text, value: text }
    assert.deepEqual(again, { updates: [{ version: { counters: [counter] } }] })
  }
})

test('int64 is exact for safe integers, and unsafe values stay unsafe', () => {
  const there = (value: bigint) => {
    const writer = new WireWriter()
    writer.bigint64(value)
    return new WireReader(writer.finish(), 0).int64()
  }
  fc.assert(
    fc.property(
      fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n }),
      fc.integer({ min: 0, max: 63 }),
      (large, shift) => {
        const value = large >> BigInt(shift)
        const read = there(value)
        assert.equal(Number.isSafeInteger(read), Number.isSafeInteger(Number(value)))
        if (Number.isSafeInteger(read)) assert.equal(BigInt(read), value)
      },
    ),
    { numRuns: effort(2_000) },
  )
  for (const value of [1n << 53n, -(1n << 53n), (1n << 63n) - 1n, -(1n << 63n)])
    assert.ok(!Number.isSafeInteger(there(value)), String(value))
})

test('B-06: invalid protobuf is refused, skipped or read, never a crash', () => {
  const group = (depth: number) => Buffer.concat([Buffer.alloc(depth, 0x23), Buffer.alloc(depth, 0x24)])
  const unknown = Buffer.concat(Array.from({ length: 1_000_000 }, () => Buffer.from([0xfa, 0x07, 0x00])))
  const many = (count: number) => Buffer.concat(Array.from({ length: count }, () => Buffer.from([0x0a, 0x00])))
  const cases: readonly (readonly [string, Buffer, 'refused' | 'read'])[] = [
    ['a varint of eleven bytes', Buffer.from('10ffffffffffffffffffff01', 'hex'), 'refused'],
    ['a varint above 64 bits', Buffer.from('10ffffffffffffffffff7f', 'hex'), 'refused'],
    ['a varint that is cut', Buffer.from('10ff', 'hex'), 'refused'],
    ['wire type 6', Buffer.from('16', 'hex'), 'refused'],
    ['wire type 7', Buffer.from('17', 'hex'), 'refused'],
    ['field number 0', Buffer.from('0001', 'hex'), 'refused'],
    ['a field number above 29 bits', Buffer.from('80808080808001', 'hex'), 'refused'],
    ['a length past the end', Buffer.from('0a7f', 'hex'), 'refused'],
    ['a length above 32 bits', Buffer.from('0affffffffffff01', 'hex'), 'refused'],
    ['an end of group alone', Buffer.from('24', 'hex'), 'refused'],
    ['a group that never ends', Buffer.from('23', 'hex'), 'refused'],
    ['a small group', group(3), 'read'],
    ['a group of 10,000 levels', group(10_000), 'refused'],
    ['10^6 unknown fields', unknown, 'read'],
    ['a known field of another wire type', Buffer.from('0801', 'hex'), 'read'],
    ['a fixed64 that is cut', Buffer.from('210000', 'hex'), 'refused'],
    ['a repeated bool', Buffer.from('100110001001', 'hex'), 'read'],
    ['more parts than the limit', many(PARTS + 1), 'refused'],
  ]
  for (const [name, bytes, expected] of cases) {
    const outcome = outcomeOf(() => decode(CLUSTER_CONFIG, bytes, PARTS))
    assert.equal(outcome, expected, name)
  }
  assert.deepEqual(
    decode(DOWNLOAD_PROGRESS, Buffer.from('12082206010203ffff03', 'hex'), PARTS).updates[0]?.block_indexes,
    [1, 2, 3, 65535],
  )
  assert.deepEqual(
    decode(DOWNLOAD_PROGRESS, Buffer.from('120420012002', 'hex'), PARTS).updates[0]?.block_indexes,
    [1, 2],
  )
  assert.equal(decode(RESPONSE, Buffer.from('18ffffffffffffffffff01', 'hex'), 0).code, -1, 'a negative enum')
  assert.equal(
    decode(RESPONSE, Buffer.from('080108020803', 'hex'), 0).id,
    3,
    'the last of three occurrences of a field applies',
  )
})

function outcomeOf(act: () => unknown): 'refused' | 'read' {
  try {
    act()
    return 'read'
  } catch (error) {
    assert.ok(error instanceof ProtocolError, String(error))
    assert.equal(error.kind, 'malformed')
    return 'refused'
  }
}

test('B-06: damaged and random messages are at most refused', () => {
  const rounds = effort(120_000)
  const seeds = captured.map((vector) => ({
    schema: FULL[vector.message_type]!,
    bytes: Buffer.from(
      vector.uncompressed_hex ?? vector.frame_hex.slice(Buffer.from(vector.frame_hex, 'hex').readUInt16BE(0) * 2 + 12),
      'hex',
    ),
  }))
  const counts = { refused: 0, read: 0 }
  let bytesTotal = 0
  const random = numbers(testSeed())
  for (let round = 0; round < rounds; round++) {
    const { schema, bytes } = seeds[round % seeds.length]!
    const damaged = damage(bytes, random)
    bytesTotal += damaged.length
    counts[outcomeOf(() => decode(schema, damaged, PARTS))]++
  }
  assert.ok(counts.refused > rounds / 100 && counts.read > rounds / 100, JSON.stringify(counts))
  reportRow({ id: 'B-06', tried: rounds, ...counts, bytesTotal, crashes: 0 })
})

test('text that is not UTF-8 is refused; text with a replacement character is not', () => {
  assert.equal(
    outcomeOf(() => decode(FULL['Close']!, Buffer.from('0a02c328', 'hex'), 0)),
    'refused',
  )
  assert.equal(
    outcomeOf(() => decode(FULL['Close']!, Buffer.from('0a03eda080', 'hex'), 0)),
    'refused',
  )
  assert.deepEqual(decode(FULL['Close']!, Buffer.from('0a03efbfbd', 'hex'), 0), { reason: '\ufffd' })
  assert.deepEqual(decode(FULL['Close']!, Buffer.from('0a04efbbbf61', 'hex'), 0), { reason: '\ufeffa' })
})
