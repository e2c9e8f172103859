import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { literalOf, parseGlob, variantsOf } from '../../../src/core/ignore/ignore-glob.ts'

/** Variants in short form: `*`, `**`, `?` as in a glob, classes as `[…]`, anything else is text in quotes. */
function brief(glob: string): readonly string[] {
  return variantsOf(parseGlob(glob)).map((items) =>
    items
      .map((item) => {
        switch (item.kind) {
          case 'literal':
            return `'${item.text}'`
          case 'one':
            return '?'
          case 'star':
            return '*'
          case 'double-star':
            return '**'
          case 'class': {
            const range = item.high < item.low ? item.list : `${item.low}-${item.high}`
            return `[${item.negated ? '!' : ''}${range}]`
          }
        }
      })
      .join(' '),
  )
}

const GLOBS: readonly (readonly [glob: string, variants: readonly string[]])[] = [
  ['', ['']],
  ['abc', ["'abc'"]],
  ['a*b', ["'a' * 'b'"]],
  ['**', ['**']],
  ['***', ['**']],
  ['a?b', ["'a' ? 'b'"]],
  ['*?*', ['* ? *']],
  ['\\*a\\', ["'*a'"]],
  ['\\\\', ["'\\'"]],
  ['[abc]', ['[abc]']],
  ['[a]x', ["[a] 'x'"]],
  ['[!ab]', ['[!ab]']],
  ['[a-c]', ['[97-99]']],
  ['[!a-c]', ['[!97-99]']],
  ['[a-a]', ['[97-97]']],
  ['[-]', ['[-]']],
  ['{a,b}', ['[ab]']],
  ['{a,a}', ['[a]']],
  ['{ab,c}', ["'ab'", "'c'"]],
  ['{ab,ab}', ["'ab'"]],
  ['x{ab,cd}y', ["'xaby'", "'xcdy'"]],
  ['{a,[bc]}', ['[abc]']],
  ['{a,[!b]}', ["'a'", '[!b]']],
  ['{a,[b-d]}', ["'a'", '[98-100]']],
  ['{a,/}', ["'a'", "'/'"]],
  ['{a,😀}', ['[a😀]']],
  ['{a,}b', ["'ab'", "'b'"]],
  ['{}', ['']],
  ['{a', ['[a]']],
  ['a}', ["'a}'"]],
  ['a,b', ["'a,b'"]],
  ['{a\\,b,cd}', ["'a,b'", "'cd'"]],
  ['{ab,{cd,ef}}', ["'ab'", "'cd'", "'ef'"]],
  ['*{*,a}', ['*', "* 'a'"]],
  ['*{**,a}', ['**', "* 'a'"]],
  ['**{*,a}', ['**', "** 'a'"]],
  ['{ab,cd}{ef,gh}', ["'abef'", "'abgh'", "'cdef'", "'cdgh'"]],
]

describe('a glob', () => {
  for (const [glob, variants] of GLOBS) it(glob || '(empty)', () => assert.deepEqual(brief(glob), variants))
})

/** Characters that a class matches, of these; seen with Syncthing 1.29.5. */
const CANDIDATES = ['!', '-', 'a', 'b', 'c', 'd', 'm', 'z', ']', '^', '\\']
const CLASSES: readonly (readonly [glob: string, matched: string])[] = [
  ['[a-c]', 'abc'],
  ['[!a-c]', '!-dmz]^\\'],
  ['[a!]', '!a'],
  ['[\\!]', '!'],
  ['[\\!a]', '!a'],
  ['[!\\!]', '-abcdmz]^\\'],
  ['[!!]', '-abcdmz]^\\'],
  ['[!!a]', '-bcdmz]^\\'],
  ['[!!-a]', 'bcdmz'],
  ['[-]', '-'],
  ['[!-]', '!abcdmz]^\\'],
  ['[-a]', '-a'],
  ['[!-a]', '!bcdmz]^\\'],
  ['[--a]', '-a]^\\'],
  ['[!--a]', '!bcdmz'],
  ['[ab-c]', '-abc'],
  ['[a\\-c]', '-ac'],
  ['[\\a-c]', '-ac'],
  ['[\\]]', ']'],
  ['[ab\\]]', 'ab]'],
  ['[\\]-a]', '-a]'],
  ['[]-a]', 'a]^'],
  ['[!]-a]', '!-bcdmz\\'],
  ['[Z-]]', ']\\'],
]

describe('a class is one range or one list, as in Syncthing', () => {
  for (const [glob, matched] of CLASSES) {
    it(glob, () => {
      const [item, more] = variantsOf(parseGlob(glob))[0]!
      assert.ok(item?.kind === 'class' && more === undefined)
      const { negated, low, high, list } = item
      const isIn = (one: string) => list.includes(one) || (one.codePointAt(0)! >= low && one.codePointAt(0)! <= high)
      assert.equal(CANDIDATES.filter((one) => isIn(one) !== negated).join(''), matched)
    })
  }
})

const INVALID: readonly (readonly [glob: string, message: string])[] = [
  ['[', 'unexpected end of input'],
  ['[!', 'unexpected end of input'],
  ['[a', 'unexpected end of input'],
  ['[a\\', 'unexpected end of input'],
  ['[\\]', 'unexpected end of input'],
  ['[!\\]', 'unexpected end of input'],
  ['[a\\]', 'unexpected end of input'],
  ['[a-', 'unexpected end of input'],
  ['[a-c', 'unexpected end of input'],
  ['[a-]', 'unexpected end of input'],
  ['[--]', 'unexpected end of input'],
  ['[]', 'could not parse range'],
  ['[]]', 'could not parse range'],
  ['[!]', 'could not parse range'],
  ['[a-]x', 'expected close range character'],
  ['[a-cd]', 'expected close range character'],
  ['[a-\\c]', 'expected close range character'],
  ['[c-a]', "hi character 'a' should be greater than lo 'c'"],
  ['[a--]', "hi character '-' should be greater than lo 'a'"],
  ['[a-]]', "hi character ']' should be greater than lo 'a'"],
]

describe('an invalid glob', () => {
  for (const [glob, message] of INVALID) it(glob, () => assert.throws(() => brief(glob), { message }))
})

describe('a glob at a limit is read, and one beyond is refused', () => {
  const nested = (depth: number) => `${'{'.repeat(depth)}a${'}'.repeat(depth)}`
  const pairs = (count: number) => '{aa,bb}'.repeat(count)
  const cases: readonly (readonly [what: string, good: string, bad: string, message: RegExp])[] = [
    ['length', 'a'.repeat(8_192), 'a'.repeat(8_193), /longer than 8192 characters/],
    ['depth', nested(32), nested(33), /nested deeper than 32/],
    ['alternatives', pairs(11), pairs(13), /more than 4096 alternatives/],
    ['length of all together', `${pairs(10)}${'x'.repeat(44)}`, `${pairs(10)}${'x'.repeat(45)}`, /longer than 65536/],
  ]
  for (const [what, good, bad, message] of cases) {
    it(what, () => {
      assert.ok(brief(good).length > 0)
      assert.throws(() => brief(bad), { message })
    })
  }
})

it('the text of a glob without wildcards', () => {
  for (const [glob, wanted] of [
    ['abc', 'abc'],
    ['a\\*', 'a*'],
    ['a*', undefined],
    ['?', undefined],
    ['[a]', undefined],
    ['', undefined],
  ] as const)
    assert.equal(literalOf(variantsOf(parseGlob(glob))[0]!), wanted, glob)
})
