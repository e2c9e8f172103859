import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashPasswordIfPlain, verifyPassword } from '../../src/config/password.ts'

/** Written by Syncthing 1.29.5. */
const FOREIGN = '$2a$10$..TMzEGJlZl7ziUjR6fnEe9gsn79W/n0LgY0Td8qsN5Py0ATPIgkq'

test('a hash and nothing pass as they are', async () => {
  assert.equal(await hashPasswordIfPlain(FOREIGN), FOREIGN)
  assert.equal(await hashPasswordIfPlain(''), '')
})

test('a password is hashed, and the hash knows it again', async () => {
  const hash = await hashPasswordIfPlain('grüße $2a$')
  assert.match(hash, /^\$2a\$10\$/)
  assert.ok(await verifyPassword('grüße $2a$', hash))
  assert.ok(!(await verifyPassword('grüsse $2a$', hash)))
})

test('what is no hash fits no password', async () => {
  for (const stored of ['', 'secret', '$2a$10$short', `$2a$99$${'x'.repeat(53)}`, `$2a$10$${'!'.repeat(53)}`]) {
    assert.equal(await verifyPassword('secret', stored), false, stored)
  }
})
