import assert, { AssertionError } from 'node:assert/strict'
import { test } from 'node:test'
import { losesInvariant, placeOf } from '../../src/core/unhandled.ts'

const SYSTEM = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read', errno: -104 })
const CASES: readonly (readonly [error: unknown, rejection: boolean, exception: boolean])[] = [
  [new Error('any'), false, true],
  [new TypeError('undefined is not a function'), false, true],
  [SYSTEM, false, false],
  [Object.assign(new Error('of our own'), { code: 'EINVAL' }), false, true],
  [Object.assign(new Error('of the runtime'), { code: 'ERR_INVALID_ARG_TYPE', syscall: 'x' }), false, true],
  [new AssertionError({ message: 'the lock is held' }), true, true],
  ['a text', false, true],
  [undefined, false, true],
]

for (const [error, rejection, exception] of CASES) {
  test(`C-40: whether an invariant is lost by ${String(error)}`, () => {
    assert.equal(losesInvariant({ kind: 'rejection', error }), rejection, 'as a rejection')
    assert.equal(losesInvariant({ kind: 'exception', error }), exception, 'as an exception')
  })
}

test('the place of a failure is the first line of our own', () => {
  const error = new Error('x')
  error.stack = 'Error: x\n    at read (node:fs:1:2)\n    at a (/x/node_modules/b.js:1:1)\n    at c (/x/src/d.ts:3:4)'
  assert.equal(placeOf(error), 'c (/x/src/d.ts:3:4)')
  error.stack = 'Error: x\n    at read (node:fs:1:2)'
  assert.equal(placeOf(error), 'read (node:fs:1:2)')
  for (const other of ['text', undefined, Object.assign(new Error('x'), { stack: undefined })])
    assert.equal(placeOf(other), 'an unknown place')
})
