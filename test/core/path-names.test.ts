import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import {
  besideName,
  baseOf,
  conflictName,
  conflictDevice,
  conflictOriginal,
  cutToBytes,
  isAtOrBelow,
  isCanonical,
  isConflictOf,
  joinPath,
  splitExtension,
  temporaryName,
} from '../../src/core/paths.ts'

const WHEN = '20260131-235959'
const DEVICE = 'ABCDEFG'

test('joinPath, baseOf, isAtOrBelow', () => {
  assert.equal(joinPath('/data', 'a/b'), '/data/a/b')
  assert.equal(joinPath('/data', ''), '/data')
  assert.equal(joinPath('/', 'a'), '/a')
  assert.equal(baseOf('a/b/c'), 'c')
  assert.equal(baseOf('c'), 'c')
  assert.ok(isAtOrBelow('a', 'a') && isAtOrBelow('a/b', 'a') && isAtOrBelow('', '') && isAtOrBelow('a', ''))
  assert.ok(!isAtOrBelow('ab', 'a') && !isAtOrBelow('a', 'a/b'))
})

test('splitExtension: from the last dot on', () => {
  for (const [base, stem, extension] of [
    ['photo.jpg', 'photo', '.jpg'],
    ['a.tar.gz', 'a.tar', '.gz'],
    ['noext', 'noext', ''],
    ['.dot', '', '.dot'],
    ['end.', 'end', '.'],
  ])
    assert.deepEqual(splitExtension(base!), { stem, extension })
})

test('cutToBytes: whole characters up to the size', () => {
  assert.equal(cutToBytes('abc', 3), 'abc')
  assert.equal(cutToBytes('abcd', 3), 'abc')
  assert.equal(cutToBytes('é😀', 6), 'é😀')
  assert.equal(cutToBytes('é😀', 5), 'é')
  assert.equal(cutToBytes('é😀', 2), 'é')
  assert.equal(cutToBytes('é😀', 1), '')
  assert.equal(cutToBytes('aa😀', 3), 'aa')
  assert.equal(cutToBytes('abc', -5), '')
})

test('conflictName: the longest names are cut before the mark', () => {
  const mark = `.sync-conflict-${WHEN}-${DEVICE}.jpg`
  const longest = conflictName(`d/${'x'.repeat(300)}.jpg`, WHEN, DEVICE)
  assert.equal(longest, `d/${'x'.repeat(255 - mark.length)}${mark}`)
})

test('conflictOriginal: the reverse of conflictName, in any directory; any other name unchanged', () => {
  for (const name of ['photo.jpg', 'd/photo.jpg', 'a/b/noext', 'd/.dot', 'd/a.tar.gz'])
    assert.equal(conflictOriginal(conflictName(name, WHEN, DEVICE)), name)
  assert.equal(conflictOriginal(`d/x.sync-conflict-${WHEN}.txt`), 'd/x.txt', 'without a device')
  for (const name of ['d/photo.jpg', `d/x.sync-conflict-2026-${DEVICE}.txt`, `x.sync-conflict-${WHEN}-${DEVICE}.a.b`])
    assert.equal(conflictOriginal(name), name)
})

test('isConflictOf: same stem and extension, in the same directory', () => {
  const copy = conflictName('d/photo.jpg', WHEN, DEVICE)
  assert.ok(isConflictOf(copy, 'd/photo.jpg'))
  for (const name of ['photo.jpg', 'e/photo.jpg', 'd/other.jpg', 'd/photo.png', 'd/photos.jpg'])
    assert.ok(!isConflictOf(copy, name), name)
  assert.ok(!isConflictOf('d/photo.jpg', 'd/photo.jpg'))
  assert.ok(!isConflictOf('d/photo-2.jpg', 'd/photo.jpg'))
})

test('temporaryName: in the same directory, by the platform, with a hash of names that are too long', () => {
  assert.equal(temporaryName('a.txt', 'linux'), '.syncthing.a.txt.tmp')
  assert.equal(temporaryName('d/e/a.txt', 'darwin'), 'd/e/.syncthing.a.txt.tmp')
  assert.equal(temporaryName('d/a.txt', 'win32'), 'd/~syncthing~a.txt.tmp')
  const room = 160 - '.syncthing.'.length - '.tmp'.length
  const fits = 'x'.repeat(room)
  assert.equal(temporaryName(fits, 'linux'), `.syncthing.${fits}.tmp`)
  const long = `${fits}x`
  const digest = createHash('sha256').update(long).digest('hex')
  assert.equal(temporaryName(`d/${long}`, 'linux'), `d/.syncthing.${digest}.tmp`)
  assert.equal(temporaryName('é'.repeat(room / 2 + 1), 'linux').length, '.syncthing..tmp'.length + 64, 'bytes count')
})

test('isCanonical: what an index may hold', () => {
  for (const name of ['a', 'a/b', '...', 'a..b', '.hidden', 'caf\u00e9', ' ', 'a\\b'])
    assert.ok(isCanonical(name), name)
  const refused = ['', '.', '..', '/a', 'a/', 'a//b', './a', 'a/..', 'a/../b', 'a\0b', 'cafe\u0301', '\ud800', 'a/./b']
  for (const name of refused) assert.ok(!isCanonical(name), JSON.stringify(name))
})

test('conflictDevice: the short id in the name of a conflict copy, if it has one', () => {
  assert.equal(conflictDevice(conflictName('d/x.txt', WHEN, DEVICE)), DEVICE)
  assert.equal(conflictDevice(`d/x.sync-conflict-${WHEN}.txt`), '')
  assert.equal(conflictDevice('d/x.txt'), '')
})

test('besideName: an ordinary name in the same directory, whatever the label is', () => {
  assert.equal(besideName('d/plan.tar.gz', 'desk 2026-01-31'), 'd/plan.tar (desk 2026-01-31).gz')
  assert.equal(besideName('plan', 'desk', 3), 'plan (desk 3)')
  assert.equal(besideName('.bashrc', 'desk'), '.bashrc (desk)')
  for (const label of ['../..', 'a/b\\c', 'x\0\u202e\n', '', '🙂'.repeat(100), 'e\u0301 \ud800']) {
    const name = besideName(`d/${'ü'.repeat(120)}.txt`, label)
    assert.ok(isCanonical(name) && name.startsWith('d/') && name.split('/').length === 2, JSON.stringify(name))
    assert.ok(Buffer.byteLength(name.slice(2)) <= 255 && name.endsWith(').txt'), name)
    assert.doesNotMatch(name.slice(2), /[\p{C}\\:*?"<>|]/u)
  }
})
