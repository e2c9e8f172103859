import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashFault, isHashedPassword } from '../../../src/core/config/password.ts'

const REST = 'N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy'

test('text that Syncthing stores unchanged counts as hashed', () => {
  for (const text of [`$2a$10$${REST}`, `$2b$10$${REST}`, `$2y$10$${REST}`, `$2a$100$${'!'.repeat(50)}`]) {
    assert.equal(isHashedPassword(text), true, text)
  }
  for (const text of ['', 'secret', `$2x$10$${REST}`, `$2$10$${REST}`, '$2a$10$short', ` $2a$10$${REST}`]) {
    assert.equal(isHashedPassword(text), false, text)
  }
})

test('a hash is usable up to cost 14, so that no configuration makes a login take days', () => {
  for (const cost of ['04', '10', '12', '14']) assert.equal(hashFault(`$2b$${cost}$${REST}`), undefined, cost)
  assert.equal(hashFault(`$2a$15$${REST}`), 'is a bcrypt hash of cost 15, and at most 14 is accepted')
  assert.equal(hashFault(`$2a$31$${REST}`), 'is a bcrypt hash of cost 31, and at most 14 is accepted')
})

test('an invalid bcrypt hash is reported', () => {
  const wrong = [
    '',
    'secret',
    `$2a$03$${REST}`,
    `$2a$32$${REST}`,
    `$2a$99$${REST}`,
    `$2a$10$${REST}x`,
    `$2a$10$${'!'.repeat(53)}`,
  ]
  for (const text of wrong) assert.equal(hashFault(text), 'is no valid bcrypt hash', text)
})
