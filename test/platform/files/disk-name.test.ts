import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { nameFromBytes } from '../../../src/platform/files/disk-name.ts'

const cases: [what: string, bytes: string, name: string, valid: boolean][] = [
  ['plain', '61', 'a', true],
  ['two bytes', 'c3a4', 'ä', true],
  ['a byte order mark is part of the name', 'efbbbf61', '\ufeffa', true],
  ['a replacement character that is really there', 'efbfbd', '\ufffd', true],
  ['a stray byte', '61ff62', 'a\\xffb', false],
  ['Latin-1', 'e46c', '\\xe4l', false],
  ['good characters beside bad bytes', 'c3a4ff', 'ä\\xff', false],
  ['cut off in the middle', 'f09f98', '\\xf0\\x9f\\x98', false],
  ['an overlong slash', 'c0af', '\\xc0\\xaf', false],
  ['half a character, as bytes', 'eda080', '\\xed\\xa0\\x80', false],
  ['a backslash beside a bad byte is not taken for an escape', '5c786666fe', '\\\\xff\\xfe', false],
]

for (const [what, hex, name, valid] of cases) {
  test(`name of bytes: ${what}`, () => {
    assert.deepEqual(nameFromBytes(Buffer.from(hex, 'hex')), { name, valid })
  })
}

test('every well-formed text is its own name', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      assert.deepEqual(nameFromBytes(Buffer.from(text)), { name: text, valid: true })
    }),
  )
})

test('any bytes have a name, and different invalid bytes have different ones', () => {
  const bytes = fc.uint8Array({ maxLength: 8 })
  fc.assert(
    fc.property(bytes, bytes, (a, b) => {
      const [left, right] = [nameFromBytes(a), nameFromBytes(b)]
      assert.ok(left.name.isWellFormed())
      if (left.valid === right.valid) assert.equal(left.name === right.name, Buffer.from(a).equals(b))
    }),
    { numRuns: 2_000 },
  )
})
