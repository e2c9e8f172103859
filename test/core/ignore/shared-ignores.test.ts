import assert from 'node:assert/strict'
import { test } from 'node:test'
import { IgnoreRules } from '../../../src/core/ignore/ignore.ts'
import { parseSharedIgnores, withSharedIgnores } from '../../../src/core/ignore/shared-ignores.ts'

test('patterns are read without comments and blanks, with any line ends', () => {
  const text = '// for all of us\r\n*.tmp\r\n\r\n  /cache  \n(?d).DS_Store'
  assert.deepEqual(parseSharedIgnores(text), { kind: 'lines', lines: ['*.tmp', '/cache', '(?d).DS_Store'] })
  assert.deepEqual(parseSharedIgnores(''), { kind: 'lines', lines: [] })
})

test('a broken or hostile file is a problem as a whole', () => {
  for (const [text, reason] of [
    ['*.tmp\n[', /invalid pattern "\["/],
    ['#include .stignore', /"#include \.stignore" is not allowed/],
    ['a\n'.repeat(5_001), /more than 5000 patterns/],
    ['*'.repeat(100_000), /invalid pattern/],
    ['{a,'.repeat(10_000), /invalid pattern/],
  ] as const) {
    const begunMs = performance.now()
    const found = parseSharedIgnores(text)
    assert.ok(found.kind === 'problem')
    assert.match(found.reason, reason)
    assert.ok(found.reason.length < 1_000)
    assert.ok(performance.now() - begunMs < 5_000, 'its cost is bounded')
  }
})

test('our lines win, and the shared file is not left out by its own patterns', () => {
  const rules = withSharedIgnores(new IgnoreRules(['!/keep', '/mine']), ['*'])
  const ignored = (name: string) => rules.match(name).ignored
  assert.deepEqual(['keep', 'mine', 'other', '.stglobalignore'].map(ignored), [false, true, true, false])
  const refusing = withSharedIgnores(new IgnoreRules(['.stglobalignore']), ['*.tmp'])
  assert.equal(refusing.match('.stglobalignore').ignored, true)
  const own = new IgnoreRules(['a'])
  assert.equal(withSharedIgnores(own, []), own)
  const selected = new IgnoreRules(['/a'], { patterns: new Set(['/a']), isRemoving: false })
  assert.equal(withSharedIgnores(selected, ['*.tmp']).isDropped('a/x'), true)
})
