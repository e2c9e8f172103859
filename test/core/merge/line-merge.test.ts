import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { mergeLines, mergeTexts } from '../../../src/core/merge/line-merge.ts'
import { MERGE_SIZE_BYTES_MAX, textOf } from '../../../src/core/merge/text.ts'

const merged = (base: string, left: string, right: string, union = false) =>
  mergeTexts({ base, left, right }, { union })
const text = (base: string, left: string, right: string) => merged(base, left, right).text

const BASE = 'one\ntwo\nthree\nfour\nfive\nsix\n'

test('changes that do not overlap are merged', () => {
  assert.equal(text(BASE, BASE.replace('one', 'ONE'), BASE.replace('six', 'SIX')), 'ONE\ntwo\nthree\nfour\nfive\nSIX\n')
  assert.equal(text(BASE, `zero\n${BASE}`, `${BASE}seven\n`), `zero\n${BASE}seven\n`)
  assert.equal(text(BASE, BASE.replace('two\n', ''), BASE.replace('five', '5')), 'one\nthree\nfour\n5\nsix\n')
})

test('changes of the same or of adjacent lines are conflicts', () => {
  assert.deepEqual(merged(BASE, BASE.replace('two', '2'), BASE.replace('two', 'II')), { text: undefined, overlaps: 1 })
  assert.equal(text(BASE, BASE.replace('two', '2'), BASE.replace('three', '3')), undefined)
  assert.equal(text(BASE, `${BASE}a\n`, `${BASE}b\n`), undefined)
})

test('a deletion of a line that the other side edits is a conflict', () => {
  assert.equal(text(BASE, BASE.replace('two\n', ''), BASE.replace('two', '2')), undefined)
  assert.equal(text(BASE, '', BASE.replace('two', '2')), undefined)
})

test('equal changes are made once', () => {
  const both = BASE.replace('two', '2')
  assert.equal(text(BASE, both, both), both)
  assert.equal(text(BASE, both, both.replace('six', '6')), both.replace('six', '6'))
})

test('ends of lines are kept as they are', () => {
  assert.equal(text('a\r\nb\r\nc\r\nd', 'A\r\nb\r\nc\r\nd', 'a\r\nb\r\nc\r\nD'), 'A\r\nb\r\nc\r\nD')
  assert.equal(text('a\nb\nc', 'a\nb\nc\n', 'A\nb\nc'), 'A\nb\nc\n')
  assert.equal(text('\ufeffa\nb\nc\n', '\ufeffa\nb\nC\n', '\ufeffA\nb\nc\n'), '\ufeffA\nb\nC\n')
  assert.equal(text('a\nb\n', 'a\r\nb\r\n', 'a\nB\n'), undefined)
})

test('both additions are kept where the name is declared as union', () => {
  const log = 'start\n'
  const expected = { text: 'start\na\nb\n', overlaps: 0 }
  assert.deepEqual(merged(log, 'start\na\n', 'start\nb\n', true), expected)
  assert.deepEqual(merged(log, 'start\nb\n', 'start\na\n', true), expected)
  assert.equal(merged(log, 'start\nx\na\n', 'start\nx\nb\n', true).text, 'start\nx\na\nb\n')
  assert.equal(merged('', 'a\n', 'b\n', true).text, 'a\nb\n')
  assert.equal(merged(log, 'START\n', 'begin\n', true).text, undefined)
  assert.equal(merged(log, 'start\na', 'start\nb', true).text, undefined, 'lines would run into each other')
})

const lines: fc.Arbitrary<string[]> = fc.array(fc.constantFrom('a\n', 'b\n', 'c\n', 'd\n', 'e\n', 'f\n', 'g\n'), {
  maxLength: 12,
})
/** Edits of a list: each line is kept, removed, replaced or followed by a new one. */
const edits = fc.array(fc.tuple(fc.constantFrom('keep', 'keep', 'keep', 'drop', 'change', 'add'), fc.nat(99)), {
  minLength: 13,
  maxLength: 13,
})
type Edits = readonly (readonly [string, number])[]

function edited(base: readonly string[], changes: Edits, side: string): readonly string[] {
  return base.flatMap((line, index) => {
    const [kind, number] = changes[index] ?? ['keep', 0]
    if (kind === 'drop') return []
    if (kind === 'change') return [`${side}${number}\n`]
    return kind === 'add' ? [line, `${side}${number}\n`] : [line]
  })
}

test('every line that a side has added is in the result, or there is a conflict', () => {
  let clean = 0
  fc.assert(
    fc.property(lines, edits, edits, fc.boolean(), (base, ofLeft, ofRight, union) => {
      const [left, right] = [edited(base, ofLeft, 'left'), edited(base, ofRight, 'right')]
      const result = mergeLines(base, left, right, { union })
      assert.deepEqual(mergeLines(base, right, left, { union }).lines, result.lines)
      if (result.conflicts.length > 0) return
      clean++
      for (const line of [...left, ...right])
        if (!base.includes(line)) assert.ok(result.lines.includes(line), `${line} is lost`)
      for (const line of result.lines) assert.ok(left.includes(line) || right.includes(line), `${line} is new`)
    }),
    { numRuns: 3_000 },
  )
  assert.ok(clean > 300, `only ${clean} were merged`)
})

test('a side without changes takes those of the other', () => {
  fc.assert(
    fc.property(lines, edits, (base: readonly string[], changes) => {
      const other = edited(base, changes, 'x')
      assert.deepEqual(mergeLines(base, base, other), { lines: other, conflicts: [] })
    }),
  )
})

test('a merged result that meets a side again does not change', () => {
  fc.assert(
    fc.property(lines, edits, edits, (base, ofLeft, ofRight) => {
      const [left, right] = [edited(base, ofLeft, 'left'), edited(base, ofRight, 'right')]
      const { lines: both, conflicts } = mergeLines(base, left, right)
      if (conflicts.length === 0) assert.deepEqual(mergeLines(left, both, left).lines, both)
    }),
  )
})

test('only valid UTF-8 without NUL is text, and the same bytes can be made of it', () => {
  for (const given of ['', 'a\r\n', '\ufeffä\n', '\u{1f600}'])
    assert.deepEqual(Buffer.from(textOf(Buffer.from(given)) ?? ''), Buffer.from(given))
  for (const given of [Buffer.from([0xff, 0xfe]), Buffer.from('a\0b'), Buffer.from([0xed, 0xa0, 0x80])])
    assert.equal(textOf(given), undefined)
  assert.equal(textOf(Buffer.alloc(MERGE_SIZE_BYTES_MAX + 1, 'a')), undefined)
  assert.equal(textOf(Buffer.alloc(MERGE_SIZE_BYTES_MAX, 'a'))?.length, MERGE_SIZE_BYTES_MAX)
})
