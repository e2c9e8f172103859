import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type, type Field } from 'protobufjs'
import { ByteReader } from '../../src/protocol/byte-reader.ts'
import { readFrame, unpackBody, writeFrame } from '../../src/protocol/frame.ts'
import { ProtocolError } from '../../src/core/wire/errors.ts'
import {
  CLOSE,
  CLUSTER_CONFIG,
  DOWNLOAD_PROGRESS,
  FILE_INFO,
  HEADER,
  HELLO,
  INDEX_ENVELOPE,
  MESSAGE_TYPES,
  PROGRESS_ENVELOPE,
  REQUEST,
  RESPONSE,
} from '../../src/protocol/messages.ts'
import { decode, encode, type Schema } from '../../src/core/wire/schema.ts'
import { FULL, referenceType } from './reference-schema.ts'
import { ScriptedStream } from './scripted-stream.ts'
import { endlessSlice } from './slices.ts'
import { NO_LISTENER } from './test-connection.ts'
import { captured, PARTS, plain } from './captured.ts'
import { field } from './wire-parts.ts'

async function frameOf(hex: string) {
  const stream = new ScriptedStream()
  stream.feed(Buffer.from(hex, 'hex'))
  stream.end()
  const reader = new ByteReader(stream, () => 0)
  const frame = await readFrame(reader, NO_LISTENER)
  assert.equal(await readFrame(reader, NO_LISTENER), undefined, 'nothing is left over')
  assert.ok(frame !== undefined)
  return { ...frame, body: await unpackBody(frame, endlessSlice()) }
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

const COUNTERS = [{ id: '18446744073709551615', value: '3' }]

/** Every field has another value than all others of its kind, in the form of the other implementation. */
const COMPLETE: readonly (readonly [name: string, schema: Schema<object>, value: Record<string, unknown>])[] = [
  ['Hello', HELLO, { device_name: 'd', client_name: 'c', client_version: 'v', num_connections: 3, timestamp: '-4' }],
  ['Header', HEADER, { type: 7, compression: 1 }],
  [
    'ClusterConfig',
    CLUSTER_CONFIG,
    {
      folders: [
        {
          id: 'f',
          label: 'l',
          type: 2,
          ignore_permissions: true,
          ignore_delete: true,
          disable_temp_indexes: true,
          stop_reason: 1,
          devices: [
            {
              id: '01',
              name: 'n',
              addresses: ['a', 'b'],
              compression: 2,
              cert_name: 's',
              max_sequence: '6',
              introducer: true,
              index_id: '18446744073709551614',
              skip_introduction_removals: true,
              encryption_password_token: '0203',
            },
          ],
        },
      ],
      secondary: true,
    },
  ],
  [
    'FileInfo',
    FILE_INFO,
    {
      name: 'n',
      type: 1,
      size: '2',
      permissions: 3,
      modified_s: '-4',
      deleted: true,
      invalid: true,
      no_permissions: true,
      version: { counters: COUNTERS },
      sequence: '5',
      modified_ns: 6,
      modified_by: '7',
      block_size: 8,
      symlink_target: '09',
      blocks_hash: '10',
      encrypted: '11',
      previous_blocks_hash: '12',
    },
  ],
  [
    'Request',
    REQUEST,
    { id: 1, folder: 'f', name: 'n', offset: '2', size: 3, hash: '04', from_temporary: true, block_no: 5 },
  ],
  ['Response', RESPONSE, { id: 1, data: '02', code: 3 }],
  [
    'DownloadProgress',
    DOWNLOAD_PROGRESS,
    {
      folder: 'f',
      updates: [{ update_type: 1, name: 'n', version: { counters: COUNTERS }, block_indexes: [2, 3], block_size: 4 }],
    },
  ],
  ['Close', CLOSE, { reason: 'r' }],
]

/** As the other implementation reads it: bytes in hexadecimal, 64 bits in decimal. */
function readByReference(name: string, bytes: Uint8Array): unknown {
  const type = referenceType(name)
  const read = type.toObject(type.decode(bytes), { longs: String })
  return plain(read)
}

function writtenByReference(name: string, value: Record<string, unknown>): Uint8Array {
  const type = referenceType(name)
  return type.encode(type.fromObject(withBytes(type, value))).finish()
}

/** Texts in hexadecimal where the other implementation expects bytes. */
function withBytes(type: Type, value: Record<string, unknown>): Record<string, unknown> {
  const convert = (of: Field, inner: unknown): unknown => {
    if (Array.isArray(inner)) return inner.map((each) => convert(of, each))
    if (of.resolve().resolvedType instanceof Type) return withBytes(of.resolvedType as Type, inner as typeof value)
    return of.type === 'bytes' ? Buffer.from(String(inner), 'hex') : inner
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, convert(type.fields[name]!, inner)] as const),
  )
}

/** Numbers of 64 bits in decimal, whatever reads them. */
function comparable(value: unknown): unknown {
  return JSON.parse(JSON.stringify(plain(value)), (_, inner: unknown) =>
    typeof inner === 'number' ? String(inner) : inner,
  )
}

for (const [name, schema, value] of COMPLETE) {
  test(`protobufjs and we agree on every field: ${name}`, () => {
    const theirs = writtenByReference(name, value)
    const decoded = decode(schema, theirs, PARTS)
    assert.deepEqual(comparable(decoded), comparable(value))
    assert.deepEqual(comparable(readByReference(name, encode(schema, decoded))), comparable(value))
  })
}

test('an envelope is the same message without its list', () => {
  const index = { folder: 'f', files: [{ name: 'n' }], last_sequence: 5, prev_sequence: 4 }
  const envelope = decode(INDEX_ENVELOPE, writtenByReference('Index', index), 0)
  assert.deepEqual(envelope, { folder: 'f', last_sequence: 5, prev_sequence: 4 })
  const progress = writtenByReference('DownloadProgress', { folder: 'f', updates: [{ name: 'n' }] })
  assert.deepEqual(decode(PROGRESS_ENVELOPE, progress, 0), { folder: 'f' })
})

/** Attributes are kept as bytes; that they are valid is checked by reading their texts. */
const TEXTS: readonly (readonly [what: string, path: readonly number[]])[] = [
  ['unix.owner_name', [1, 1]],
  ['unix.group_name', [1, 2]],
  ['windows.owner_name', [2, 1]],
  ['the name of an attribute of linux', [3, 1, 1]],
  ['the name of an attribute of darwin', [4, 1, 1]],
  ['the name of an attribute of freebsd', [5, 1, 1]],
  ['the name of an attribute of netbsd', [6, 1, 1]],
]

for (const [what, path] of TEXTS) {
  test(`platform data with a text that is not UTF-8 is malformed: ${what}`, () => {
    const platform = (text: Buffer) => path.reduceRight((inner, number) => field(number, inner), text)
    const read = (text: Buffer) => decode(FILE_INFO, field(14, platform(text)), PARTS).platform
    const valid = Buffer.from('ok')
    assert.equal(Buffer.from(read(valid)!).toString('hex'), platform(valid).toString('hex'))
    assert.throws(() => read(Buffer.from('c328', 'hex')), ProtocolError)
  })
}

test('platform data with a value that is not UTF-8 is valid', () => {
  const value = field(14, field(3, field(1, field(2, Buffer.from('c328', 'hex')))))
  assert.equal(decode(FILE_INFO, value, PARTS).platform?.length, value.length - 2)
})
