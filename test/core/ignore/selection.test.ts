import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { TwinfoldError } from '../../../src/core/errors.ts'
import { IgnoreRules } from '../../../src/core/ignore/ignore.ts'
import { Selection, ENTRIES_MAX, type SelectionEntry } from '../../../src/core/ignore/selection.ts'
import { readSection, replaceSection, sectionPatterns } from '../../../src/core/ignore/selection-section.ts'
import { effort } from '../../support/effort.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const textOf = (data: Uint8Array): string => new TextDecoder().decode(data)
const chosen = (state: SelectionEntry['state'], ...paths: readonly string[]): SelectionEntry[] =>
  paths.map((path) => ({ path, state, reason: 'chosen' }))

function write(selection: Selection, { user = '', platform = 'linux' } = {}): string {
  return textOf(replaceSection(bytes(user), { selection, isRemoving: false }, platform))
}

function patternsIn(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('//'))
}

function rulesOf(text: string): IgnoreRules {
  return new IgnoreRules(text.split('\n'), sectionPatterns(text))
}

test('selection: exceptions are above the rule, and nothing is written twice', () => {
  const selection = Selection.everything
    .with(chosen('dropped', 'a', 'z'))
    .with(chosen('kept', 'a/b', 'a/b/c', 'other'))
    .with(chosen('dropped', 'a/b/x/y', 'a/unused'))
  assert.deepEqual(patternsIn(write(selection)), ['/a/b/x/y', '!/a/b', '/a', '/z'])
  assert.equal(selection.stateOf('a/b/x'), 'kept')
  assert.equal(selection.stateOf('a/bc'), 'dropped')
  assert.deepEqual(
    ['', 'a', 'a/b', 'a/b/x', 'a/b/x/y', 'z', 'other'].filter((path) => selection.isMixed(path)),
    ['', 'a', 'a/b', 'a/b/x'],
  )
})

test('selection: a choice replaces those below it, and the root can be dropped', () => {
  const nothing = Selection.everything.with(chosen('dropped', 'a/b')).with(chosen('dropped', ''))
  assert.deepEqual(patternsIn(write(nothing)), ['/*'])
  const some = nothing.with(chosen('kept', 'photos/2024', 'notes.txt'))
  assert.deepEqual(patternsIn(write(some)), ['!/notes.txt', '!/photos/2024', '/*'])
  assert.equal(some.with(chosen('kept', '')).isEverything, true)
  assert.equal(some.with(chosen('kept', 'photos')).with(chosen('dropped', 'photos')).stateOf('photos/2024'), 'dropped')
})

test('selection: too many single paths are refused', () => {
  const paths = Array.from({ length: ENTRIES_MAX + 1 }, (_, number) => `f${number}`)
  assert.throws(() => Selection.everything.with(chosen('dropped', ...paths)), { code: 'bad-request' })
})

test('selection: the lines of the user stay the same bytes, whatever they are', () => {
  const user = Uint8Array.of(...bytes('﻿*.tmp\r\n  // mine  \n'), 0xff, 0xfe, 10, ...bytes('#include x\nlast'))
  const selection = Selection.everything.with(chosen('dropped', 'a'))
  const written = replaceSection(user, { selection, isRemoving: true }, 'linux')
  assert.deepEqual(written.subarray(0, user.length), Buffer.from(user))
  assert.equal(readSection(written).isRemoving, true)
  // The user appends lines of his own behind the section, and the section stays in its place.
  const edited = Buffer.concat([written, bytes('*.bak')])
  const next = replaceSection(edited, { selection: selection.with(chosen('dropped', 'b')), isRemoving: false }, 'linux')
  assert.deepEqual(next.subarray(0, user.length), Buffer.from(user))
  assert.match(textOf(next), /\/a\n\/b\n\/\/ twinfold selection: end\n\*\.bak$/)
  const gone = replaceSection(next, { selection: Selection.everything, isRemoving: false }, 'linux')
  assert.deepEqual(gone, Buffer.concat([user, bytes('\n*.bak')]))
})

