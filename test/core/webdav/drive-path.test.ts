import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { childHref, hrefOf, isDrivePath, parseDrivePath } from '../../../src/core/webdav/drive-path.ts'

const NAMES = [
  'plain',
  'two words',
  'a#b',
  '100%',
  'what?',
  'a&b;c=d',
  'back\\slash',
  'Ümlaut',
  '日本',
  '😀',
  '\u0001',
  '\'"<',
]

test('the top, a folder and a name are recognised, with or without a slash at the end', () => {
  for (const path of ['/dav', '/dav/']) {
    assert.deepEqual(parseDrivePath(path), { folder: '', name: '', isDirectory: true }, path)
  }
  assert.deepEqual(parseDrivePath('/dav/music'), { folder: 'music', name: '', isDirectory: false })
  assert.deepEqual(parseDrivePath('/dav/music/'), { folder: 'music', name: '', isDirectory: true })
  assert.deepEqual(parseDrivePath('/dav/music/a%20b/c'), { folder: 'music', name: 'a b/c', isDirectory: false })
  assert.deepEqual(parseDrivePath('/dav/music/a/b/'), { folder: 'music', name: 'a/b', isDirectory: true })
})

test('the ID of a folder may hold a slash, a name may not', () => {
  assert.deepEqual(parseDrivePath('/dav/a%2Fb/c'), { folder: 'a/b', name: 'c', isDirectory: false })
  assert.equal(parseDrivePath('/dav/f/a%2Fb'), undefined)
})

test('what is no place of the drive is refused', () => {
  for (const path of ['', '/', '/davx', '/dav%2Ff', '/rest/dav/f', '/dav//', '/dav//a', '/dav/f//a', '/dav/f/a//']) {
    assert.equal(parseDrivePath(path), undefined, path)
  }
  for (const path of ['/dav/f/.', '/dav/f/..', '/dav/f/%2e%2e/a', '/dav/f/a/../b', '/dav/f/%zz', '/dav/f/%ff']) {
    assert.equal(parseDrivePath(path), undefined, path)
  }
})

test('only paths below it belong to the drive', () => {
  assert.deepEqual(['/dav', '/dav/', '/dav/a', '/davx', '/da', '/rest/dav'].map(isDrivePath), [
    true,
    true,
    true,
    false,
    false,
    false,
  ])
})

test('every name has an address in plain letters that leads back to it', () => {
  for (const base of NAMES) {
    for (const isDirectory of [true, false]) {
      const place = { folder: 'f', name: `in/${base}`, isDirectory }
      const href = hrefOf(place)
      assert.match(href, /^[\w/.%!~*'()-]+$/)
      assert.deepEqual(parseDrivePath(href), place)
      assert.equal(childHref(hrefOf({ folder: 'f', name: 'in', isDirectory: true }), base, isDirectory), href)
    }
  }
  assert.equal(hrefOf({ folder: '', name: '', isDirectory: true }), '/dav/')
  assert.equal(hrefOf({ folder: 'a/b', name: '', isDirectory: true }), '/dav/a%2Fb/')
  assert.equal(hrefOf({ folder: '\ud800', name: '', isDirectory: true }), '/dav/%EF%BF%BD/')
})

test('property: address and place are the same for any name', () => {
  const part = fc
    .string({ unit: 'grapheme', minLength: 1 })
    .filter((name) => !/^\.{1,2}$/.test(name) && !/\//.test(name))
  fc.assert(
    fc.property(part, fc.array(part), fc.boolean(), (folder, names, isDirectory) => {
      const place = { folder: folder.toWellFormed(), name: names.join('/').toWellFormed(), isDirectory }
      assert.deepEqual(parseDrivePath(hrefOf(place)), place)
    }),
  )
})
