import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDerived, isMadeSince, isMassLoss, isReplacement, stemOf } from '../../../src/core/guard/net-loss.ts'
import type { ShortId } from '../../../src/core/ids.ts'

const loss = (lost: number, files: number, { excused = 0, earlier = 0 } = {}) =>
  isMassLoss({ lost, files, excused, earlier })

test('a quarter of the files is held, from twenty files on', () => {
  assert.equal(loss(19, 19), false)
  assert.equal(loss(20, 20), true)
  assert.equal(loss(20, 80), true)
  assert.equal(loss(20, 81), false)
  assert.equal(loss(250, 1_000), true)
  assert.equal(loss(249, 1_000), false)
})

test('of ten thousand files on a tenth is held', () => {
  assert.equal(loss(10_000, 100_000), true)
  assert.equal(loss(10_000, 100_001), false)
  assert.equal(loss(9_999, 99_990), false)
})

test('what was lost within the window counts, but alone it holds nothing', () => {
  assert.equal(loss(1, 61, { earlier: 19 }), true)
  assert.equal(loss(1, 62, { earlier: 19 }), false)
  assert.equal(loss(0, 1, { earlier: 100 }), false)
})

test('what is excused does not hide the rest', () => {
  assert.equal(loss(500, 30_500, { excused: 30_000 }), true)
  assert.equal(loss(500, 30_500), false)
  assert.equal(loss(0, 30_500, { excused: 30_000 }), false)
})

test('files below the directories of package managers, and loose objects of git, are derived', () => {
  for (const name of ['node_modules/a/index.js', 'web/node_modules/b.js', '__pycache__/x.pyc', '.git/objects/0a/1b2c'])
    assert.equal(isDerived(name), true, name)
  for (const name of ['node_modules', 'my_node_modules/a', '.git/objects/pack/p.pack', '.git/HEAD', 'target/a.o'])
    assert.equal(isDerived(name), false, name)
})

test('a file is made since a time when all its counters are later', () => {
  const version = (...values: number[]) =>
    values.map((value, at) => ({ device: BigInt(at) as ShortId, value: BigInt(value) }))
  assert.equal(isMadeSince(version(100), 100_000), true)
  assert.equal(isMadeSince(version(99), 100_000), false)
  assert.equal(isMadeSince(version(100, 50), 100_000), false)
  assert.equal(isMadeSince([], 0), false)
})

test('a replacement has the same name up to the extension, and content', () => {
  assert.equal(stemOf('d/a.tar.gz'), 'd/a')
  assert.equal(stemOf('.profile'), '.profile')
  const old = { name: 'd/a.doc', sizeBytes: 1_000 }
  assert.equal(isReplacement(old, { name: 'd/a.doc.locked', sizeBytes: 1_040 }), true)
  assert.equal(isReplacement(old, { name: 'd/a.pdf', sizeBytes: 100 }), true)
  assert.equal(isReplacement(old, { name: 'd/a.pdf', sizeBytes: 99 }), false)
  assert.equal(isReplacement(old, { name: 'e/a.pdf', sizeBytes: 1_000 }), false)
  assert.equal(isReplacement(old, { name: 'd/ab.doc', sizeBytes: 1_000 }), false)
  assert.equal(isReplacement(old, old), false)
})
