import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { escapeOutput } from '../../src/core/formats/escape-output.ts'
import { progressLine, progressText, shareOf } from '../../src/cli/progress.ts'
import { fieldLines, tableLines } from '../../src/cli/table.ts'
import { escapeText, fitText, formatBytes, formatCount, formatDuration, textWidth } from '../../src/cli/text.ts'

const escapes: [text: string, expected: string][] = [
  ['photo.jpg', 'photo.jpg'],
  ['Grüße 写真 👩‍👩‍👧', 'Grüße 写真 👩‍👩‍👧'],
  ['a\nb\tc\rd', 'a\\nb\\tc\\rd'],
  ['\x1b[31mred\x07', '\\x1b[31mred\\x07'],
  ['\x9b31m', '\\x9b31m'],
  ['x\u202egpj.exe', 'x\\u202egpj.exe'],
  ['a\u2066b\u2069', 'a\\u2066b\\u2069'],
  ['a\u2028b\ufeffc', 'a\\u2028b\\ufeffc'],
  ['\ud800', '\\ud800'],
  ['\0', '\\x00'],
]
for (const [text, expected] of escapes) {
  test(`escapeText ${JSON.stringify(text)}`, () => assert.equal(escapeText(text), expected))
}

test('escapeText: the result never holds a control character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => !/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(escapeText(text))),
  )
})

test('escapeOutput: JSON stays valid and keeps its values; nothing acts on a terminal', () => {
  assert.equal(escapeOutput('a\tb\nc\x1b\x9b\u202e写'), 'a\tb\nc\\u001b\\u009b\\u202e写')
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const out = escapeOutput(JSON.stringify({ text }, undefined, 2))
      assert.deepEqual(JSON.parse(out), { text })
      return !/[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u.test(out.replaceAll('\n', ''))
    }),
  )
})

const widths: [text: string, width: number][] = [
  ['', 0],
  ['abc', 3],
  ['é', 1],
  ['e\u0301', 1],
  ['写真', 4],
  ['한글', 4],
  ['👍', 2],
  ['👩‍👩‍👧', 2],
]
for (const [text, width] of widths) {
  test(`textWidth ${JSON.stringify(text)} is ${width}`, () => assert.equal(textWidth(text), width))
}

test('fitText cuts at the end or in front and never exceeds the width', () => {
  assert.equal(fitText('abcdef', 4), 'abc…')
  assert.equal(fitText('abcdef', 4, 'start'), '…def')
  assert.equal(fitText('写真写真', 4), '写…')
  assert.equal(fitText('abc', 3), 'abc')
  assert.equal(fitText('abc', 0), '')
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.nat(30),
      fc.constantFrom('start', 'end'),
      (text, width, cut) => textWidth(fitText(text, width, cut)) <= width,
    ),
  )
})

const sizes: [number, string][] = [
  [0, '0 B'],
  [1, '1 B'],
  [1023, '1023 B'],
  [1024, '1.00 KiB'],
  [1536, '1.50 KiB'],
  [12 * 1024 ** 2, '12.0 MiB'],
  [500 * 1024 ** 3, '500 GiB'],
  [2 ** 50 * 5000, '5000 PiB'],
]
for (const [sizeBytes, expected] of sizes)
  test(`formatBytes ${sizeBytes}`, () => assert.equal(formatBytes(sizeBytes), expected))

const durations: [number, string][] = [
  [0, '0.0 s'],
  [0.42, '0.4 s'],
  [10, '10 s'],
  [59.6, '1 min'],
  [250, '4 min 10 s'],
  [3600, '1 h'],
  [7260, '2 h 1 min'],
  [183_600, '2 d 3 h'],
]
for (const [durationS, expected] of durations)
  test(`formatDuration ${durationS}`, () => assert.equal(formatDuration(durationS), expected))

test('formatCount: singular and plural', () => {
  assert.equal(formatCount(1, 'file'), '1 file')
  assert.equal(formatCount(0, 'directory', 'directories'), '0 directories')
})

