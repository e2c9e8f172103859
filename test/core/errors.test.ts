import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isMissing, messageOf, systemCode, TwinfoldError, unreachable } from '../../src/core/errors.ts'
import { parseFolderId } from '../../src/core/ids.ts'

const withCode = (code: unknown) => Object.assign(new Error('failed'), { code })

test('systemCode: of errors that have one as a text', () => {
  assert.equal(systemCode(withCode('ENOSPC')), 'ENOSPC')
  assert.equal(systemCode(new TwinfoldError('disk-full', 'no space')), 'disk-full')
  for (const other of [new Error('x'), withCode(7), { code: 'ENOENT' }, 'ENOENT', undefined, null])
    assert.equal(systemCode(other), undefined)
})

test('isMissing: no such item, or no directory above it', () => {
  assert.ok(isMissing(withCode('ENOENT')) && isMissing(withCode('ENOTDIR')))
  assert.ok(!isMissing(withCode('EACCES')) && !isMissing(new Error('ENOENT')) && !isMissing(undefined))
})

test('messageOf: of an error of any kind', () => {
  assert.equal(messageOf(new Error('why')), 'why')
  assert.equal(messageOf('text'), 'text')
  assert.equal(messageOf(undefined), 'undefined')
})

test('TwinfoldError: code, message, name and cause', () => {
  const cause = new Error('below')
  const error = new TwinfoldError('folder-error', 'stopped', { cause })
  assert.deepEqual(
    [error.name, error.code, error.message, error.cause],
    ['TwinfoldError', 'folder-error', 'stopped', cause],
  )
})

test('unreachable: throws with the value', () => {
  assert.throws(() => unreachable({ kind: 'new' } as never), /unreachable: \{"kind":"new"\}/)
})

test('parseFolderId: any text but the empty one', () => {
  assert.equal(parseFolderId('docs'), 'docs')
  for (const nothing of ['', null, undefined]) assert.equal(parseFolderId(nothing), undefined)
})
