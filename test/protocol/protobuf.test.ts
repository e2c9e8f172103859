import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { ProtocolError } from '../../src/core/wire/errors.ts'
import { CLUSTER_CONFIG, DOWNLOAD_PROGRESS, RESPONSE } from '../../src/protocol/messages.ts'
import { decode, encode } from '../../src/core/wire/schema.ts'
import { WireReader } from '../../src/core/wire/reader.ts'
import { WireWriter } from '../../src/core/wire/writer.ts'
import { casesOf, effort, reportRow } from '../support/effort.ts'
import { testSeed } from '../support/seed.ts'
import { damage, numbers } from './damage.ts'
import { FULL } from './reference-schema.ts'
import { captured, PARTS, plain } from './captured.ts'

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
  const rounds = casesOf(60_000, 10_000_000)
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
  reportRow({ id: 'B-06', tried: rounds, ...counts, bytesTotal })
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
