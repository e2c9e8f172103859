import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { INNER_BYTES_MAX, WireReader } from '../../../src/core/wire/reader.ts'
import { WireWriter } from '../../../src/core/wire/writer.ts'

const MALFORMED = { name: 'ProtocolError', kind: 'malformed' }

function readerOf(hex: string, partsMax = 0): WireReader {
  return new WireReader(Buffer.from(hex, 'hex'), partsMax)
}

/** A bytes field without its tag. */
function sized(lengthBytes: number, content = 0): Uint8Array {
  const writer = new WireWriter()
  writer.bytes(new Uint8Array(lengthBytes).fill(content))
  return writer.finish()
}

describe('a number', () => {
  const cases: readonly [hex: string, unsigned: bigint][] = [
    ['00', 0n],
    ['7f', 127n],
    ['8001', 128n],
    ['ff7f', (1n << 14n) - 1n],
    ['808001', 1n << 14n],
    ['80808001', 1n << 21n],
    ['8080808001', 1n << 28n],
    ['808080800f', 0xf000_0000n],
    ['808080807f', 0x7_f000_0000n],
    ['ffffffff7f', (1n << 35n) - 1n],
    ['808080808001', 1n << 35n],
    ['80808080808001', 1n << 42n],
    ['8080808080808001', 1n << 49n],
    ['808080808080808001', 1n << 56n],
    ['80808080808080808001', 1n << 63n],
    ['ffffffffffffffffff01', (1n << 64n) - 1n],
    ['8000', 0n],
    ['ffffffffffffffff7f', (1n << 63n) - 1n],
  ]
  for (const [hex, unsigned] of cases) {
    it(`of the bytes ${hex} has the same 64 bits in every type`, () => {
      assert.equal(readerOf(hex).uint64(), unsigned)
      assert.equal(readerOf(hex).int64Exact(), BigInt.asIntN(64, unsigned))
      assert.equal(readerOf(hex).int64(), Number(BigInt.asIntN(64, unsigned)))
      assert.equal(readerOf(hex).uint32(), Number(BigInt.asUintN(32, unsigned)))
      assert.equal(readerOf(hex).int32(), Number(BigInt.asIntN(32, unsigned)))
      assert.equal(readerOf(hex).bool(), unsigned !== 0n)
    })
  }

  it('ends where its bytes end', () => {
    const reader = readerOf('8001057f')
    assert.deepEqual([reader.uint32(), reader.leftBytes, reader.uint32(), reader.uint32()], [128, 2, 5, 127])
    assert.equal(reader.done, true)
    assert.throws(() => reader.uint32(), MALFORMED)
  })

  it('of more than 64 bits or cut off is malformed', () => {
    for (const hex of ['', '80', 'ffffffffffffffffff', 'ffffffffffffffffff02', 'ffffffffffffffffff7f']) {
      assert.throws(() => readerOf(hex).uint64(), MALFORMED, hex)
    }
  })
})

describe('a tag', () => {
  it('is a number of 32 bits with a field number', () => {
    assert.deepEqual([readerOf('08').tag(), readerOf('ffffffff0f').tag()], [8, 0xffff_ffff])
    for (const hex of ['00', '07', '8080808010']) assert.throws(() => readerOf(hex).tag(), MALFORMED, hex)
  })
})

describe('bytes and text', () => {
  it('are read up to their length, and the rest stays', () => {
    const reader = readerOf('03616263026465ff')
    assert.equal(Buffer.from(reader.view()).toString(), 'abc')
    assert.equal(reader.text(), 'de')
    assert.deepEqual([reader.leftBytes, reader.done, [...reader.rest]], [1, false, [0xff]])
  })

  it('may end with the message, not outside of it', () => {
    const reads = [(reader: WireReader) => reader.view(), (reader: WireReader) => reader.text()]
    for (const read of reads) {
      assert.equal(read(readerOf('0161')).length, 1)
      for (const hex of ['02', '0261', '8080808010', '818080801061']) {
        assert.throws(() => read(readerOf(hex)), MALFORMED, hex)
      }
    }
  })

  it('are found in a part of a larger buffer', () => {
    const whole = Buffer.from('ffff026869ffff', 'hex')
    assert.equal(new WireReader(whole.subarray(2, 5), 0).text(), 'hi')
    assert.throws(() => new WireReader(whole.subarray(2, 4), 0).text(), MALFORMED)
  })

  it('of a text have at most 256 KiB; bytes have no limit of their own', () => {
    assert.equal(new WireReader(sized(256 * 1024, 0x61), 0).text().length, 256 * 1024)
    assert.throws(() => new WireReader(sized(256 * 1024 + 1, 0x61), 0).text(), MALFORMED)
    assert.equal(new WireReader(sized(256 * 1024 + 1), 0).view().length, 256 * 1024 + 1)
  })

  it('are copied only if they have the expected length, and consumed in any case', () => {
    const target = new Uint8Array(4)
    const reader = readerOf('0201020203040105')
    assert.deepEqual([reader.copyTo(target, 1, 2), [...target]], [true, [0, 1, 2, 0]])
    assert.deepEqual([reader.copyTo(target, 0, 3), [...target]], [false, [0, 1, 2, 0]])
    assert.deepEqual([reader.copyTo(target, 3, 1), [...target], reader.done], [true, [0, 1, 2, 5], true])
  })
})

