import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ShortId } from '../../../src/core/ids.ts'
import {
  acceptedDeletion,
  encodeGone,
  encodeKept,
  keptFileOf,
  keptState,
  parseKept,
  type KeptFile,
} from '../../../src/core/records/kept-file.ts'
import { recordFor } from '../../model/puller/sim-peer.ts'

const VERSION = [{ device: 0xfedcba9876543210n as ShortId, value: 7n }]
const DELETION = { ...recordFor('d/ü', '', VERSION, { deleted: true }), modifiedS: 99 }
const OPTIONS = { ignorePerms: false, modTimeWindowMs: 0 }

function kept(changes: Partial<KeptFile['file']> = {}): KeptFile {
  return keptFileOf({ ...recordFor('d/ü', 'content', []), diskStamp: 5, ...changes }, DELETION)
}

function item(changes: object = {}) {
  const { name, sizeBytes, modifiedS, modifiedNs } = kept().file
  return { name, type: 'file' as const, sizeBytes, modifiedS, modifiedNs, mode: 0o644, symlinkTarget: '', ...changes }
}

test('a kept file is read back as it was written', () => {
  for (const each of [
    kept(),
    kept({ diskStamp: undefined, diskTime: { modifiedS: 4, modifiedNs: 0 } }),
    { ...kept({ noPermissions: true, permissions: 0 }), isReturning: true },
  ]) {
    const read = parseKept(encodeKept(each))
    assert.ok(read?.kind === 'kept')
    assert.equal(encodeKept(read.kept), encodeKept(each))
    assert.deepEqual(read.kept.deletion, VERSION)
  }
  assert.deepEqual(parseKept(encodeGone('a')), { kind: 'gone', name: 'a' })
})

test('a torn or foreign line is none', () => {
  const line = encodeKept(kept())
  for (let length = 0; length < line.length; length++) assert.equal(parseKept(line.slice(0, length)), undefined)
  const bad = [
    'null',
    '[]',
    '{}',
    '1',
    '{"name":"a"}',
    '{"name":"../a","gone":true}',
    '{"name":".stfolder","gone":true}',
  ]
  for (const text of bad) assert.equal(parseKept(text), undefined, text)
  const fields = JSON.parse(line) as Record<string, unknown>
  for (const [name, value] of [
    ['size', '7'],
    ['modified', 7],
    ['stamp', 'x'],
    ['by', 'XYZ'],
    ['version', [['1']]],
    ['version', undefined],
  ] as const) {
    assert.equal(parseKept(JSON.stringify({ ...fields, [name]: value })), undefined, name)
  }
})

test('a kept file is the same until it is edited', () => {
  assert.equal(keptState(kept(), item(), OPTIONS), 'same')
  assert.equal(keptState(kept(), item({ sizeBytes: 8 }), OPTIONS), 'edited')
  assert.equal(keptState(kept(), item({ modifiedS: 8 }), OPTIONS), 'edited')
  assert.equal(keptState(kept(), item({ mode: 0o600 }), OPTIONS), 'edited')
  assert.equal(keptState(kept(), item({ mode: 0o600 }), { ...OPTIONS, ignorePerms: true }), 'same')
  assert.equal(keptState(kept(), item({ type: 'symlink' }), OPTIONS), 'edited')
  assert.equal(keptState(kept(), item({ changeStamp: 1, inode: 2 }), OPTIONS), 'suspect')
  assert.equal(keptState({ ...kept(), isReturning: true }, item(), OPTIONS), 'edited', 'it is to be announced')
})

test('the deletion of a kept file is a record on which its next version can be based', () => {
  const { deleted, modifiedS, version, name } = acceptedDeletion(kept())
  assert.deepEqual([deleted, modifiedS, version, name], [true, 99, VERSION, 'd/ü'])
})
