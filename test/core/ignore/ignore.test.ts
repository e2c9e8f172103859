import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { TwinfoldError } from '../../../src/core/errors.ts'
import { resolveIncludes } from '../../../src/core/ignore/ignore-include.ts'
import { IgnoreRules } from '../../../src/core/ignore/ignore.ts'
import { walkTree } from '../../../src/platform/files/walk-tree.ts'
import { effort } from '../../support/effort.ts'
import { MemoryTree } from '../../platform/memory-tree.ts'

interface Case {
  path: string
  type: 'file' | 'dir'
  ignored: boolean
  documented?: boolean
}
interface Group {
  title: string
  lines: string[]
  expanded: string[]
  includes?: Record<string, string>
  cases: Case[]
}
interface Parse {
  title: string
  lines: string[]
  includes?: Record<string, string>
  accepted: boolean
  folderError?: string
  ignoresResponse?: { error: string | null; expanded: string[] }
}
const vectors = JSON.parse(readFileSync(new URL('../../vectors/ignore.json', import.meta.url), 'utf8')) as {
  groups: Group[]
  parse: Parse[]
}

/** Documented rules instead of Syncthing's behaviour. Overlap around a single `**` is kept. */
const DOCUMENTED_WINS = new Set(['te?t', 'x?y', '[éè]x', '{a*,b?}x', '{a*,b}x', 'x{a*,b}', '/{a/**,b}/z'])

function load(lines: readonly string[], includes: Record<string, string> = {}): IgnoreRules {
  const top: Record<string, string> = { '.stignore': lines.join('\n'), ...includes }
  return new IgnoreRules(
    resolveIncludes(lines, (path) => {
      const text = top[path]
      return text === undefined ? { error: 'file not found' } : { text }
    }),
  )
}

function walked(lines: readonly string[], paths: readonly string[]): Set<string> {
  const names = new Set<string>()
  const sink = {
    item: (name: string) => names.add(name),
    problem: assert.fail,
    unnormalized: assert.fail,
    aside: assert.fail,
  }
  const request = { root: '/root', subs: [''], ignoreLines: lines }
  for (const _ of walkTree(new MemoryTree(paths), request, sink));
  return names
}

for (const group of vectors.groups) {
  test(`ignore vectors: ${group.title}`, () => {
    const rules = load(group.lines, group.includes)
    assert.deepEqual(rules.expanded, group.expanded)
    const seen = walked(
      rules.lines,
      group.cases.map((one) => one.path + (one.type === 'dir' ? '/' : '')),
    )
    for (const one of group.cases) {
      const expected = DOCUMENTED_WINS.has(group.lines[0]!) ? (one.documented ?? one.ignored) : one.ignored
      assert.equal(!seen.has(one.path), expected, one.path)
    }
  })
}

test('ignore vectors: all 587 cases are there', () => {
  assert.equal(
    vectors.groups.reduce((sum, group) => sum + group.cases.length, 0),
    587,
  )
})

for (const one of vectors.parse) {
  // Differs from Syncthing: included files must be inside the folder.
  const refusedHere = one.title === 'include parent dir'
  test(`ignore parse: ${one.title}`, () => {
    if (one.accepted && !refusedHere) {
      assert.deepEqual(load(one.lines, one.includes).expanded, one.ignoresResponse?.expanded)
      return
    }
    const expected = refusedHere
      ? 'parse error: failed to load include file ../outer: not inside the folder'
      : one.folderError!.replace(/^loading ignores: /, '')
    assert.throws(
      () => load(one.lines, one.includes),
      (error) => {
        assert.ok(error instanceof TwinfoldError && error.code === 'ignore-invalid')
        assert.equal(error.message, expected)
        return true
      },
    )
  })
}

