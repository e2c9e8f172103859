import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainLines, plainText } from '../../../src/core/formats/plain-text.ts'

const PLAIN: readonly [text: string, plain: string][] = [
  ['laptop', 'laptop'],
  ['  a  b\tc\n\nd  ', 'a b c d'],
  ['a\x1b[31mb', 'a [31mb'], // the start of a sequence for terminals
  ['a\u202eb', 'a b'], // the direction of the text
  ['a\u2028b\u2029c', 'a b c'],
  ['a\0b', 'a b'],
  ['\u00e9 \u4f60 😀', '\u00e9 \u4f60 😀'],
  ['\ud800', ''],
  ['', ''],
]
for (const [text, plain] of PLAIN)
  test(`plainText: ${JSON.stringify(text)} is ${JSON.stringify(plain)}`, () => assert.equal(plainText(text, 50), plain))

test('plainText: cut to a length, without a space at the end and without half a character', () => {
  assert.equal(plainText('abcdef', 3), 'abc')
  assert.equal(plainText('ab cdef', 3), 'ab')
  assert.equal(plainText('ab😀', 3), 'ab\ufffd')
})

test('plainLines: lines stay lines', () => {
  assert.equal(plainLines('a\r\nb\rc\nd\u2028e\u2029f', 50), 'a\nb\nc\nd\ne\nf')
  assert.equal(plainLines('a\n\n\n\n\nb', 50), 'a\n\nb')
  assert.equal(plainLines('a\n\nb', 50), 'a\n\nb')
  assert.equal(plainLines('\n a\tb \x1b[0m  \n c  \n\n', 50), 'a b  [0m\n c')
})

test('plainLines: cut to a length; of very long texts only the beginning is read', () => {
  assert.equal(plainLines('abcdef', 3), 'abc')
  assert.equal(plainLines('ab\n\ncdef', 3), 'ab')
  assert.equal(plainLines(`${'\0'.repeat(5)}abc`, 4), 'abc')
  assert.equal(plainLines(`${'\0'.repeat(8)}abc`, 4), '')
})
