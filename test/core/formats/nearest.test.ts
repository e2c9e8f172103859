import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearestTexts } from '../../../src/core/formats/nearest.ts'

const NAMES = ['photos', 'documents', 'music', 'Fotos', 'x']

const cases: [text: string, expected: readonly string[]][] = [
  ['photso', ['photos']],
  ['PHOTOS', ['photos', 'Fotos']],
  ['documnets', ['documents']],
  ['musik', ['music']],
  ['elephant', []],
  ['y', ['x']],
]
for (const [text, expected] of cases) {
  test(`nearest to ${text}: ${expected.join(', ') || 'none'}`, () => {
    assert.deepEqual(nearestTexts(text, NAMES, 3), expected)
  })
}

test('the number of results is limited, best first', () => {
  assert.deepEqual(nearestTexts('abcdef', ['abcdxx', 'abcdef', 'abcdeg'], 2), ['abcdef', 'abcdeg'])
})

test('a text of any length costs no more than one of two hundred characters', () => {
  assert.deepEqual(nearestTexts('a'.repeat(1_000_000), ['a'.repeat(500_000)], 1).length, 1)
})