describe('an inner message', () => {
  it('ends the reading at its end, and is skipped to its end when left', () => {
    const reader = readerOf('0201020306')
    const outerEnd = reader.enter()
    assert.deepEqual([reader.uint32(), reader.leftBytes, reader.done], [1, 1, false])
    reader.leave(outerEnd)
    assert.deepEqual([reader.leftBytes, reader.uint32(), reader.uint32()], [2, 3, 6])
  })

  it('holds no field that ends outside of it', () => {
    const reader = readerOf('02026161')
    reader.enter()
    assert.throws(() => reader.view(), MALFORMED)
  })

  it('has at most 1 MiB, or as many bytes as are allowed', () => {
    assert.equal(INNER_BYTES_MAX, 1024 * 1024)
    assert.equal(new WireReader(sized(INNER_BYTES_MAX), 0).enter(), INNER_BYTES_MAX + 3)
    assert.throws(() => new WireReader(sized(INNER_BYTES_MAX + 1), 0).enter(), MALFORMED)
    assert.equal(readerOf('020101').enter(2), 3)
    assert.throws(() => readerOf('020101').enter(1), MALFORMED)
  })

  it('counts as a part: no more than allowed are read', () => {
    const reader = readerOf('', 3)
    reader.countPart()
    reader.countPart(2)
    assert.throws(() => reader.countPart(), MALFORMED)
    assert.throws(() => readerOf('', 3).countPart(4), MALFORMED)
    assert.throws(() => readerOf('').countPart(0.5), MALFORMED)
  })
})

describe('a skipped field', () => {
  const cases: readonly [what: string, hex: string][] = [
    ['a number', '088001'],
    ['eight bytes', '090102030405060708'],
    ['bytes', '0a020102'],
    ['four bytes', '0d01020304'],
    ['an empty group', '0b0c'],
    ['a group with every kind of field', '0b 1001 110102030405060708 1a0101 1d01020304 0c'],
    ['a group in a group', '0b 13 1801 14 0c'],
    ['two groups in a group', '0b 1314 1b1c 0c'],
  ]
  for (const [what, text] of cases) {
    const hex = text.replaceAll(' ', '')
    it(`of ${what} is consumed to its end and no further`, () => {
      const reader = readerOf(`${hex}05`)
      reader.skip(reader.tag())
      assert.deepEqual([...reader.rest], [5])
    })
    it(`of ${what} is malformed when it is cut`, () => {
      const reader = readerOf(hex.slice(0, -2))
      assert.throws(() => reader.skip(reader.tag()), MALFORMED)
    })
  }

  it('of an unknown type, or a group that ends another, is malformed', () => {
    for (const hex of ['0e', '0f', '0c', '0b14', '0b130c14', '0b0e0c']) {
      const reader = readerOf(hex)
      assert.throws(() => reader.skip(reader.tag()), MALFORMED, hex)
    }
  })

  it('is a group of at most 32 levels', () => {
    const nested = (levels: number) => readerOf('0b'.repeat(levels) + '0c'.repeat(levels))
    const skipped = nested(32)
    skipped.skip(skipped.tag())
    assert.equal(skipped.done, true)
    const deeper = nested(33)
    assert.throws(() => deeper.skip(deeper.tag()), MALFORMED)
  })

  it('is a group of at most 10,000 fields', () => {
    const wide = (fields: number) => readerOf(`0b${'1001'.repeat(fields)}0c`)
    const skipped = wide(10_000)
    skipped.skip(skipped.tag())
    assert.equal(skipped.done, true)
    const wider = wide(10_001)
    assert.throws(() => wider.skip(wider.tag()), MALFORMED)
  })
})
