import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { CLUSTER_CONFIG, DOWNLOAD_PROGRESS, REQUEST, RESPONSE } from '../../src/protocol/messages.ts'
import { decode, encode, type Schema } from '../../src/core/wire/schema.ts'
import { effort } from '../support/effort.ts'
import { referenceType } from './reference-schema.ts'
import { PARTS, plain } from './captured.ts'

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
