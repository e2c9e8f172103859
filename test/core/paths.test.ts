import assert from 'node:assert/strict'
import { posix } from 'node:path'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { TwinfoldError } from '../../src/core/errors.ts'
import {
  ancestorsOf,
  asideName,
  cleanSub,
  scanScope,
  sortScope,
  compareNames,
  conflictName,
  foldName,
  isBelow,
  isConflictName,
  isInternal,
  isNormal,
  isPathWithin,
  isReserved,
  isTemporary,
  parentOf,
  parseAside,
  pathKey,
  slashedPath,
} from '../../src/core/paths.ts'
import { reportRow } from '../support/effort.ts'

const CLEAN: readonly [text: string, clean: string][] = [
  ['', ''],
  ['/', ''],
  ['.', ''],
  ['./', ''],
  ['a', 'a'],
  ['/a', 'a'],
  ['a/', 'a'],
  ['./a', 'a'],
  ['a//z', 'a/z'],
  ['a/./b', 'a/b'],
  ['a/../b', 'b'],
  ['a/b/..', 'a'],
  ['a/..', ''],
  ['..a', '..a'],
  ['a\\b', 'a\\b'],
  ['e\u0301', '\u00e9'],
  ['...', '...'],
  ['/a/../b', 'b'],
]
for (const [text, clean] of CLEAN)
  test(`cleanSub: ${JSON.stringify(text)} is ${JSON.stringify(clean)}`, () => assert.equal(cleanSub(text), clean))

test('N-02: a sub that leaves the folder is refused, and the refusal names it', () => {
  const refused = [
    '..',
    '../x',
    'a/../../x',
    '/..',
    '/../etc/passwd',
    '//',
    '//x',
    'a\0b',
    '\0',
    '../../../../etc/passwd',
    'a/b/../../..',
    '\ud800',
  ]
  for (const text of refused) {
    assert.throws(
      () => cleanSub(text),
      (error) => {
        assert.ok(error instanceof TwinfoldError && error.code === 'path-escapes-folder', text)
        assert.ok(error.message.includes(JSON.stringify(text)))
        return true
      },
    )
  }
  let tried = refused.length
  let escaped = 0
  const part = fc.constantFrom('..', '.', '', 'a', 'b', '/', '//', '\0', '...', '..\\', '%2e%2e')
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      tried++
      let clean: string
      try {
        clean = cleanSub(parts.join('/'))
      } catch (error) {
        assert.ok(error instanceof TwinfoldError)
        return
      }
      if (
        clean.startsWith('/') ||
        clean.includes('\0') ||
        posix.resolve('/folder', clean) !== (clean === '' ? '/folder' : `/folder/${clean}`)
      )
        escaped++
      assert.ok(clean === '' || !clean.split('/').includes(''))
      assert.equal(cleanSub(clean), clean)
    }),
    { numRuns: 2_000 },
  )
  reportRow({ id: 'N-02', part: 'sub', tried, escaped })
  assert.equal(escaped, 0)
})

test('scanScope: sorted, without duplicates and nested paths; none means all', () => {
  assert.deepEqual(scanScope([]), [''])
  assert.deepEqual(scanScope(['a', '']), [''])
  assert.deepEqual(scanScope(['b', 'a/c', 'a', 'a/', 'a-b', 'ab/c']), ['a', 'a-b', 'ab/c', 'b'])
})

test('scanScope: the outermost of any paths', () => {
  const path = fc
    .array(fc.constantFrom('a', 'b', 'a-b', 'é', '😀', '\uffff'), { maxLength: 4 })
    .map((parts) => parts.join('/'))
  fc.assert(
    fc.property(fc.array(path, { minLength: 1, maxLength: 12 }), (paths) => {
      const outermost = [...new Set(paths)].filter((each) => !paths.some((other) => isBelow(each, other)))
      assert.deepEqual(scanScope(paths), outermost.sort(compareNames))
    }),
    { numRuns: 2_000 },
  )
})

