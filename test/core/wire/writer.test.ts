import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { WireReader } from '../../../src/core/wire/reader.ts'
import { WireWriter } from '../../../src/core/wire/writer.ts'

function written(write: (writer: WireWriter) => void, capacityBytes?: number): string {
  const writer = new WireWriter(capacityBytes)
  write(writer)
  const bytes = writer.finish()
  assert.equal(writer.lengthBytes, bytes.length)
  return Buffer.from(bytes).toString('hex')
}

describe('a number is written in the fewest bytes', () => {
  const unsigned: readonly [value: number, hex: string][] = [
    [0, '00'],
    [0x7f, '7f'],
    [0x80, '8001'],
    [0x3fff, 'ff7f'],
    [0x4000, '808001'],
    [0x7fff_ffff, 'ffffffff07'],
    [0xffff_ffff, 'ffffffff0f'],
  ]
  for (const [value, hex] of unsigned) {
    it(`${value}`, () => {
      assert.equal(
        written((writer) => writer.uint32(value)),
        hex,
      )
      assert.equal(
        written((writer) => writer.int64(value)),
        hex,
      )
      assert.equal(
        written((writer) => writer.bigint64(BigInt(value))),
        hex,
      )
      if (value > 0x7fff_ffff) return
      assert.equal(
        written((writer) => writer.int32(value)),
        hex,
      )
    })
  }

  const wide: readonly [value: bigint, hex: string][] = [
    [-1n, 'ffffffffffffffffff01'],
    [-128n, '80ffffffffffffffff01'],
    [-(2n ** 31n), '80808080f8ffffffff01'],
    [2n ** 32n, '8080808010'],
    [2n ** 35n - 1n, 'ffffffff7f'],
    [2n ** 35n, '808080808001'],
    [BigInt(Number.MAX_SAFE_INTEGER), 'ffffffffffffff0f'],
    [BigInt(Number.MIN_SAFE_INTEGER), '81808080808080f0ff01'],
  ]
  for (const [value, hex] of wide) {
    it(`${value}`, () => {
      assert.equal(
        written((writer) => writer.int64(Number(value))),
        hex,
      )
      assert.equal(
        written((writer) => writer.bigint64(value)),
        hex,
      )
      if (value < 0n && value >= -(2n ** 31n))
        assert.equal(
          written((writer) => writer.int32(Number(value))),
          hex,
        )
    })
  }

  it('of 64 bits, signed or not', () => {
    for (const value of [2n ** 63n, 2n ** 64n - 1n]) {
      const signed = written((writer) => writer.bigint64(BigInt.asIntN(64, value)))
      assert.equal(
        written((writer) => writer.bigint64(value)),
        signed,
      )
      assert.equal(new WireReader(Buffer.from(signed, 'hex'), 0).uint64(), value)
    }
  })

  it('and is refused when it is not exact', () => {
    assert.throws(() => new WireWriter().int64(2 ** 53), RangeError)
    assert.throws(() => new WireWriter().int64(0.5), RangeError)
  })
})

describe('fields', () => {
  it('are a tag and a value one after the other', () => {
    const hex = written((writer) => {
      writer.tag(1, 0)
      writer.uint32(5)
      writer.tag(16, 2)
      writer.text('é')
      writer.tag(2, 2)
      writer.bytes(Uint8Array.of(1, 2))
    })
    assert.equal(hex, '0805820102c3a912020102')
  })

  it('need no capacity in advance', () => {
    const write = (writer: WireWriter) => {
      for (let value = 1; value < 2 ** 31; value *= 3) writer.uint32(value)
      writer.bigint64(-1n)
      writer.text('a longer text')
      writer.bytes(new Uint8Array(100).fill(7))
      const start = writer.begin()
      writer.bytes(new Uint8Array(300).fill(8))
      writer.end(start)
    }
    const expected = written(write, 10_000)
    for (const capacityBytes of [0, 1, 2, 5, 9, 10, 11, 50, 100, 127]) {
      assert.equal(written(write, capacityBytes), expected, `${capacityBytes}`)
    }
  })
})

describe('an inner message', () => {
  const lengths = [0, 1, 0x7f, 0x80, 0x3fff, 0x4000, 0x1f_ffff, 0x20_0000]
  for (const lengthBytes of lengths) {
    it(`of ${lengthBytes} bytes has its length before it and nothing after it is lost`, () => {
      const content = new Uint8Array(lengthBytes).map((_, index) => index % 251)
      const writer = new WireWriter()
      writer.uint32(9)
      const start = writer.begin()
      // Bytes without a length of their own.
      for (let at = 0; at < lengthBytes; at++) writer.uint32(content[at]! % 0x80)
      writer.end(start)
      writer.uint32(3)
      const reader = new WireReader(writer.finish(), 0)
      assert.equal(reader.uint32(), 9)
      assert.deepEqual(Buffer.from(reader.view()), Buffer.from(content.map((byte) => byte % 0x80)))
      assert.deepEqual([reader.uint32(), reader.done], [3, true])
    })
  }

  it('in an inner message', () => {
    const hex = written((writer) => {
      const outer = writer.begin()
      writer.uint32(1)
      const inner = writer.begin()
      writer.bytes(new Uint8Array(200).fill(0xaa))
      writer.end(inner)
      writer.end(outer)
    })
    assert.equal(hex, `cd0101ca01c801${'aa'.repeat(200)}`)
  })
})
