import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Passwords } from '../../src/config/password.ts'
import { TwinfoldError } from '../../src/core/errors.ts'
import type { PasswordHasher } from '../../src/platform/passwords.ts'
import { simPasswords } from '../../src/platform/sim/passwords.ts'
import { SimRandom } from '../../src/platform/sim/random.ts'
import { quietLogger } from '../support/logger.ts'

/** Written by Syncthing 1.29.5. */
const FOREIGN = '$2a$10$..TMzEGJlZl7ziUjR6fnEe9gsn79W/n0LgY0Td8qsN5Py0ATPIgkq'

function setup(hasher: PasswordHasher = simPasswords) {
  const log = quietLogger('config')
  const time = { nowMs: 0 }
  const clock = { nowMs: () => time.nowMs }
  return { passwords: new Passwords({ hasher, random: new SimRandom(1), clock, log }), log, time }
}

const isUnavailable = (error: unknown) => error instanceof TwinfoldError && error.code === 'password-unavailable'

test('a hash and the empty password are returned unchanged', async () => {
  const { passwords } = setup()
  assert.equal(await passwords.hash(FOREIGN), FOREIGN)
  assert.equal(await passwords.hash(''), '')
})

test('a password is hashed with its own salt, and verifies against the hash', async () => {
  const { passwords } = setup()
  const hash = await passwords.hash('grüße $2a$')
  assert.match(hash, /^\$2a\$10\$/)
  assert.notEqual(await passwords.hash('grüße $2a$'), hash)
  assert.equal(await passwords.verify('grüße $2a$', hash), true)
  assert.equal(await passwords.verify('grüsse $2a$', hash), false)
})

test('72 bytes are accepted, one more is refused', async () => {
  const { passwords } = setup()
  const longest = 'ü'.repeat(36)
  assert.equal(await passwords.verify(longest, await passwords.hash(longest)), true)
  await assert.rejects(passwords.hash(`${longest}x`), /longer than 72 bytes/)
})

test('an unusable hash is an error with the remedy, never a wrong password', async () => {
  const unused: PasswordHasher = { hash: () => assert.fail(), verify: () => assert.fail('the work must not start') }
  const { passwords, log } = setup(unused)
  for (const stored of ['', 'secret', '$2a$10$short', `$2a$99$${'x'.repeat(53)}`, `$2a$10$${'!'.repeat(53)}`]) {
    await assert.rejects(passwords.verify('secret', stored), isUnavailable, stored)
  }
  await assert.rejects(
    passwords.verify('secret', FOREIGN.replace('$10$', '$31$')),
    /of cost 31, and at most 14 is accepted; stop Twinfold and set a new one with "twinfold generate/,
  )
  assert.equal(log.lines.length, 2)
})

test('a verification failure is logged with its cause, once a minute, without the password', async () => {
  const broken = async () => {
    throw new TwinfoldError('password-unavailable', 'no bcrypt', { cause: new Error('at /some/place') })
  }
  const { passwords, log, time } = setup({ hash: broken, verify: broken })
  for (let i = 0; i < 3; i++) await assert.rejects(passwords.verify('s3cret-word', FOREIGN), isUnavailable)
  await assert.rejects(passwords.hash('s3cret-word'), isUnavailable)
  assert.equal(log.lines.length, 1)
  time.nowMs += 60_000
  await assert.rejects(passwords.verify('s3cret-word', FOREIGN), isUnavailable)
  assert.equal(log.lines.length, 2)
  for (const line of log.lines) assert.match(line, /no bcrypt \(at \/some\/place\)/)
  assert.ok(!log.lines.join().includes('s3cret-word'))
})
