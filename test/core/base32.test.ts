import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { BASE32, BASE32_HEX, decodeBase32, encodeBase32 } from '../../src/core/base32.ts'

/** The test vectors of RFC 4648, section 10, without their padding. */
const VECTORS: readonly (readonly [plain: string, base32: string, hex: string])[] = [
  ['', '', ''],
  ['f', 'MY', 'CO'],
  ['fo', 'MZXQ', 'CPNG'],
  ['foo', 'MZXW6', 'CPNMU'],
  ['foob', 'MZXW6YQ', 'CPNMUOG'],
  ['fooba', 'MZXW6YTB', 'CPNMUOJ1'],
  ['foobar', 'MZXW6YTBOI', 'CPNMUOJ1E8'],
]

for (const [plain, base32, hex] of VECTORS) {
  test(`base32 of "${plain}"`, () => {
    const bytes = Buffer.from(plain)
    assert.deepEqual([encodeBase32(bytes, BASE32), encodeBase32(bytes, BASE32_HEX)], [base32, hex])
    assert.deepEqual(Buffer.from(decodeBase32(base32, BASE32)!), bytes)
    assert.deepEqual(Buffer.from(decodeBase32(hex, BASE32_HEX)!), bytes)
  })
}

test('base32: all bytes are decoded as they were', () => {
  const bytes = fc.uint8Array({ maxLength: 70 })
  fc.assert(fc.property(bytes, (value) => assert.deepEqual(decodeBase32(encodeBase32(value, BASE32), BASE32), value)))
})

test('base32: the hex alphabet keeps the order of the bytes', () => {
  const bytes = fc.uint8Array({ minLength: 5, maxLength: 5 })
  fc.assert(
    fc.property(bytes, bytes, (a, b) => {
      const [textA, textB] = [encodeBase32(a, BASE32_HEX), encodeBase32(b, BASE32_HEX)]
      assert.equal(textA < textB, Buffer.compare(a, b) < 0)
    }),
  )
})

test('base32: a character outside of the alphabet is refused, wherever it is', () => {
  for (const text of ['1', 'A1', 'MZXW1', 'mz', 'MZ=', 'MZXW6YT8']) assert.equal(decodeBase32(text, BASE32), undefined)
  for (const text of ['W', 'CPNW', 'cpnm', 'CO=']) assert.equal(decodeBase32(text, BASE32_HEX), undefined)
})
