import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leadsElsewhere, plainWindowsPath, windowsNameProblem } from '../../src/core/windows-names.ts'

const USABLE = [
  'a',
  'a b',
  '.a',
  'a.b.c',
  'dir/a.txt',
  'console',
  'com',
  'com10',
  'nullable.txt',
  'a.con',
  '~a',
  'ä é',
  'x[1]{2}',
]
for (const name of USABLE)
  test(`Windows can have ${JSON.stringify(name)}`, () => assert.equal(windowsNameProblem(name), undefined))

const UNUSABLE: readonly [name: string, reason: string][] = [
  ['CON', 'a name of a device'],
  ['aux.txt', 'a name of a device'],
  ['dir/LPT1/x', 'a name of a device in "LPT1"'],
  ['nul .txt', 'a name of a device'],
  ['com\u00b9', 'a name of a device'],
  ['a.', 'a dot at the end'],
  ['a /b', 'a space at the end in "a "'],
  ['a:b', 'the character ":"'],
  ['..\\..\\x', 'the character "\\"'],
  ['what?', 'the character "?"'],
  ['a"b', "the character '\"'"],
  ['a\tb', 'a control character'],
]
for (const [name, reason] of UNUSABLE)
  test(`Windows cannot have ${JSON.stringify(name)}: ${reason}`, () => {
    const problem = windowsNameProblem(name)
    assert.ok(problem?.includes(`(${reason})`) === true, problem)
    assert.match(problem ?? '', /rename the item on another device, or ignore it here$/)
  })

test('a backslash and a colon lead to another item where a backslash separates directories', () => {
  for (const name of ['..\\x', 'a:b', 'C:x']) {
    assert.ok(leadsElsewhere(name, '\\'))
    assert.ok(!leadsElsewhere(name, '/'))
  }
  assert.ok(!leadsElsewhere('a/b', '\\'))
})

const PATHS: readonly (readonly [path: string, plain: string])[] = [
  ['C:\\Docs', 'C:\\Docs'],
  ['E:', 'E:\\'],
  ['e:\\', 'e:\\'],
  ['\\\\?\\E:', 'E:\\'],
  ['\\\\?\\E:\\', 'E:\\'],
  ['\\\\?\\C:\\Docs', 'C:\\Docs'],
  ['//?/C:/Docs', 'C:/Docs'],
  ['\\\\.\\C:\\Docs', 'C:\\Docs'],
  ['\\\\?\\UNC\\server\\share\\x', '\\\\server\\share\\x'],
  ['\\\\server\\share', '\\\\server\\share'],
  ['\\\\?\\Volume{a-b}\\x', '\\\\?\\Volume{a-b}\\x'],
  ['C:relative', 'C:relative'],
  ['docs', 'docs'],
]
for (const [path, plain] of PATHS)
  test(`the plain path of ${path} is ${plain}`, () => assert.equal(plainWindowsPath(path), plain))
