import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { diffLines, type Hunk, splitLines } from '../../../src/core/diff/line-diff.ts'

const few = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 14 })
const unique = fc.array(fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'), { maxLength: 30 })

/** The right side as the hunks say: unchanged lines of the left, and the changed ones of the right. */
function applied(left: readonly string[], right: readonly string[], hunks: readonly Hunk[]): readonly string[] {
  const lines: string[] = []
  let line = 0
  for (const { leftStart, leftCount, rightStart, rightCount } of hunks) {
    assert.ok(leftStart > line || (line === 0 && leftStart === 0), 'hunks ascend and do not touch')
    for (const unchanged of left.slice(line, leftStart)) lines.push(unchanged)
    assert.equal(lines.length, rightStart)
    for (const changed of right.slice(rightStart, rightStart + rightCount)) lines.push(changed)
    line = leftStart + leftCount
  }
  return [...lines, ...left.slice(line)]
}

/** Inserted and deleted lines of a shortest difference, by the table of the longest common subsequence. */
function fewestChanges(left: readonly string[], right: readonly string[]): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index)
  left.forEach((line, above) => {
    const next = [above + 1]
    right.forEach((other, index) =>
      next.push(line === other ? (row[index] ?? 0) : Math.min(row[index + 1] ?? 0, next[index] ?? 0) + 1),
    )
    row = next
  })
  return row.at(-1) ?? 0
}

const changesIn = (hunks: readonly Hunk[]) => hunks.reduce((sum, hunk) => sum + hunk.leftCount + hunk.rightCount, 0)

test('the hunks lead from the left side to the right one', () => {
  for (const lists of [few, unique]) {
    fc.assert(
      fc.property(lists, lists, (left, right) => {
        assert.deepEqual(applied(left, right, diffLines(left, right)), right)
      }),
      { numRuns: 2_000 },
    )
  }
})

test('between lines that occur once on both sides the difference is a shortest one', () => {
  const twice = few.map((lines) => [...lines, ...lines])
  fc.assert(
    fc.property(twice, twice, (left, right) => {
      assert.equal(changesIn(diffLines(left, right)), fewestChanges(left, right))
    }),
    { numRuns: 2_000 },
  )
})

test('a changed, an inserted and a deleted line are one hunk each', () => {
  const left = splitLines('one\ntwo\nthree\nfour\nfive\nsix\n')
  const right = splitLines('one\n2\nthree\nfour\nnew\nfive\n')
  assert.deepEqual(diffLines(left, right), [
    { leftStart: 1, leftCount: 1, rightStart: 1, rightCount: 1 },
    { leftStart: 4, leftCount: 0, rightStart: 4, rightCount: 1 },
    { leftStart: 5, leftCount: 1, rightStart: 6, rightCount: 0 },
  ])
  assert.deepEqual(diffLines(left, left), [])
})

test('a line inserted among equal ones stands at the end of them', () => {
  assert.deepEqual(diffLines(['{', 'x', 'x', '}'], ['{', 'x', 'x', 'x', '}']), [
    { leftStart: 3, leftCount: 0, rightStart: 3, rightCount: 1 },
  ])
})

test('lines keep their ends', () => {
  for (const text of ['', 'a', 'a\n', 'a\r\nb', '\n\n', '\ufeffa\r\n\rb\n'])
    assert.equal(splitLines(text).join(''), text)
  assert.deepEqual(splitLines('a\r\n\nb'), ['a\r\n', '\n', 'b'])
})

test('a moved block keeps the larger part in place', () => {
  const left = ['1', '2', '3', '4', '5', '6']
  const right = ['5', '6', '1', '2', '3', '4']
  assert.equal(changesIn(diffLines(left, right)), 4)
})

/** Lists that a peer could make up: each within 1 MiB of text. */
function hostile(): readonly (readonly [string, readonly string[], readonly string[]])[] {
  let state = 1
  const chance = (choices: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % choices
  }
  const many = (count: number, line: (index: number) => string) => Array.from({ length: count }, (_, i) => line(i))
  const size = 500_000
  return [
    ['two lines at random', many(size, () => `${chance(2)}\n`), many(size, () => `${chance(2)}\n`)],
    ['empty lines', many(2 * size, () => '\n'), many(size, () => '\n')],
    ['nothing equal', many(size / 4, (i) => `${i}\n`), many(size / 4, (i) => `-${i}\n`)],
    ['reversed', many(size / 4, (i) => `${i}\n`), many(size / 4, (i) => `${size / 4 - i}\n`)],
    ['every second changed', many(size, (i) => `${i % 7}\n`), many(size, (i) => (i % 2 ? `${i % 7}\n` : 'x\n'))],
    ['pairs swapped', many(size / 4, (i) => `${i}\n`), many(size / 4, (i) => `${i ^ 1}\n`)],
    ['a period out of step', many(size, (i) => `${i % 3}\n`), many(size, (i) => `${(i * i) % 5}\n`)],
  ]
}

test('hostile lists take a bounded number of steps', () => {
  // Without the limits this takes hours.
  for (const [name, left, right] of hostile())
    assert.equal(applied(left, right, diffLines(left, right)).join(''), right.join(''), name)
})
