import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import { OverlapIndex, SimplePatternIndex } from '../../../src/core/ignore/ignore-index.ts'

const NONE = 1_000

interface Pattern {
  readonly kind: 'rooted' | 'anywhere' | 'ending' | 'beginning'
  readonly text: string
  /** The line for the item itself; items below it have the next one. */
  readonly line: number
}

function indexOf(patterns: readonly Pattern[]): SimplePatternIndex {
  const index = new SimplePatternIndex()
  for (const { kind, text, line } of patterns) {
    const place = { itself: line, below: line + 1 }
    if (kind === 'ending') index.addEnding(text, place)
    else if (kind === 'beginning') index.addBeginning(text, place)
    else assert.equal(index.addLiteral(text, { ...place, rooted: kind === 'rooted' }), true)
  }
  return index
}

/** What the index must find, by trying every pattern at every component. */
function firstByTrying(patterns: readonly Pattern[], path: string): number {
  const names = path.split('/')
  const lines = patterns.flatMap(({ kind, text, line }) =>
    names.flatMap((_, start) =>
      names.slice(start).flatMap((__, more) => {
        const part = names.slice(start, start + more + 1).join('/')
        const matches =
          kind === 'rooted'
            ? start === 0 && part === text
            : kind === 'anywhere'
              ? part === text
              : more === 0 && (kind === 'ending' ? part.endsWith(text) : part.startsWith(text))
        return matches ? [start + more === names.length - 1 ? line : line + 1] : []
      }),
    ),
  )
  return Math.min(NONE, ...lines)
}

