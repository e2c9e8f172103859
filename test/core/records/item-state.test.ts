import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  FLAG_IGNORED,
  FLAG_MUST_RESCAN,
  FLAG_RECEIVE_ONLY,
  FLAG_REMOTE_INVALID,
} from '../../../src/core/records/file-info.ts'
import { deviceVersion, itemState, waitingAction } from '../../../src/core/records/item-state.ts'
import { blocks, deletion, directory, file, version } from '../../db/records.ts'

const newest = file('a', { version: version(2) })
const older = file('a', { version: version(1) })

test('an item is here, older, missing, extra or ignored', () => {
  assert.equal(itemState(newest, newest), 'here')
  assert.equal(itemState(file('a', { version: version(2), localFlags: FLAG_MUST_RESCAN }), newest), 'here')
  assert.equal(itemState(older, newest), 'older')
  assert.equal(
    itemState(file('a', { version: version(0, 1) }), newest),
    'older',
    'an edit that never met the newest one',
  )
  assert.equal(itemState(undefined, newest), 'missing')
  assert.equal(
    itemState(deletion('a', { version: version(1) }), newest),
    'missing',
    'deleted here, made again elsewhere',
  )
  assert.equal(
    itemState(older, deletion('a', { version: version(2) })),
    'older',
    'the deletion is still to be carried out',
  )
  assert.equal(itemState(file('a', { version: version(1), localFlags: FLAG_RECEIVE_ONLY }), newest), 'extra')
  assert.equal(itemState(deletion('a', { version: version(1), localFlags: FLAG_RECEIVE_ONLY }), newest), 'extra')
  assert.equal(itemState(file('a', { version: version(1), localFlags: FLAG_IGNORED }), newest), 'ignored')
})

test('another device has the newest version, an older one or none', () => {
  assert.equal(deviceVersion(newest, newest), 'newest')
  assert.equal(deviceVersion(older, newest), 'older')
  assert.equal(deviceVersion(undefined, newest), 'none')
  assert.equal(deviceVersion(deletion('a', { version: version(1) }), newest), 'none')
  assert.equal(deviceVersion(file('a', { version: version(2), localFlags: FLAG_REMOTE_INVALID }), newest), 'none')
  const gone = deletion('a', { version: version(3) })
  assert.equal(deviceVersion(gone, gone), 'newest')
  assert.equal(deviceVersion(newest, gone), 'older')
})

test('the action for a needed item', () => {
  assert.equal(waitingAction(undefined, newest), 'download')
  assert.equal(waitingAction(older, newest), 'metadata', 'the same blocks')
  assert.equal(waitingAction(file('a', { blockHashes: blocks('other') }), newest), 'download')
  assert.equal(waitingAction(deletion('a'), newest), 'download')
  assert.equal(waitingAction(directory('a'), newest), 'download')
  assert.equal(waitingAction(undefined, directory('a')), 'directory')
  assert.equal(waitingAction(undefined, file('a', { type: 'symlink', symlinkTarget: 'b' })), 'symlink')
  assert.equal(waitingAction(older, deletion('a')), 'delete')
})