/** The documented rules by brute force: expand to plain globs, try every split. */
function oracle(lines: readonly string[], path: string): boolean {
  for (const line of lines) {
    const unignore = line.startsWith('!')
    const rules = new IgnoreRules([unignore ? line.slice(1) : line])
    if (rules.expanded.some((glob) => globMatches(Array.from(glob.replace(/^\//, '')), Array.from(path))))
      return !unignore
    // The one exception: the texts around a single `**` may overlap.
    const plain = line.replace(/^!/, '').replace(/^\//, '')
    const parts = plain.replace(/^\*\*\//, '').split('**')
    if (
      parts.length === 2 &&
      parts[0] !== '' &&
      parts[1] !== '' &&
      !/[*?/]$|[{[]/.test(plain) &&
      !parts.join('').match(/[*?]/) &&
      path.startsWith(parts[0]!) &&
      path.endsWith(parts[1]!)
    )
      return !unignore
  }
  return false
}

function globMatches(glob: readonly string[], path: readonly string[]): boolean {
  const [head, ...rest] = glob
  if (head === undefined) return path.length === 0
  if (head === '*' && rest[0] === '*') {
    return globMatches(rest.slice(1), path) || (path.length > 0 && globMatches(glob, path.slice(1)))
  }
  if (head === '*')
    return globMatches(rest, path) || (path.length > 0 && path[0] !== '/' && globMatches(glob, path.slice(1)))
  if (path.length === 0) return false
  if (head === '?') return path[0] !== '/' && globMatches(rest, path.slice(1))
  return head === path[0] && globMatches(rest, path.slice(1))
}

test('ignore: the matcher agrees with brute force on short patterns and paths', () => {
  const piece = fc.constantFrom('a', 'b', 'ab', '*', '?', '/', 'é', '😀')
  const line = fc
    .tuple(fc.constantFrom('', '!'), fc.constantFrom('', '/', '**/'), fc.array(piece, { minLength: 1, maxLength: 5 }))
    .map(([mark, start, parts]) => mark + start + parts.join(''))
    .filter(
      (text) =>
        !/\/\/|\*\*\*|^\/?\//.test(text.replace(/^!/, '').slice(1)) &&
        !text.startsWith('//') &&
        !text.endsWith('***') &&
        !/\*{3}/.test(text),
    )
  const name = fc
    .array(fc.constantFrom('a', 'b', 'ab', 'aba', 'é', '😀', 'x'), { minLength: 1, maxLength: 3 })
    .map((parts) => parts.join(''))
  const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'))
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 4 }), path, (lines, one) => {
      assert.equal(
        new IgnoreRules(lines).match(one).ignored,
        oracle([...new Set(lines)], one),
        `${JSON.stringify(lines)} on ${one}`,
      )
    }),
    { numRuns: 5_000 },
  )
})

test('ignore: ten thousand lines give the same result as one', () => {
  const lines = Array.from(
    { length: 10_000 },
    (_, i) => [`name${i}`, `/rooted/${i}`, `*.ext${i}`, `pre${i}-*`, `some/path${i}/`][i % 5]!,
  )
  const rules = new IgnoreRules(lines)
  for (const [path, ignored] of [
    ['name0', true],
    ['x/name0/y', true],
    ['name1', false],
    ['rooted/1', true],
    ['rooted/1/x', true],
    ['x/rooted/1', false],
    ['a/b.ext2', true],
    ['b.ext2/c', true],
    ['b.ext3', false],
    ['pre3-', true],
    ['x/pre3-abc', true],
    ['pre3', false],
    ['some/path4', false],
    ['some/path4/x', true],
    ['a/some/path4/x', true],
  ] as const)
    assert.equal(rules.match(path).ignored, ignored, path)
})

/** Brute force: every alternative expanded, classes and stars tried character by character. */
function braceOracle(line: string, path: string): boolean {
  const group = /\{([^{}]*)\}/.exec(line)
  if (group === null) return oracleWithClasses(line, path)
  const [whole, inside] = group
  return inside!
    .split(',')
    .some((choice) => braceOracle(line.slice(0, group.index) + choice + line.slice(group.index + whole.length), path))
}

function oracleWithClasses(line: string, path: string): boolean {
  const group = /\[(!?)([^\]]*)\]/.exec(line)
  if (group === null)
    return [line, `**/${line}`, `${line}/**`, `**/${line}/**`].some((glob) =>
      globMatches(Array.from(glob), Array.from(path)),
    )
  const [whole, not, inside] = group
  const [low, dash, high] = Array.from(inside!)
  const held = (one: string): boolean => (dash === '-' ? one >= low! && one <= high! : inside!.includes(one))
  const letters = ['a', 'b', 'x', 'é', '😀'].filter((one) => held(one) !== (not === '!'))
  return letters.some((one) =>
    oracleWithClasses(line.slice(0, group.index) + one + line.slice(group.index + whole.length), path),
  )
}

test('ignore: alternatives and classes agree with brute force', () => {
  const piece = fc.constantFrom('a', 'b', 'ab', '*', '?', '/', '[ab]', '[!a]', '[a-b]', '[!a-b]', '[é😀]')
  const text = fc.array(piece, { maxLength: 3 }).map((parts) => parts.join(''))
  const group = fc.array(text, { minLength: 1, maxLength: 3 }).map((choices) => `{${choices.join(',')}}`)
  const line = fc
    .array(fc.oneof(piece, group), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.join(''))
    // Slashes at the ends, doubled or made so by a choice, and stars run together, are rules of their own.
    .filter((one) => !/^\/|\/$|\/[/{},]|[{},]\/|\*[*{},]|[{},]\*/.test(one) && /[^{},]/.test(one))
  const name = fc
    .array(fc.constantFrom('a', 'b', 'ab', 'é', '😀', 'x'), { minLength: 1, maxLength: 3 })
    .map((parts) => parts.join(''))
  const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'))
  fc.assert(
    fc.property(line, path, (one, where) => {
      assert.equal(new IgnoreRules([one]).match(where).ignored, braceOracle(one, where), `${one} on ${where}`)
    }),
    { numRuns: effort(5_000) },
  )
})

test('ignore: of many globs in one automaton the first matching line decides, across all word boundaries', () => {
  const lines = Array.from(
    { length: 400 },
    (_, i) => `${i % 3 === 0 ? '!' : ''}${'p'.repeat(i % 37)}*-${i}-?${i % 5 === 0 ? '/' : ''}`,
  )
  const rules = new IgnoreRules(lines)
  for (let i = 0; i < lines.length; i++) {
    const name = `${'p'.repeat(i % 37)}--${i}-z`
    assert.equal(rules.match(`d/${name}/below`).ignored, i % 3 !== 0, lines[i])
    assert.equal(rules.match(name).ignored, i % 3 !== 0 && i % 5 !== 0, lines[i])
    assert.equal(rules.match(`${name}z`).ignored, false)
  }
})

test('ignore: a line of 4,096 characters is accepted', () => {
  const many = Array.from({ length: 580 }, (_, i) => `end${i}`)
    .join(',')
    .slice(0, 4_090)
  const rules = new IgnoreRules([`*.{${many}}`, 'x'.repeat(4_096), `${'y'.repeat(2_000)}*${'z'.repeat(2_000)}`])
  assert.equal(rules.match('d/a.end77').ignored, true)
  assert.equal(rules.match('d/a.end7777').ignored, false)
  assert.equal(rules.match(`d/${'y'.repeat(2_000)}-${'z'.repeat(2_000)}/below`).ignored, true)
})

test('ignore: alternatives of single letters do not multiply the globs', () => {
  const rules = new IgnoreRules([`${'{a,{b,{c,c}}}'.repeat(300)}{j,J}`])
  assert.equal(rules.match(`${'abc'.repeat(100)}J`).ignored, true)
  assert.equal(rules.match(`${'abc'.repeat(100)}K`).ignored, false)
})

const REFUSED: readonly [name: string, lines: readonly string[], names: RegExp][] = [
  ['unlimited nesting', ['{'.repeat(40)], /nested deeper/],
  ['a line that is too long', ['x'.repeat(9_000)], /longer than/],
  ['too many alternatives', [`${'{*a,**a}'.repeat(200)}b`], /"\{\*a,\*\*a\}.*more than 4096 alternatives/],
  ['long alternatives', [`${'{aa,bb}'.repeat(11)}${'x'.repeat(100)}`], /alternatives longer than/],
  ['an include outside the folder', ['#include a/../../x'], /include file a\/..\/..\/x/],
  ['an absolute include', ['#include /etc/passwd'], /include file \/etc\/passwd/],
  ['an include with a NUL', ['#include a\0b'], /not inside/],
  ['the root as include', ['#include .'], /not inside/],
]
for (const [name, lines, message] of REFUSED) {
  test(`N-11: ${name} is refused, and the refusal names it`, () => {
    assert.throws(() => load(lines), message)
  })
}

test('N-11: a chain of includes ends with an error that names the file', () => {
  const includes = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`f${i}`, `#include f${i + 1}`]))
  assert.throws(() => load(['#include f0'], includes), /include file f100: more than 100 include files/)
})

test('N-11: two files that include each other are read once each', () => {
  assert.deepEqual(load(['#include a'], { a: '#include b\nx', b: '#include a\ny' }).lines, ['y', 'x'])
})
