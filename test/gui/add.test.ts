/** Checks of the dialogs before a request to the daemon: paths of folders, ids, shared devices, passwords. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { PASSWORD_BYTES, passwordFrom, strengthOf } from '../../src/core/encryption/folder-password.ts'
import { folderIdFrom, pathTrouble, suggestedPath, wholePath } from '../../gui/view-model/folder-path.ts'
import { pathAdvice } from '../../gui/view-model/path-advice.ts'
import { loginTrouble } from '../../gui/view-model/password.ts'
import {
  changedShares,
  foldersSharedWith,
  sameShares,
  shareList,
  sharesOf,
  withShare,
} from '../../gui/view-model/share.ts'
import { FOLDER } from '../../src/core/config/config-fields.ts'
import { defaultsOf } from '../../src/core/config/field.ts'
import type { FolderConfig } from '../../src/core/config/config.ts'
import { parseDeviceId } from '../../src/core/device-id.ts'
import { parseFolderId } from '../../src/core/ids.ts'
import { LAPTOP, SERVER } from '../support/config.ts'

const folder = (id: string, path: string): FolderConfig => ({ ...defaultsOf(FOLDER), id: parseFolderId(id)!, path })
const [laptop, server] = [parseDeviceId(LAPTOP), parseDeviceId(SERVER)]

test('a folder is placed below the default path, by its name, and nowhere else', () => {
  assert.equal(suggestedPath('~', 'Holiday 2024', '/'), '~/Holiday 2024')
  assert.equal(suggestedPath('/srv/', 'Photos', '/'), '/srv/Photos')
  assert.equal(suggestedPath('', 'a', '/'), '~/a')
  fc.assert(
    fc.property(fc.string(), (name) => {
      const path = suggestedPath('/srv', name, '/')
      assert.ok(path.startsWith('/srv/'))
      assert.ok(!path.slice('/srv/'.length).includes('/') && !path.split('/').includes('..'))
    }),
  )
})

const fine = { path: '/srv/a', problem: null, warnings: [], exists: true, freeBytes: 5e9 }
const refused = (
  code: 'contains-home' | 'user-home' | 'missing-parent' | 'not-a-directory' | 'unreadable' | 'read-only',
) => ({ ...fine, problem: { code, text: '' } }) as const
const inside = { kind: 'inside', folder: { id: parseFolderId('b')!, label: 'B' } } as const
const ADVICE: readonly [
  kind: string,
  key: string,
  ...(Parameters<typeof pathAdvice> extends [...infer A, unknown] ? A : never),
][] = [
  ['error', 'add.pathMissing', '', undefined, undefined],
  ['error', 'add.pathRelative', 'photos', undefined, undefined],
  ['error', 'add.pathTaken', '/srv/a', { ...inside, kind: 'same' }, fine],
  ['error', 'add.path.contains-home', '/home', undefined, refused('contains-home')],
  ['error', 'add.path.user-home', '/home/a', undefined, refused('user-home')],
  ['error', 'add.path.missing-parent', '/mnt/a', undefined, refused('missing-parent')],
  ['error', 'add.path.not-a-directory', '/srv/a', undefined, refused('not-a-directory')],
  ['error', 'add.path.unreadable', '/srv/a', undefined, refused('unreadable')],
  ['error', 'add.path.read-only', '/srv/a', inside, refused('read-only')],
  ['warning', 'add.pathInside', '/srv/a', inside, fine],
  ['warning', 'add.pathAround', '/srv/a', { ...inside, kind: 'around' }, undefined],
  ['warning', 'add.pathLow', '/srv/a', undefined, { ...fine, freeBytes: 1e8 }],
  ['help', 'add.pathHelp', '/srv/a', undefined, undefined],
  ['help', 'add.pathIsThereFree', '/srv/a', undefined, fine],
  ['help', 'add.pathIsNewFree', '/srv/a', undefined, { ...fine, exists: false }],
  ['help', 'add.pathIsThere', '/srv/a', undefined, { ...fine, freeBytes: null }],
  ['help', 'add.pathIsNew', 'C:\\a', undefined, { ...fine, exists: false, freeBytes: null }],
]

for (const [kind, key, whole, trouble, check] of ADVICE) {
  test(`advice about a path: ${key}`, () => {
    const advice = pathAdvice(whole, trouble, check, String)
    assert.deepEqual([advice.kind, advice.key], [kind, key])
  })
}

test('two folders at one path are distinguished from one inside the other', () => {
  const folders = [folder('a', '~/Photos'), folder('b', '/srv/docs/')]
  const kind = (path: string) => pathTrouble(path, folders, '/home/anna', '/')?.kind
  assert.equal(kind('/home/anna/Photos/'), 'same')
  assert.equal(kind('/home/anna/Photos/2024'), 'inside')
  assert.equal(kind('/srv'), 'around')
  assert.equal(kind('/srv/docs2'), undefined)
  assert.equal(wholePath('~other', '/home/anna', '/'), '~other')
})

test('a new id is short enough to be read aloud', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 10, maxLength: 10 }), (bytes) => {
      assert.match(folderIdFrom(bytes), /^[a-z2-7]{5}-[a-z2-7]{5}$/)
    }),
  )
})

test('sharing keeps the introducer of a device, and the own device', () => {
  const before = [
    { deviceID: server, introducedBy: '' as const, encryptionPassword: '' },
    { deviceID: laptop, introducedBy: server, encryptionPassword: 'old' },
  ]
  const shares = sharesOf(before, server)
  assert.deepEqual(shares, { [laptop]: 'old' })
  assert.deepEqual(shareList(before, { [laptop]: 'new' }, server), [
    before[0],
    { ...before[1], encryptionPassword: 'new' },
  ])
  assert.deepEqual(shareList(before, {}, server), [before[0]])
  assert.ok(sameShares(shares, { [laptop]: 'old' }))
  assert.ok(!sameShares(shares, { [laptop]: '' }))
  assert.ok(!sameShares(shares, {}))
})

test('only the folders of a changed choice are updated', () => {
  const shared = (password: string) => [
    { deviceID: server, introducedBy: '' as const, encryptionPassword: '' },
    { deviceID: laptop, introducedBy: server, encryptionPassword: password },
  ]
  const folders = [
    { ...folder('a', '/a'), devices: shared('') },
    { ...folder('b', '/b'), devices: shared('x') },
    folder('c', '/c'),
    folder('d', '/d'),
  ]
  const now = foldersSharedWith(folders, laptop)
  assert.deepEqual(now, { a: '', b: 'x' })
  assert.deepEqual(changedShares(folders, laptop, now), [])
  const next = withShare(withShare(withShare(now, 'a', undefined), 'b', 'y'), 'c', '')
  assert.deepEqual(changedShares(folders, laptop, next), [
    { id: 'a', devices: [shared('')[0]] },
    { id: 'b', devices: shared('y') },
    { id: 'c', devices: [{ deviceID: laptop, encryptionPassword: '' }] },
  ])
})

test('a login is saved only with user and password', () => {
  const draft = { user: 'anna', password: 'secret', repeated: 'secret', hasPassword: false }
  assert.equal(loginTrouble(draft), undefined)
  assert.equal(loginTrouble({ ...draft, user: ' ' }), 'userMissing')
  assert.equal(loginTrouble({ ...draft, password: '', repeated: '' }), 'passwordMissing')
  assert.equal(loginTrouble({ ...draft, password: '', repeated: '', hasPassword: true }), undefined)
  assert.equal(loginTrouble({ ...draft, repeated: 'secert' }), 'passwordsDiffer')
  const long = 'ä'.repeat(37)
  assert.equal(loginTrouble({ ...draft, password: long, repeated: long }), 'passwordLong')
})

test('the strength of a password for untrusted devices: length and variety count, repetition does not', () => {
  for (const weak of ['', 'a', 'secret', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'abababababababababab', '12345678']) {
    assert.equal(strengthOf(weak), 'weak', weak)
  }
  assert.equal(strengthOf('correct horse'), 'fair')
  assert.equal(strengthOf('correct horse battery staple'), 'strong')
})

test('a generated password is strong, and typed without confusion', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: PASSWORD_BYTES, maxLength: PASSWORD_BYTES }), (bytes) => {
      assert.match(passwordFrom(bytes), /^[a-km-np-z2-9]{5}(?:-[a-km-np-z2-9]{5}){4}$/)
    }),
  )
  const bytes = Uint8Array.from({ length: PASSWORD_BYTES }, (_, i) => (i * 37) % 256)
  assert.equal(strengthOf(passwordFrom(bytes)), 'strong')
})
