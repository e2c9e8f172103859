import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ProtocolError } from '../../src/core/wire/errors.ts'
import { compress, uncompress } from '../../src/protocol/compress.ts'
import { casesOf, reportRow } from '../support/effort.ts'
import { testSeed } from '../support/seed.ts'
import { damage, numbers } from './damage.ts'
import { endlessSlice } from './slices.ts'
import { MIB } from './wire-parts.ts'

test('B-05: compressed messages with a false length are refused before anything is allocated', async () => {
  const block = (claimed: number, hex: string) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(claimed >>> 0)
    return Buffer.concat([length, Buffer.from(hex, 'hex')])
  }
  const valid = compress(Buffer.alloc(100_000, 'abc'))!
  const bomb = compress(Buffer.alloc(64 * MIB))!
  const cases: readonly (readonly [string, Uint8Array, number])[] = [
    ['no length', Buffer.from('0000', 'hex'), MIB],
    ['claims more than it has', block(100, '50616263646500'.slice(0, 12)), MIB],
    ['claims less than it has', block(3, '506162636465'), MIB],
    ['claims nothing', block(0, '506162636465'), MIB],
    ['claims 4 GiB', block(2 ** 32 - 1, '506162636465'), 500_000_000],
    ['claims more than its type may', valid, 99_999],
    ['claims more than LZ4 can do', block(256 * 6, '506162636465'), MIB],
    ['offset 0', block(20, '124100005061626364650000'), MIB],
    ['offset before the start', block(20, '124109005061626364650000'), MIB],
    ['cut', valid.subarray(0, valid.length - 3), MIB],
    ['with something behind it', Buffer.concat([valid, Buffer.from('00000000', 'hex')]), MIB],
    ['a bomb in a request', bomb, MIB],
  ]
  const before = process.memoryUsage().arrayBuffers
  for (const [name, packed, max] of cases) {
    await assert.rejects(
      uncompress(packed, max, endlessSlice()),
      (error) => error instanceof ProtocolError && error.kind === 'malformed',
      name,
    )
  }
  const grown = process.memoryUsage().arrayBuffers - before
  assert.ok(grown < 8 * MIB, `${grown} bytes`)
  reportRow({ id: 'B-05', tried: cases.length, refused: cases.length, grownBytes: grown })
})

test('B-05: damaged LZ4 is refused or has the claimed length, never with stale memory', async () => {
  const rounds = casesOf(50_000, 1_000_000)
  const random = numbers(testSeed(2))
  const seeds = [
    Buffer.alloc(400, 'abcd'),
    Buffer.from('the quick brown fox jumps over the lazy dog, '.repeat(9)),
    Buffer.alloc(3_000, 7),
  ].map((body) => compress(body)!)
  let refused = 0
  let unpacked = 0
  for (let round = 0; round < rounds; round++) {
    const packed = damage(seeds[round % seeds.length]!, random)
    try {
      const first = await uncompress(packed, 64 * 1024, endlessSlice())
      assert.equal(first.length, packed.readUInt32BE(0))
      // The same bytes must give the same result: stale memory would differ.
      assert.ok(Buffer.from(first).equals(await uncompress(packed, 64 * 1024, endlessSlice())))
      unpacked++
    } catch (error) {
      assert.ok(error instanceof ProtocolError, String(error))
      refused++
    }
  }
  assert.ok(refused > rounds / 10 && unpacked > rounds / 100, `${refused} refused, ${unpacked} unpacked`)
  reportRow({ id: 'B-05', tried: rounds, refused, unpacked })
})