test('selection: a section that was edited to something else is neither read nor replaced', () => {
  const marked = (...lines: readonly string[]): Uint8Array =>
    bytes(['// twinfold selection: begin', ...lines, '// twinfold selection: end', ''].join('\n'))
  const wrong = [
    marked('*.jpg'),
    marked('/a*'),
    marked('/a/'),
    marked('/{a,b}'),
    marked('/[ab]'),
    marked('(?d)/a'),
    marked('// a note of mine'),
    bytes('// twinfold selection: begin\n/a\n'),
    bytes('/a\n// twinfold selection: end\n'),
    Buffer.concat([marked('/a'), marked('/b')]),
  ]
  for (const file of wrong) {
    assert.throws(() => readSection(file), { code: 'ignore-invalid' }, textOf(file))
    const section = { selection: Selection.everything, isRemoving: false }
    assert.throws(() => replaceSection(file, section, 'linux'), TwinfoldError, textOf(file))
  }
  // Lines in another order have the meaning that the matcher gives them.
  assert.deepEqual(patternsIn(write(readSection(marked('/a', '!/a/b', '/c'))?.selection)), ['/a', '/c'])
})

test('selection: reasons and the removal are kept in the file', () => {
  const selection = Selection.everything.with(chosen('dropped', 'a')).with([
    { path: 'a/new', state: 'kept', reason: 'made-here' },
    { path: 'a/moved', state: 'kept', reason: 'renamed' },
  ])
  const read = readSection(replaceSection(bytes(''), { selection, isRemoving: true }, 'linux'))
  assert.deepEqual(read.selection.entries, selection.entries)
  assert.equal(read.isRemoving, true)
})

test('selection: lines of the user decide first, and only what the section ignores is dropped', () => {
  const selection = Selection.everything.with(chosen('dropped', 'a')).with(chosen('kept', 'a/b'))
  const rules = rulesOf(write(selection, { user: '*.tmp\n!/a/mine\n' }))
  assert.equal(rules.match('a/b/x.tmp').ignored, true)
  assert.equal(rules.isDropped('a/b/x.tmp'), false)
  assert.equal(rules.match('a/mine').ignored, false)
  assert.equal(rules.isDropped('a/c'), true)
  assert.equal(rules.isDropped('a/b'), false)
  assert.deepEqual(rules.userLines, ['*.tmp', '!/a/mine'])
})

const name = fc.string({
  unit: fc.constantFrom(
    'a',
    'b',
    ' ',
    '*',
    '?',
    '[',
    ']',
    '{',
    '}',
    ',',
    '\\',
    '!',
    '#',
    '(',
    '-',
    '\n',
    '\r',
    'ü',
    '.',
  ),
  minLength: 1,
  maxLength: 3,
})
const somePath = fc
  .array(name, { minLength: 1, maxLength: 4 })
  .filter((parts) => parts.every((part) => part !== '.' && part !== '..'))
  .map((parts) => parts.join('/'))
const change = fc.record({ path: fc.oneof(fc.constant(''), somePath), isKept: fc.boolean() })

test('selection: the patterns decide as the selection does, for any names, and are read back the same', () => {
  fc.assert(
    fc.property(
      fc.array(change, { maxLength: 12 }),
      fc.array(somePath, { maxLength: 12 }),
      fc.constantFrom('linux', 'win32'),
      (changes, others, platform) => {
        const usable = changes.filter(({ path }) => platform !== 'win32' || !/[*?\\]/.test(path))
        const selection = usable.reduce(
          (so, { path, isKept }) => so.with(chosen(isKept ? 'kept' : 'dropped', path)),
          Selection.everything,
        )
        const file = replaceSection(new Uint8Array(), { selection, isRemoving: false }, platform)
        assert.deepEqual(readSection(file).selection.entries, selection.entries)
        const rules = rulesOf(textOf(file))
        const paths = [...others, ...usable.map(({ path }) => path), ...usable.map(({ path }) => `${path}/below`)]
        for (const path of paths.filter((one) => one !== '' && !one.startsWith('/'))) {
          const said = `${JSON.stringify(path)} in ${JSON.stringify(textOf(file))}`
          assert.equal(rules.match(path).ignored, selection.stateOf(path) === 'dropped', said)
        }
      },
    ),
    { numRuns: effort(400) },
  )
})
