import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isUnusableName, nameFault, quoted } from '../../src/protocol/names.ts'

const INVALID = 'filename is invalid'
const NOT_CANONICAL = 'filename not in canonical format'

const NAMES: readonly (readonly [name: string, fault: string | undefined])[] = [
  ['a', undefined],
  ['a/b', undefined],
  ['...', undefined],
  ['..a/.b', undefined],
  ['a..', undefined],
  ['/a', INVALID],
  ['/', INVALID],
  ['../a', INVALID],
  ['.', INVALID],
  ['..', INVALID],
  ['', NOT_CANONICAL],
  ['./a', NOT_CANONICAL],
  ['a/', NOT_CANONICAL],
  ['a//b', NOT_CANONICAL],
  ['a/./b', NOT_CANONICAL],
  ['a/../b', NOT_CANONICAL],
  ['a/.', NOT_CANONICAL],
  ['a/..', NOT_CANONICAL],
]

for (const [name, fault] of NAMES) {
  test(`the name "${name}": ${fault ?? 'no fault'}`, () => assert.equal(nameFault(name), fault))
}

test('a name in an error text is quoted, and cut after 256 characters', () => {
  assert.equal(quoted('a"\n'), '"a\\"\\n"')
  const long = `0${'x'.repeat(255)}`
  assert.equal(quoted(long), `"${long}"`)
  assert.equal(quoted(`${long}y`), `"${long}…"`)
})

test('names with a NUL, and those of more than 8,192 characters, are of no use', () => {
  const names = ['a', 'a\0', 'x'.repeat(8_192), 'x'.repeat(8_193)]
  assert.deepEqual(names.map(isUnusableName), [false, true, false, true])
})
