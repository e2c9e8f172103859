import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isCopyOf, lostMetadata, mayHaveChanged } from '../../../src/core/move/copies.ts'

const FILE = { type: 'file', sizeBytes: 10, modifiedS: 100, modifiedNs: 5, mode: 0o644, changeStamp: 1_000 }

test('a copy has the type, size and time of its original', () => {
  assert.ok(isCopyOf({ ...FILE, mode: 0o600, changeStamp: 5 }, FILE))
  assert.ok(!isCopyOf({ ...FILE, sizeBytes: 11 }, FILE))
  assert.ok(!isCopyOf({ ...FILE, modifiedNs: 6 }, FILE))
  assert.ok(!isCopyOf({ ...FILE, modifiedS: 101 }, FILE))
  assert.ok(!isCopyOf({ ...FILE, type: 'symlink' }, FILE))
  assert.ok(isCopyOf({ ...FILE, modifiedS: 101 }, FILE, 2e9))
  assert.ok(isCopyOf({ ...FILE, type: 'directory', modifiedS: 1 }, { ...FILE, type: 'directory' }))
})

test('a place that stores less than the folder needs is named', () => {
  const rules = { ignorePerms: false, windowNs: 0 }
  assert.equal(lostMetadata(FILE, FILE, rules), undefined)
  assert.equal(lostMetadata({ ...FILE, modifiedNs: 0 }, FILE, rules), 'time')
  assert.equal(lostMetadata({ ...FILE, modifiedNs: 0 }, FILE, { ...rules, windowNs: 2e9 }), undefined)
  assert.equal(lostMetadata({ ...FILE, mode: 0o777 }, FILE, rules), 'mode')
  assert.equal(lostMetadata({ ...FILE, mode: 0o777 }, FILE, { ...rules, ignorePerms: true }), undefined)
})

test('a file may have changed if its change time is not before the move', () => {
  assert.ok(mayHaveChanged(FILE, 1_000))
  assert.ok(!mayHaveChanged(FILE, 1_001))
  assert.ok(!mayHaveChanged({ ...FILE, changeStamp: undefined }, 1))
  assert.ok(!mayHaveChanged(FILE, undefined))
})
