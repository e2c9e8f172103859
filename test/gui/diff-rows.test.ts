import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  diffRows,
  linePieces,
  markCount,
  markedText,
  withLineEnds,
  type DiffLine,
} from '../../gui/view-model/diff-rows.ts'
import { diffTexts } from '../../src/core/diff/word-diff.ts'

function changesOf(left: string, right: string) {
  const partJson = ([from, to]: readonly [number, number]) => ({ from, to })
  return diffTexts(left, right).map(({ words, ...hunk }) => ({
    ...hunk,
    words: words.map((each) => ({ left: each.left.map(partJson), right: each.right.map(partJson) })),
  }))
}

const shown = (line: DiffLine | undefined) => (line === undefined ? '-' : `${line.number}:${line.text.trim()}`)

function rowsOf(left: string, right: string): readonly string[] {
  return diffRows({ left, right }, changesOf(left, right)).map((row) =>
    row.kind === 'gap' ? `… ${row.count}` : `${row.kind} ${shown(row.left)} ${shown(row.right)}`,
  )
}

test('differences have three equal lines around them, and the others are counted', () => {
  const lines = Array.from({ length: 20 }, (_, n) => `l${n + 1}\n`)
  const right = lines.with(9, 'new\n').toSpliced(10, 0, 'more\n').join('')
  assert.deepEqual(rowsOf(lines.join(''), right), [
    '… 6',
    'same 7:l7 7:l7',
    'same 8:l8 8:l8',
    'same 9:l9 9:l9',
    'changed 10:l10 10:new',
    'changed - 11:more',
    'same 11:l11 12:l11',
    'same 12:l12 13:l12',
    'same 13:l13 14:l13',
    '… 7',
  ])
})

test('a single line is shown instead of a gap, and an empty side has no lines', () => {
  assert.deepEqual(rowsOf('a\nb\nc\nd\nx\n', 'a\nb\nc\nd\ny\n').slice(0, 2), ['same 1:a 1:a', 'same 2:b 2:b'])
  assert.deepEqual(rowsOf('', 'a\n'), ['changed - 1:a'])
  assert.deepEqual(rowsOf('same', 'same'), ['same 1:same 1:same'])
})

test('the text to merge has both sides of every difference, and all of the rest', () => {
  const [left, right] = ['a\nold\nb\n', 'a\nnew\nb\nend']
  const text = markedText({ left, right }, changesOf(left, right), { left: 'desk', right: 'vm' })
  assert.equal(text, 'a\n<<<<<<< desk\nold\n=======\nnew\n>>>>>>> vm\nb\n<<<<<<< desk\n=======\nend\n>>>>>>> vm\n')
  assert.deepEqual([markCount(text), markCount(left)], [2, 0])
})

test('an edited text gets the line ends that most lines of its side had', () => {
  assert.equal(withLineEnds('a\nb\n', 'x\r\ny\r\nz\n'), 'a\r\nb\r\n')
  assert.equal(withLineEnds('a\r\nb\n', 'x\n'), 'a\nb\n')
})

test('a line is cut into pieces without its end, and a long one is cut off', () => {
  const pieces = linePieces({ text: 'the old word\r\n', parts: [{ from: 4, to: 7 }] })
  assert.deepEqual(pieces.map(({ text, differs }) => (differs ? `[${text}]` : text)).join('|'), 'the |[old]| word')
  const long = linePieces({ text: 'x'.repeat(5_000), parts: [{ from: 900, to: 4_000 }] })
  assert.deepEqual(
    long.map(({ text, differs }) => [text.length, differs]),
    [
      [900, false],
      [100, true],
      [1, false],
    ],
  )
})
