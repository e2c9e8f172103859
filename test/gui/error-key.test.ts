/** Errors for users: translated where they are known, never with a code of the system. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorKey, withoutCodes } from '../../gui/view-model/error-key.ts'

test('messages of the system have texts', () => {
  const cases = [
    ['listen EADDRINUSE: address already in use 0.0.0.0:22000', 'error.inUse'],
    ['bind EADDRNOTAVAIL 192.0.2.1:22000', 'error.noAddress'],
    ["ENOSPC: System limit for number of file watchers reached, watch '/x'", 'error.watches'],
    ["ENOSPC: no space left on device, write '/x'", 'cause.full'],
    ["EACCES: permission denied, open '/x'", 'cause.permission'],
    ['EIO: i/o error, read', 'cause.io'],
    ['connect ECONNREFUSED 127.0.0.1:1', 'dial.refused'],
    ['getaddrinfo ENOTFOUND example.invalid', 'dial.name-not-found'],
    ["ENOENT: no such file or directory, stat '/x'", 'cause.missing'],
  ] as const
  for (const [message, key] of cases) assert.equal(errorKey(message), key, message)
})

test('a message in words of its own is kept, also where it contains words of known errors', () => {
  for (const message of ['device ID invalid: incorrect length', 'folder exists already', 'EASY']) {
    assert.equal(errorKey(message), undefined, message)
    assert.equal(withoutCodes(message), message)
  }
})

test('of an unknown error of the system, the words are left', () => {
  assert.equal(
    withoutCodes("EXDEV: cross-device link not permitted, rename '/a' -> '/b'"),
    'cross-device link not permitted',
  )
  assert.equal(withoutCodes('ELOOP: too many symbolic links encountered'), 'too many symbolic links encountered')
  assert.equal(withoutCodes('EXDEV'), 'EXDEV')
})