test('a table aligns its columns, escapes its cells and keeps the order', () => {
  const columns = [{ title: 'ID' }, { title: 'SIZE', align: 'right' }, { title: 'PATH', shrink: 'start' }] as const
  assert.deepEqual(
    tableLines(
      columns,
      [
        ['docs', '5 B', '/srv/docs'],
        ['写真', '120 B', '/srv/\x1b[2J'],
      ],
      Infinity,
    ),
    ['ID     SIZE  PATH', 'docs    5 B  /srv/docs', '写真  120 B  /srv/\\x1b[2J'],
  )
})

test('a table shortens the shrinking column first, and no more than needed', () => {
  const columns = [{ title: 'ID' }, { title: 'PATH', shrink: 'start' }] as const
  assert.deepEqual(tableLines(columns, [['docs', '/home/someone/documents']], 20), [
    'ID    PATH',
    'docs  …one/documents',
  ])
  assert.deepEqual(tableLines(columns, [['docs', '/home/someone/documents']], 3), ['ID    PATH', 'docs  …cuments'])
})

test('no line of a table is wider than the terminal while a column can be shortened', () => {
  const columns = [
    { title: 'A', shrink: 'end' },
    { title: 'B', shrink: 'start' },
  ] as const
  const cell = fc.string({ unit: 'grapheme', maxLength: 60 })
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell), { maxLength: 5 }), fc.integer({ min: 18, max: 90 }), (rows, width) =>
      tableLines(columns, rows, width).every((line) => textWidth(line) <= width),
    ),
  )
})

test('fields are aligned', () => {
  assert.deepEqual(
    fieldLines([
      ['Home', '/h'],
      ['Device ID', 'X\n'],
      ['Empty', ''],
    ]),
    ['Home:      /h', 'Device ID: X\\n', 'Empty:'],
  )
})

const half = { counted: true, currentBytes: 512 * 1024, totalBytes: 1024 * 1024, bytesPerSecond: (1024 * 512) / 10 }

test('the progress line has name, bar, percent, amounts, rate and time left', () => {
  assert.equal(
    progressLine('photos', half, 110),
    'photos  [####################                    ]   50 %  512 KiB of 1.00 MiB, 51.2 KiB/s, 10 s left',
  )
})

test('a narrow terminal drops the bar before the figures', () => {
  assert.equal(progressLine('photos', half, 62), 'photos   50 %  512 KiB of 1.00 MiB, 51.2 KiB/s, 10 s left')
})

test('the progress line fits every terminal', () => {
  const count = fc.double({ min: 0, max: 2 ** 53, noNaN: true })
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      count,
      count,
      count,
      fc.integer({ min: 1, max: 200 }),
      fc.boolean(),
      (name, currentBytes, totalBytes, bytesPerSecond, width, counted) => {
        const line = progressLine(escapeText(name), { currentBytes, totalBytes, bytesPerSecond, counted }, width)
        assert.ok(textWidth(line) <= width, `${textWidth(line)} > ${width}: ${line}`)
      },
    ),
  )
})

test('a time left of less than a second is not shown, and nothing is left when all is hashed', () => {
  const last = { ...half, currentBytes: 1024 * 1024 - 1024 }
  assert.equal(progressText(last), ' 99 %  1023 KiB of 1.00 MiB, 51.2 KiB/s')
  const done = { ...half, currentBytes: half.totalBytes }
  assert.equal(progressText(done), '100 %  1.00 MiB of 1.00 MiB, finishing')
})

test('while files are being counted there is neither a share nor a time left', () => {
  const counting = { ...half, counted: false }
  assert.equal(progressText(counting), '512 KiB hashed, 51.2 KiB/s, counting')
  assert.equal(progressLine('photos', counting, 110), 'photos  512 KiB hashed, 51.2 KiB/s, counting')
})

test('progress is between 0 and 1', () => {
  assert.equal(shareOf({ currentBytes: 0, totalBytes: 0, bytesPerSecond: 0, counted: true }), 1)
  assert.equal(shareOf({ currentBytes: 9, totalBytes: 5, bytesPerSecond: 0, counted: true }), 1)
  assert.equal(
    progressText({ currentBytes: 0, totalBytes: 2048, bytesPerSecond: 0.4, counted: true }),
    '  0 %  0 B of 2.00 KiB',
  )
})
