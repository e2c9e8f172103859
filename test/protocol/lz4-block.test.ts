import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { compressSync } from 'lz4-napi'
import { decodeBlock } from '../../src/protocol/lz4-block.ts'
import { casesOf, reportRow } from '../support/effort.ts'
import { testSeed } from '../support/seed.ts'
import { damage, numbers } from './damage.ts'
import { assertAsLibrary, BLOCK_START, decoded } from './lz4-reference.ts'
import { MIB } from './wire-parts.ts'

test('B-05: what the library compresses is decoded to the same bytes', () => {
  const part = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.record({ bytes: fc.uint8Array({ minLength: 1, maxLength: 20 }), count: fc.nat(300) }).map(repetition),
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 40 }), fc.nat(20), (parts, shift) => {
      const body = Buffer.concat(parts)
      const block = compressSync(body).subarray(BLOCK_START)
      const shifted = Buffer.concat([Buffer.alloc(shift), block]).subarray(shift)
      assert.ok(Buffer.from(decoded(shifted, body.length) as Uint8Array).equals(body))
    }),
  )
})

function repetition({ bytes, count }: { readonly bytes: Uint8Array; readonly count: number }): Uint8Array {
  return Buffer.alloc(bytes.length * count, bytes)
}

test('B-05: damaged blocks are decoded or refused as by the library', () => {
  const rounds = casesOf(20_000, 1_000_000)
  const random = numbers(testSeed(3))
  const few = Buffer.from(Array.from({ length: 3_000 }, () => 97 + random(4)))
  const names = Array.from({ length: 200 }, (_, index) => `name/${index * 77_777}${'ab'.repeat(index % 50)}`)
  const bodies = [few, Buffer.from(names.join(',')), Buffer.alloc(400, 'abcd'), Buffer.alloc(3_000, 7)]
  const seeds = bodies.map((body) => ({ body, block: compressSync(body).subarray(BLOCK_START) }))
  const figures = { decoded: 0, refused: 0 }
  for (let round = 0; round < rounds; round++) {
    const { body, block } = seeds[round % seeds.length]!
    figures[assertAsLibrary(damage(block, random), body.length)]++
  }
  assert.ok(figures.decoded > rounds / 100 && figures.refused > rounds / 10, JSON.stringify(figures))
  reportRow({ id: 'B-05', tried: rounds, ...figures })
})

const REFUSED: readonly (readonly [what: string, lengthBytes: number, hex: string])[] = [
  ['nothing', 1, ''],
  ['no token after a match', 5, '10610100'],
  ['literals that are cut', 5, '50616263'],
  ['the length of literals is cut', 300, 'f0ff'],
  ['the length of a match is cut', 300, '1f610100ff'],
  ['an offset that is cut', 9, '106101'],
  ['offset 0', 20, '1261000050616263646565'],
  ['an offset before the start', 20, '12610200506162636465'],
  ['literals beyond the claimed length', 4, '506162636465'],
  ['a match beyond the claimed length', 4, '1161010000'],
  ['a long match beyond the claimed length', 100, '1f610100ffffffff0000'],
  ['fewer bytes than claimed', 6, '506162636465'],
  ['bytes after the end', 5, '5061626364650000'],
]

for (const [what, lengthBytes, hex] of REFUSED) {
  test(`B-05: a block is refused, as by the library: ${what}`, () => {
    assert.equal(assertAsLibrary(Buffer.from(hex, 'hex'), lengthBytes), 'refused')
  })
}

test('B-05: the largest offset is 65,535, and every byte of a match may depend on the one before it', () => {
  for (const offset of [1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 65, 65_535]) {
    for (const matchBytes of [4, 8, 9, 16, 17, 18, 19, 64, 65, 82, 83, 84, 1_000]) {
      const literals = Buffer.from(Array.from({ length: offset }, (_, index) => (index * 31) % 251))
      const expected = Buffer.alloc(offset + matchBytes + 80)
      literals.copy(expected)
      for (let at = offset; at < offset + matchBytes; at++) expected[at] = expected[at - offset]!
      expected.fill('z', offset + matchBytes)
      const block = Buffer.concat([sequence(literals, offset, matchBytes), sequence(expected.subarray(-80))])
      assert.ok(expected.equals(decoded(block, expected.length) as Uint8Array), `${offset}, ${matchBytes}`)
    }
  }
})

/** The bytes of one sequence; without a match it is the last one. */
function sequence(literals: Uint8Array, offset?: number, matchBytes = 4): Buffer {
  const more = (value: number) =>
    value < 15 ? [] : [...Array<number>(Math.floor((value - 15) / 255)).fill(255), (value - 15) % 255]
  const token = (Math.min(literals.length, 15) << 4) | (offset === undefined ? 0 : Math.min(matchBytes - 4, 15))
  const match = offset === undefined ? [] : [offset & 255, offset >> 8, ...more(matchBytes - 4)]
  return Buffer.concat([Buffer.from([token, ...more(literals.length)]), literals, Buffer.from(match)])
}

const noise = Buffer.from(Array.from({ length: 4 * MIB }, (_, index) => (index * index * 31) >> 5))
const LONG: readonly (readonly [what: string, block: Buffer, lengthBytes: number])[] = [
  ['one match', Buffer.concat([sequence(Buffer.from('a'), 1, 8 * MIB - 6), sequence(Buffer.from('abcde'))]), 8 * MIB],
  ['literals', sequence(noise), noise.length],
  ['short matches', compressSync(Buffer.from(shortMatches(4 * MIB))).subarray(BLOCK_START), 4 * MIB],
  [
    'extended lengths',
    Buffer.concat([
      Buffer.from('10610100', 'hex'),
      ...Array<Buffer>(40_000).fill(Buffer.from('0f010001', 'hex')),
      sequence(Buffer.from('abcde')),
    ]),
    10 + 40_000 * 20,
  ],
]

/** Every few bytes something that was there before. */
function shortMatches(lengthBytes: number): string {
  const words = Array.from({ length: 64 }, (_, index) => `${(index * 7_919 + 104_729).toString(36)}`)
  let [text, state] = ['', 1]
  const parts: string[] = []
  for (let count = 0; count < lengthBytes; count += text.length) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    text = words[state >>> 26]!
    parts.push(text)
  }
  return parts.join('').slice(0, lengthBytes)
}

for (const [what, block, lengthBytes] of LONG) {
  test(`B-23: a compressed message is decoded in steps of about 256 KiB: ${what}`, () => {
    let steps = 0
    for (const _step of decodeBlock(block, Buffer.alloc(lengthBytes))) steps++
    assert.ok(steps >= Math.floor(lengthBytes / (256 * 1024)) - 1, `${steps} steps of ${lengthBytes} bytes`)
    assert.ok(steps <= Math.ceil(lengthBytes / (256 * 1024)) + 1, `${steps} steps of ${lengthBytes} bytes`)
  })
}