test('sortScope: deep paths are not compared with each of their ancestors', () => {
  const deep = Array.from({ length: 100 }, (_, i) => `${'a/'.repeat(8_000)}${i}`)
  const before = process.threadCpuUsage()
  assert.equal(sortScope(deep).length, deep.length)
  const { user, system } = process.threadCpuUsage(before)
  assert.ok(user + system < 2_000_000, `${user + system} µs of processor time`)
})

test('compareNames: the order of UTF-8 bytes, for any text', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', '/', '-', '\u00e9', '\uffff', '\ue000', '\ud7ff', '\u{10000}', '😀', '\u{10ffff}'),
  })
  fc.assert(
    fc.property(text, text, (a, b) => {
      assert.equal(Math.sign(compareNames(a, b)), Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b))))
    }),
    { numRuns: 3_000 },
  )
})

test('isBelow, parentOf, ancestorsOf', () => {
  assert.ok(isBelow('a/b', 'a') && isBelow('a', '') && isBelow('a/b/c', 'a/b'))
  assert.ok(!isBelow('a', 'a') && !isBelow('a-b', 'a') && !isBelow('', '') && !isBelow('b/a', 'a'))
  assert.equal(parentOf('a/b/c'), 'a/b')
  assert.equal(parentOf('a'), '')
  assert.deepEqual(ancestorsOf('a/b/c'), ['', 'a', 'a/b'])
})

test('internal at the root only, temporary anywhere', () => {
  for (const name of ['.stfolder', '.stfolder/x', '.stignore', '.stversions/a/b']) assert.ok(isInternal(name), name)
  for (const name of ['a/.stfolder', '.stfolderx', '.stignore2']) assert.ok(!isInternal(name), name)
  for (const name of ['.syncthing.a.tmp', 'd/~syncthing~a', '.syncthing.']) assert.ok(isTemporary(name), name)
  for (const name of ['.syncthing', 'syncthing.a.tmp', '.syncthing.d/x']) assert.ok(!isTemporary(name), name)
})

test('N-04: an internal name is internal in every spelling that some disk takes for it', () => {
  const spellings = [
    '.STIGNORE',
    '.StFolder',
    '.stVersions/x',
    '.\u017ftignore', // the long s, whose capital is S
    '.\ufb06ignore', // the ligature st
    '.st\u200dignore', // ignored by HFS+
    '\ufeff.stfolder/x',
    '.stignore.', // Windows drops dots and spaces at the end
    '.stversions .. /x',
    '.stignore::$DATA', // and takes this for the content of the file
    '.STFOLDER. :x',
    'STIGNO~1', // its short names
    'stvers~2/x',
    'STFOLD~1',
  ]
  for (const name of spellings) {
    assert.ok(isInternal(name), name)
    assert.ok(isReserved(name), name)
    assert.ok(!isInternal(`a/${name}`) && !isReserved(`a/${name}`), `below a directory: ${name}`)
  }
  for (const name of [
    '.stignore2',
    'stignore',
    'STIGNO~',
    'STIGNO~1x',
    'xSTIGNO~1',
    'st',
    '.st\u00e9ignore',
    ':',
    '. .',
  ])
    assert.ok(!isInternal(name) && !isReserved(name), name)
})

test('N-04: a temporary name is reserved in every spelling, in any directory; ours has one', () => {
  for (const name of [
    '.SYNCTHING.x.tmp',
    '~Syncthing~x',
    '.\u017fyncthing.x',
    '.sync\u200cthing.x',
    '\u200e~syncthing~',
  ]) {
    for (const path of [name, `a/b/${name}`, `${name}/x`, `a/${name}/x`]) {
      assert.ok(isReserved(path), path)
      assert.ok(!isTemporary(path), 'a scan removes old temporary files, and this one may be of the user')
    }
  }
  for (const name of ['.syncthing.x.tmp', 'a/~syncthing~x', '.syncthing.d/x']) assert.ok(isReserved(name), name)
  for (const name of ['.syncthing', '.Syncthing', 'x.syncthing.', 'syncthing.x', 'a', '', 'a/b'])
    assert.ok(!isReserved(name), name)
})