describe('simple patterns', () => {
  const cases: readonly [kind: Pattern['kind'], text: string, path: string, found: 'itself' | 'below' | 'none'][] = [
    ['rooted', 'a', 'a', 'itself'],
    ['rooted', 'a', 'a/b/c', 'below'],
    ['rooted', 'a', 'b/a', 'none'],
    ['rooted', 'a', 'ab', 'none'],
    ['rooted', 'a/b', 'a/b', 'itself'],
    ['rooted', 'a/b', 'a', 'none'],
    ['rooted', 'a/b', 'a/b/c', 'below'],
    ['anywhere', 'a', 'b/a', 'itself'],
    ['anywhere', 'a', 'b/a/c', 'below'],
    ['anywhere', 'a', 'b/xa/ax', 'none'],
    ['anywhere', 'b/c', 'a/b/c', 'itself'],
    ['anywhere', 'b/c', 'a/b/c/d', 'below'],
    ['anywhere', 'b/c', 'c/b', 'none'],
    ['ending', '.tmp', 'x.tmp', 'itself'],
    ['ending', '.tmp', '.tmp', 'itself'],
    ['ending', '.tmp', 'a/x.tmp', 'itself'],
    ['ending', '.tmp', 'x.tmp/a', 'below'],
    ['ending', '.tmp', 'x.tmpx/tmp', 'none'],
    ['ending', 'b.tmp', 'a/.tmp', 'none'],
    ['beginning', '~$', '~$x', 'itself'],
    ['beginning', '~$', '~$', 'itself'],
    ['beginning', '~$', 'a/~$x', 'itself'],
    ['beginning', '~$', '~$x/a', 'below'],
    ['beginning', '~$', 'x~$/~', 'none'],
    ['beginning', '~/', '~/x', 'none'],
  ]
  for (const [kind, text, path, found] of cases) {
    it(`${kind} ${text} and the path ${path}: ${found}`, () => {
      const line = { itself: 5, below: 6, none: NONE }[found]
      assert.equal(indexOf([{ kind, text, line: 5 }]).first(path, NONE), line)
      assert.equal(indexOf([{ kind, text, line: 5 }]).first(path, 5), 5, 'an earlier line has precedence')
    })
  }

  it('of the same text: the first line of each', () => {
    const index = new SimplePatternIndex()
    for (const place of [
      { itself: 7, below: 3 },
      { itself: 4, below: 9 },
      { itself: 8, below: 8 },
    ])
      index.addEnding('.x', place)
    assert.deepEqual([index.first('a.x', NONE), index.first('a.x/b', NONE)], [4, 3])
  })

  it('added after a search are found, too, of any length', () => {
    const index = new SimplePatternIndex()
    index.addEnding('long', { itself: 2, below: 2 })
    index.addBeginning('long', { itself: 4, below: 4 })
    assert.deepEqual([index.first('x.l', NONE), index.first('s.x', NONE)], [NONE, NONE])
    index.addEnding('l', { itself: 3, below: 3 })
    assert.equal(index.first('x.l', NONE), 3)
    index.addBeginning('s', { itself: 5, below: 5 })
    assert.equal(index.first('s.x', NONE), 5)
  })

  it('of at most eight components may begin anywhere; rooted ones have any number', () => {
    const path = (count: number) => Array.from({ length: count }, (_, index) => `d${index}`).join('/')
    const index = new SimplePatternIndex()
    const place = { itself: 1, below: 2 }
    assert.equal(index.addLiteral(path(8), { ...place, rooted: false }), true)
    assert.equal(index.addLiteral(path(9), { ...place, rooted: false }), false)
    assert.equal(index.addLiteral(path(30), { ...place, itself: 0, rooted: true }), true)
    assert.deepEqual(
      [`x/${path(8)}`, `x/${path(9)}`, path(30), `x/${path(30)}`].map((one) => index.first(one, NONE)),
      [1, 2, 0, 2],
    )
  })

  it('in any number and order give the same as trying each', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '.'), minLength: 1, maxLength: 3 })
    const text = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'))
    const pattern = fc.oneof(
      fc.record({ kind: fc.constantFrom('rooted' as const, 'anywhere' as const), text, line: fc.nat(50) }),
      fc.record({ kind: fc.constantFrom('ending' as const, 'beginning' as const), text: name, line: fc.nat(50) }),
    )
    const path = fc.array(name, { minLength: 1, maxLength: 5 }).map((names) => names.join('/'))
    fc.assert(
      fc.property(fc.array(pattern, { maxLength: 8 }), path, (patterns, at) => {
        assert.equal(indexOf(patterns).first(at, NONE), firstByTrying(patterns, at))
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('texts around ** that overlap', () => {
  function overlapsOf(...pairs: readonly (readonly [start: string, end: string, line: number])[]): OverlapIndex {
    const index = new OverlapIndex()
    for (const pair of pairs) index.add(...pair)
    return index
  }

  it('match a path that begins with the one and ends with the other, and is shorter than both', () => {
    const index = overlapsOf(['a/b', 'b/c', 3])
    assert.equal(index.first('a/b/c', NONE), 3)
    for (const path of ['a/bb/c', 'a/b/b/c', 'x/b/c', 'a/b/x', 'a/b']) assert.equal(index.first(path, NONE), NONE, path)
  })

  it('give the first line, and none at or after the limit', () => {
    const index = overlapsOf(['ab', 'xx', 1], ['ab', 'bc', 4], ['ab', 'abc', 6], ['a', 'abc', 5])
    assert.deepEqual(
      [NONE, 6, 5, 4, 2].map((limit) => index.first('abc', limit)),
      [4, 4, 4, 4, 2],
    )
    assert.equal(overlapsOf(['a', 'abc', 5], ['ab', 'abc', 3]).first('abc', NONE), 3)
    assert.equal(overlapsOf(['ab', 'b', 5], ['ab', 'bcd', 6]).first('abcd', NONE), 6, 'the longest end decides')
  })

  it('cost a step per length, and one per end that is compared', () => {
    const index = overlapsOf(['ab', 'xx', 1], ['ab', 'bc', 2], ['ab', 'bd', 3], ['zzz', 'a', 4])
    const stepsOf = (path: string, limit: number) => {
      const before = index.steps
      index.first(path, limit)
      return index.steps - before
    }
    assert.deepEqual(
      [stepsOf('q', NONE), stepsOf('abc', NONE), stepsOf('abc', 2), stepsOf('abcde', NONE)],
      [2, 4, 3, 2],
    )
  })
})
