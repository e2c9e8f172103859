import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { encodeQr } from '../../src/core/qr.ts'

// Codes of every size that another encoder (uqr 0.1.3, level M) drew of the same texts, module by module.
const VECTORS: { length: number; version: number; sha256: string }[] =
  JSON.parse(readFileSync(new URL('../vectors/qr.json', import.meta.url), 'utf8'))

test('every size of code is drawn as another encoder draws it', () => {
  assert.deepEqual(VECTORS.map(({ version }) => version), Array.from({ length: 40 }, (_none, i) => i + 1))
  for (const { length, version, sha256 } of VECTORS) {
    const text = Array.from({ length }, (_none, i) => 'twinfold/QR-test '[(i * i + length) % 17]).join('')
    const code = encodeQr(text)!
    assert.equal(code.size, version * 4 + 17)
    assert.equal(createHash('sha256').update(rowsOf(code).join('\n')).digest('hex'), sha256, `version ${version}`)
  }
})

test('the largest text has a code, one byte more has none; bytes count, not characters', () => {
  assert.equal(encodeQr('a'.repeat(2_331))?.size, 177)
  assert.equal(encodeQr('a'.repeat(2_332)), undefined)
  assert.equal(encodeQr('é'.repeat(1_166)), undefined)
  assert.equal(encodeQr('')?.size, 21)
})

function rowsOf(code: NonNullable<ReturnType<typeof encodeQr>>): string[] {
  const places = Array.from({ length: code.size }, (_none, i) => i)
  return places.map((y) => places.map((x) => (code.isDark(x, y) ? 1 : 0)).join(''))
}