test('a name aside is temporary, and has the former name unless that is long', () => {
  const id = '0123456789abcdef'
  for (const name of ['a', 'd/a.txt', 'd/e/.hidden', 'x.0123456789abcdef.aside', 'line\nbreak', 'y'.repeat(109)]) {
    const aside = asideName(name, id)
    assert.deepEqual(parseAside(aside), { name, isCut: false })
    assert.ok(isTemporary(aside) && isReserved(aside))
  }
  const long = asideName(`d/${'ü'.repeat(127)}`, id)
  assert.ok(Buffer.byteLength(long) <= 'd/'.length + 143)
  assert.deepEqual(parseAside(long), { name: `d/${'ü'.repeat(52)}`, isCut: true })
  for (const name of ['.syncthing.a.tmp', `.syncthing..${id}.aside`, '.syncthing.a.aside', `~syncthing~a.${id}.aside`])
    assert.equal(parseAside(name), undefined)
})

test('isReserved: the cost of a long name is linear', () => {
  const long = (part: string) => `.${part.repeat(200_000)}x`
  for (const name of [long('. '), long(':'), long('\u200c'), long('.st'), long('/.')]) assert.ok(!isReserved(name))
})

test('foldName: one spelling for what folding disks take for the same name', () => {
  for (const [a, b] of [
    ['Photo.JPG', 'photo.jpg'],
    ['STRASSE', 'stra\u00dfe'],
    ['\u00c9', 'e\u0301'],
    ['\u212a', 'k'],
    ['\u03a3', '\u03c2'],
  ] as const)
    assert.equal(foldName(a), foldName(b))
  assert.notEqual(foldName('a'), foldName('b'))
})

test('isNormal: NFC and nothing else', () => {
  assert.ok(isNormal('plain') && isNormal('caf\u00e9') && !isNormal('cafe\u0301'))
})

test('conflict names keep directory and extension', () => {
  assert.equal(
    conflictName('d/photo.jpg', '20260131-235959', 'ABCDEFG'),
    'd/photo.sync-conflict-20260131-235959-ABCDEFG.jpg',
  )
  assert.equal(conflictName('.hidden', '20260131-235959', 'ABCDEFG'), '.sync-conflict-20260131-235959-ABCDEFG.hidden')
  assert.ok(
    isConflictName('d/photo.sync-conflict-20260131-235959-ABCDEFG.jpg') &&
      isConflictName('x.sync-conflict-20260131-235959'),
  )
  assert.ok(!isConflictName('photo.jpg') && !isConflictName('sync-conflict-1.jpg'))
})

test('a path of Windows gets the separator of names, and elsewhere a backslash is part of a name', () => {
  assert.equal(slashedPath('C:\\Users\\a\\b', 'win32'), 'C:/Users/a/b')
  assert.equal(slashedPath('/home/a\\b', 'linux'), '/home/a\\b')
})

test('a path is within its directory, and within the root of its disk', () => {
  assert.ok(isPathWithin('C:/a/b', 'C:/a'))
  assert.ok(isPathWithin('C:/a', 'C:/a'))
  assert.ok(isPathWithin('C:/a', 'C:/'))
  assert.ok(isPathWithin('/a', '/'))
  assert.ok(!isPathWithin('C:/ab', 'C:/a'))
  assert.ok(!isPathWithin('D:/a', 'C:/'))
})

test('paths of Windows are compared without case and with one separator, those of Linux as they are', () => {
  assert.equal(pathKey('C:\\Users\\Ann/Docs', '\\'), 'c:/users/ann/docs')
  assert.equal(pathKey('/srv/Docs\\x', '/'), '/srv/Docs\\x')
  assert.ok(isPathWithin(pathKey('E:\\Docs', '\\'), pathKey('e:\\', '\\')))
  assert.ok(!isPathWithin(pathKey('E:\\Docs2', '\\'), pathKey('e:\\docs', '\\')))
})
