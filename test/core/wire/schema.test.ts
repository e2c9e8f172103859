import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as fields from '../../../src/core/wire/fields.ts'
import { INNER_BYTES_MAX, WireReader } from '../../../src/core/wire/reader.ts'
import { decode, encode, message, readFieldsInSteps, type Schema } from '../../../src/core/wire/schema.ts'

const MALFORMED = { name: 'ProtocolError', kind: 'malformed' }
const POINT = message({ x: fields.int32(1), y: fields.int32(2) })
const ALL = message({
  name: fields.text(9),
  bool: fields.bool(1),
  int32: fields.int32(2),
  uint32: fields.uint32(3),
  int64: fields.int64(4),
  exact: fields.int64Exact(5),
  uint64: fields.uint64(6),
  bytes: fields.bytes(7),
  one: fields.innerMessage(8, POINT),
  sent: fields.rawMessage(10, POINT),
  many: fields.repeatedMessage(11, POINT),
  few: fields.repeatedMessage(12, POINT, 2),
  texts: fields.manyTexts(13),
  numbers: fields.manyInt32(14),
})

function hexOf<T>(schema: Schema<T>, value: Partial<T>): string {
  return Buffer.from(encode(schema, value)).toString('hex')
}

/** Spaces are for readers. */
function bytesOf(hex: string): Uint8Array {
  return Buffer.from(hex.replaceAll(' ', ''), 'hex')
}

function read(hex: string, partsMax = 100) {
  return decode(ALL, bytesOf(hex), partsMax)
}

const EMPTY = {
  bool: false,
  int32: 0,
  uint32: 0,
  int64: 0,
  exact: 0n,
  uint64: 0n,
  bytes: new Uint8Array(0),
  one: undefined,
  name: '',
  sent: undefined,
  many: [],
  few: [],
  texts: [],
  numbers: [],
}

describe('a message', () => {
  it('without fields has the defaults, and lists of its own', () => {
    const [first, second] = [read(''), read('')]
    assert.deepEqual(first, EMPTY)
    assert.notEqual(first.many, second.many)
  })

  it('of defaults takes no bytes; undefined is not written', () => {
    assert.equal(hexOf(ALL, EMPTY), '')
    assert.equal(hexOf(ALL, {}), '')
  })

  const encoded: readonly [value: Partial<ReturnType<typeof read>>, hex: string][] = [
    [{ bool: true }, '0801'],
    [{ int32: -1 }, '10ffffffffffffffffff01'],
    [{ uint32: 300 }, '18ac02'],
    [{ int64: -2 }, '20feffffffffffffffff01'],
    [{ exact: -3n }, '28fdffffffffffffffff01'],
    [{ uint64: 2n ** 64n - 1n }, '30ffffffffffffffffff01'],
    [{ bytes: Buffer.of(1, 2) }, '3a020102'],
    [{ one: { x: 1, y: 2 } }, '420408011002'],
    [{ one: { x: 0, y: 0 } }, '4200'],
    [{ name: 'ab' }, '4a026162'],
    [{ sent: Buffer.from('0801', 'hex') }, '52020801'],
    [{ sent: Buffer.alloc(0) }, '5200'],
    [
      {
        many: [
          { x: 1, y: 0 },
          { x: 0, y: 0 },
        ],
      },
      '5a0208015a00',
    ],
    [{ texts: ['a', ''] }, '6a01616a00'],
    [{ numbers: [1, -1] }, '700170ffffffffffffffffff01'],
  ]
  for (const [value, hex] of encoded) {
    it(`of ${hex} is written and read`, () => {
      assert.equal(hexOf(ALL, value), hex)
      assert.deepEqual(read(hex), { ...EMPTY, ...value })
    })
  }

  it('is written in the order of field numbers', () => {
    assert.equal(hexOf(ALL, { name: 'a', int32: 1, bool: true }), '080110014a0161')
  })

  it('skips unknown numbers, and known ones of another type', () => {
    assert.deepEqual(read('7801 a00601 0a0161 4801 1005'), {
      ...EMPTY,
      int32: 5,
    })
  })

  it('merges repeated inner messages, and takes the last of other fields', () => {
    assert.deepEqual(read('42020801 42021002').one, { x: 1, y: 2 })
    assert.deepEqual(read('10011002').int32, 2)
    assert.deepEqual(Buffer.from(read('52020801 52021002').sent!).toString('hex'), '08011002')
  })

  it('reads numbers of a list packed, too', () => {
    assert.deepEqual(read('7203010203 7004').numbers, [1, 2, 3, 4])
    assert.equal(read('12020102').int32, 0, 'other numbers are never packed')
  })

  it('keeps the first elements of a bounded list', () => {
    assert.deepEqual(read('62020801 62020802 62020803 1007'), {
      ...EMPTY,
      few: [
        { x: 1, y: 0 },
        { x: 2, y: 0 },
      ],
      int32: 7,
    })
  })
})

describe('the number of parts is bounded', () => {
  for (const [what, hex] of [
    ['inner messages', '4200'],
    ['elements', '5a00'],
    ['texts', '6a00'],
    ['numbers', '7000'],
    ['packed numbers', '720100'],
    ['kept messages', '5200'],
  ] as const) {
    it(`of ${what}`, () => {
      read(hex, 1)
      assert.throws(() => read(hex, 0), MALFORMED)
      assert.throws(() => read(hex.repeat(4), 3), MALFORMED)
    })
  }

  it('and copying 64 bytes of a kept message costs one', () => {
    const part = `5242${'1001'.repeat(33)}`
    const sent = (count: number, partsMax: number) =>
      decode(message({ sent: fields.rawMessage(10, message({})) }), Buffer.from(part.repeat(count), 'hex'), partsMax)
    sent(1, 1)
    sent(2, 2 + 66 / 64)
    assert.throws(() => sent(2, 2 + 65 / 64), MALFORMED)
  })
})

describe('a kept message', () => {
  it('is checked up to 1 MiB', () => {
    const invalid = (lengthBytes: number) => {
      const content = Buffer.alloc(lengthBytes, 0x08)
      return encode(message({ sent: fields.bytes(10) }), { sent: content })
    }
    assert.throws(() => decode(ALL, invalid(INNER_BYTES_MAX - 1), 10), MALFORMED)
    assert.equal(decode(ALL, invalid(INNER_BYTES_MAX + 1), 10).sent?.length, INNER_BYTES_MAX + 1)
  })
})

describe('reading in steps', () => {
  it('pauses after every given number of bytes', () => {
    const bytes = Buffer.from('1001'.repeat(10), 'hex')
    const pausesOf = (stepBytes: number) => {
      const pauses: number[] = []
      const reader = new WireReader(bytes, 0)
      const steps = readFieldsInSteps(ALL, reader, ALL.start(), stepBytes)
      for (let step = steps.next(); ; step = steps.next()) {
        if (step.done) return { pauses, int32: step.value.int32 }
        pauses.push(reader.leftBytes)
      }
    }
    assert.deepEqual(pausesOf(6), { pauses: [14, 8, 2], int32: 1 })
    assert.deepEqual(pausesOf(5), { pauses: [14, 8, 2], int32: 1 })
    assert.deepEqual(pausesOf(20), { pauses: [0], int32: 1 })
    assert.deepEqual(pausesOf(21), { pauses: [], int32: 1 })
  })
})
