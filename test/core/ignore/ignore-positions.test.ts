import assert from 'node:assert/strict'
import { test } from 'node:test'
import { IgnoreRules } from '../../../src/core/ignore/ignore.ts'

test('ignore: a state that moves to the next word of states moves to no other', () => {
  // The end of the first pattern is the first position of a word; the last p of the third is that of the next word.
  const rules = new IgnoreRules([`?${'a'.repeat(31)}`, `?${'z'.repeat(25)}`, '?mnop', '*q?'])
  assert.equal(rules.decidingLine(`x${'a'.repeat(31)}`), 0)
  assert.equal(rules.decidingLine(`x${'a'.repeat(31)}p`), undefined)
  assert.equal(rules.decidingLine('xmnop'), 2)
})

test('ignore: a plain path of many names may begin anywhere', () => {
  for (const count of [1, 7, 8, 9, 20]) {
    const path = Array.from({ length: count }, (_, i) => `n${i}`).join('/')
    const rules = new IgnoreRules([path])
    for (const name of [path, `d/${path}`, `d/e/${path}/below`]) assert.ok(rules.match(name).ignored, name)
    for (const name of [`${path}x`, `x${path}`, `d/${path.slice(1)}`]) assert.ok(!rules.match(name).ignored, name)
  }
})
