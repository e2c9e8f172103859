import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { describe, it } from 'node:test'
import { claimedBytes, compress, uncompress, wantsCompression } from '../../src/protocol/compress.ts'
import { endlessSlice } from './slices.ts'

const MALFORMED = { name: 'ProtocolError', kind: 'malformed' }

describe('a compressed message', () => {
  it('begins with its length, and is read back', async () => {
    for (const lengthBytes of [128, 5_000, 256 * 1024, 256 * 1024 + 1]) {
      const body = Buffer.alloc(lengthBytes, 'some text ')
      const packed = Buffer.from(compress(body) ?? [])
      assert.equal(packed.readUInt32BE(0), lengthBytes)
      const before = Buffer.from(packed)
      assert.ok(Buffer.from(await uncompress(packed, lengthBytes, endlessSlice())).equals(body))
      assert.ok(packed.equals(before), 'the packed bytes are unchanged')
    }
  })

  it('is a part of a larger buffer as well', async () => {
    const whole = Buffer.alloc(1_000, 'ab')
    const packed = Buffer.from(compress(whole.subarray(100, 500)) ?? [])
    const shifted = Buffer.concat([Buffer.from('xyz'), packed]).subarray(3)
    assert.ok(Buffer.from(await uncompress(shifted, 1_000, endlessSlice())).equals(whole.subarray(100, 500)))
  })

  it('is none if it saves less than a part in 32', () => {
    const noise = Array.from({ length: 128 }, (_, index) => hash('sha256', `${index}`, 'buffer'))
    assert.equal(compress(Buffer.concat(noise)), undefined)
    assert.notEqual(compress(Buffer.alloc(4_096)), undefined)
  })

  it('is none from the first byte less, and is one if it saves exactly that part', () => {
    const noise = Buffer.concat(Array.from({ length: 100 }, (_, index) => hash('sha256', `${index}`, 'buffer')))
    const savings = noise.length / 32
    const packedBytes = Array.from({ length: 3 * savings }, (_, zeros) => {
      const body = Buffer.from(noise)
      body.fill(0, body.length - zeros)
      return compress(body)?.length ?? 0
    })
    assert.equal(Math.max(...packedBytes), noise.length - savings)
  })

  it('claims at most the allowed length, and 255 times its own', () => {
    const claim = (lengthBytes: number, dataBytes: number) => {
      const packed = Buffer.alloc(4 + dataBytes)
      packed.writeUInt32BE(lengthBytes, 0)
      return packed
    }
    assert.equal(claimedBytes(claim(510, 2), 510), 510)
    assert.throws(() => claimedBytes(claim(511, 2), 1_000), MALFORMED)
    assert.throws(() => claimedBytes(claim(511, 100), 510), MALFORMED)
    assert.equal(claimedBytes(claim(0, 0), 0), 0)
    assert.throws(() => claimedBytes(Buffer.alloc(3), 10), MALFORMED)
  })

  it('with another length than claimed is malformed', async () => {
    const packed = Buffer.from(compress(Buffer.alloc(400)) ?? [])
    for (const lengthBytes of [399, 401]) {
      packed.writeUInt32BE(lengthBytes, 0)
      await assert.rejects(uncompress(packed, 1_000, endlessSlice()), MALFORMED)
    }
  })
})

describe('compression is wanted', () => {
  const cases: readonly [
    setting: 'never' | 'always' | 'metadata',
    type: 'Index' | 'Response',
    lengthBytes: number,
    wanted: boolean,
  ][] = [
    ['never', 'Index', 10_000, false],
    ['always', 'Index', 127, false],
    ['always', 'Index', 128, true],
    ['always', 'Response', 128, true],
    ['metadata', 'Index', 127, false],
    ['metadata', 'Index', 128, true],
    ['metadata', 'Response', 10_000, false],
  ]
  for (const [setting, type, lengthBytes, wanted] of cases) {
    it(`${setting}, ${type} of ${lengthBytes} bytes: ${wanted}`, () => {
      assert.equal(wantsCompression(setting, type, lengthBytes), wanted)
    })
  }
})
