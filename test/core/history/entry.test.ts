import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isEarlier, kindOfChange, parsePosition, pastItem, positionText } from '../../../src/core/history/entry.ts'
import { FLAG_IGNORED, FLAG_MUST_RESCAN, type FileHead } from '../../../src/core/records/file-info.ts'
import { deletion, directory, file, version } from '../../db/records.ts'

function kindOf(before: FileHead | undefined, after: FileHead, hashes = ['a', 'a']): string | undefined {
  return kindOfChange({ before, beforeHash: hashes[0]!, after, afterHash: hashes[1]! })
}

test('only what a user can see is a change', () => {
  const other = version(1, 2)
  assert.equal(kindOf(undefined, file('x')), 'added')
  assert.equal(kindOf(deletion('x'), file('x')), 'added')
  assert.equal(kindOf(file('x'), deletion('x')), 'deleted')
  assert.equal(kindOf(file('x'), file('x', { version: other })), undefined, 'a version alone')
  assert.equal(kindOf(file('x'), file('x', { localFlags: FLAG_MUST_RESCAN })), undefined, 'a flag alone')
  assert.equal(kindOf(file('x'), file('x'), ['a', 'b']), 'changed')
  assert.equal(kindOf(file('x'), file('x', { sizeBytes: 7 })), 'changed')
  assert.equal(kindOf(file('x'), directory('x')), 'changed')
  assert.equal(kindOf(file('x'), file('x', { modifiedNs: 1 })), 'metadata')
  assert.equal(kindOf(file('x'), file('x', { permissions: 0o600 })), 'metadata')
  assert.equal(kindOf(file('x'), file('x', { permissions: 0, noPermissions: true })), undefined)
  assert.equal(kindOf(directory('d'), directory('d', { modifiedS: 5 })), undefined, 'times of directories are not set')
  assert.equal(kindOf(directory('d'), directory('d', { permissions: 0o700 })), 'metadata')
  assert.equal(kindOf(deletion('x'), deletion('x', { version: other })), undefined)
  assert.equal(kindOf(undefined, deletion('x')), undefined, 'a deletion of what never was here')
  const link = file('l', { type: 'symlink', symlinkTarget: 'a' })
  assert.equal(kindOf(link, { ...link, symlinkTarget: 'b' }), 'changed')
  assert.equal(kindOf(link, { ...link, modifiedS: 3 }), undefined)
})

test('ignored items leave and join the folder; a conflict copy is one by its name', () => {
  assert.equal(kindOf(file('x'), file('x', { localFlags: FLAG_IGNORED })), 'ignored')
  assert.equal(kindOf(file('x', { localFlags: FLAG_IGNORED }), file('x')), 'added')
  assert.equal(kindOf(undefined, file('a.sync-conflict-20260131-235959-ABCDEFG.jpg')), 'conflict')
})

test('the item of a record has no permissions where the record has none, and a deletion has no item', () => {
  assert.equal(pastItem(deletion('x'), ''), undefined)
  assert.equal(pastItem(undefined, ''), undefined)
  assert.equal(pastItem(file('x', { noPermissions: true }), 'h')?.permissions, undefined)
  assert.equal(pastItem(file('x', { permissions: 0o640 }), 'h')?.permissions, 0o640)
})

test('positions as text are read again, and ordered', () => {
  const position = { batch: 12, place: 3 }
  assert.deepEqual(parsePosition(positionText(position)), position)
  for (const text of ['', '1', '1.', '.1', '-1.0', '1.1.1', '1e3.0', `${'9'.repeat(20)}.0`])
    assert.equal(parsePosition(text), undefined, text)
  assert.ok(isEarlier({ batch: 1, place: 9 }, { batch: 2, place: 0 }))
  assert.ok(isEarlier({ batch: 2, place: 0 }, { batch: 2, place: 1 }))
  assert.ok(!isEarlier(position, position))
})
