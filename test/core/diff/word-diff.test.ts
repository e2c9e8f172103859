import assert from 'node:assert/strict'
import { test } from 'node:test'
import { diffTexts, type TextChange } from '../../../src/core/diff/word-diff.ts'

/** The lines of a side, with the parts that differ in brackets. */
function marked(text: string, start: number, words: TextChange['words'], side: 'left' | 'right'): readonly string[] {
  const lines = text.split('\n').slice(start, start + words.length)
  return lines.map((line, nth) =>
    [...words[nth]![side]]
      .reverse()
      .reduce((shown, [from, to]) => `${shown.slice(0, from)}[${shown.slice(from, to)}]${shown.slice(to)}`, line),
  )
}

test('the words that differ inside changed lines are found on both sides', () => {
  const left = 'same\nthe budget is 400 euro\nend\n'
  const right = 'same\nthe whole budget is 450 euro\nend\n'
  const [change, ...more] = diffTexts(left, right)
  assert.deepEqual(more, [])
  const { leftStart, leftCount, rightStart, rightCount, words } = change!
  assert.deepEqual([leftStart, leftCount, rightStart, rightCount], [1, 1, 1, 1])
  assert.deepEqual(marked(left, 1, words, 'left'), ['the budget is [400] euro'])
  assert.deepEqual(marked(right, 1, words, 'right'), ['the [whole ]budget is [450] euro'])
})

test('letters of all scripts are words, and parts of pairs of code units are never cut', () => {
  const [left, right] = ['größe 😀 naïve x', 'größe 😁 naïve x']
  const [change] = diffTexts(left, right)
  assert.deepEqual(marked(left, 0, change!.words, 'left'), ['größe [😀] naïve x'])
})

test('lines without anything in common, and lines of the same text, have no marks', () => {
  const [change] = diffTexts('one two three\n', 'red green blue\n')
  assert.deepEqual(change?.words, [{ left: [], right: [] }])
  assert.deepEqual(diffTexts('a\nb\n', 'a\nb\n'), [])
  assert.deepEqual(diffTexts('', 'a\n')[0]?.words, [], 'nothing is replaced')
})

test('long lines and many of them are changed as a whole, so that the cost is bounded', () => {
  const line = (word: string) => `${word} ${'x y '.repeat(200)}\n`
  assert.deepEqual(diffTexts(line('a'), line('b'))[0]?.words, [{ left: [], right: [] }])
  const huge = 'é'.repeat(1 << 20)
  assert.deepEqual(diffTexts(`${huge}a`, `${huge}b`)[0]?.words, [{ left: [], right: [] }])
  const many = (word: string) => Array.from({ length: 5_000 }, (_, n) => `line ${n} of ${word}\n`).join('')
  const [change] = diffTexts(many('one'), many('two'))
  assert.equal(change?.leftCount, 5_000)
  assert.ok(change.words.length > 100 && change.words.length <= 1_000, String(change.words.length))
})
