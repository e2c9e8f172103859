import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Config } from '../../../src/core/config/config.ts'
import {
  patchDefaultsFolder,
  patchDevice,
  patchFolder,
  patchGui,
  patchOptions,
  removeDevice,
  removeFolder,
  upsertDevice,
  upsertFolder,
  upsertFolders,
} from '../../../src/core/config/config-edit.ts'
import type { Json } from '../../../src/core/config/config-json.ts'
import { parseFolderId, type FolderId } from '../../../src/core/ids.ts'
import { LAPTOP, LOCAL_ID, fullConfig, newConfig, prepared } from '../../support/config.ts'

function folderId(text: string): FolderId {
  const id = parseFolderId(text)
  assert.ok(id)
  return id
}

function folderOf(config: Config, id: string) {
  const folder = config.folders.find((one) => one.id === id)
  assert.ok(folder, `folder ${id}`)
  return folder
}

test('a folder needs id and path; the rest comes from the defaults of the configuration', () => {
  const base = patchDefaultsFolder(newConfig(), {
    rescanIntervalS: 77,
    versioning: { type: 'trashcan', params: { cleanoutDays: '9' } },
  })
  const folder = folderOf(upsertFolder(base, { id: 'a', path: '/a' }), 'a')
  assert.equal(folder.rescanIntervalS, 77)
  assert.deepEqual(folder.versioning.params, { cleanoutDays: '9' })
})

test('a partial versioning of a new folder starts from the defaults of versioning', () => {
  const base = patchDefaultsFolder(newConfig(), {
    versioning: { type: 'trashcan', fsPath: '/old', params: { cleanoutDays: '9' } },
  })
  const folder = folderOf(
    upsertFolder(base, { id: 'a', path: '/a', versioning: { type: 'simple', params: { keep: '2' } } }),
    'a',
  )
  assert.deepEqual(folder.versioning, {
    type: 'simple',
    params: { keep: '2' },
    cleanupIntervalS: 3600,
    fsPath: '',
    fsType: 'basic',
  })
})

test('an upsert replaces the folder of that id as a whole', () => {
  const before = fullConfig()
  const after = upsertFolder(before, { id: 'photos', path: '/new' })
  assert.equal(after.folders.length, before.folders.length)
  assert.equal(folderOf(after, 'photos').label, '')
})

test('a new folder without a path is refused instead of using the home directory', () => {
  assert.throws(() => prepared(upsertFolder(newConfig(), { id: 'a' })), {
    code: 'config-invalid',
    message: 'folder "a": folder has empty path',
  })
  assert.throws(() => prepared(upsertFolder(newConfig(), { path: '/a' })), {
    code: 'config-invalid',
    message: 'folder has empty ID',
  })
})

test('a list of folders adds and replaces, and removes nothing', () => {
  const after = upsertFolders(fullConfig(), [
    { id: 'inbox', path: '/i' },
    { id: 'zoo', path: '/z' },
  ])
  assert.deepEqual(after.folders.map((one) => one.id).sort(), [
    'abcde-fghij',
    'inbox',
    'photos',
    'shared',
    'vault',
    'zoo',
  ])
})

test('names match in any case, unknown names and null are ignored', () => {
  const after = patchFolder(fullConfig(), folderId('inbox'), {
    LABEL: 'Eingang',
    nonsense: 3,
    order: null,
    RescanIntervals: 5,
  })
  assert.equal(folderOf(after, 'inbox').label, 'Eingang')
  assert.equal(folderOf(after, 'inbox').rescanIntervalS, 5)
  assert.equal(folderOf(after, 'inbox').order, 'random')
})

test('a patch merges objects and replaces lists', () => {
  const after = patchFolder(fullConfig(), folderId('shared'), {
    versioning: { type: 'trashcan' },
    devices: [],
    minDiskFree: { value: 5 },
  })
  const folder = folderOf(prepared(after), 'shared')
  assert.deepEqual(folder.versioning.params, { cleanoutDays: '14', keep: '5' })
  assert.equal(folder.versioning.type, 'trashcan')
  assert.deepEqual(
    folder.devices.map((one) => one.deviceID),
    [LOCAL_ID],
  )
  assert.deepEqual(folder.minDiskFree, { value: 5, unit: '%' })
})

test('a patch that changes the id makes a copy', () => {
  const after = patchFolder(fullConfig(), folderId('inbox'), { id: 'inbox2' })
  assert.equal(folderOf(after, 'inbox2').path, folderOf(after, 'inbox').path)
})

test('a missing entry cannot be patched, and may be removed', () => {
  assert.throws(() => patchFolder(newConfig(), folderId('x'), {}), {
    code: 'folder-missing',
    message: 'No folder with given ID',
  })
  assert.throws(() => patchDevice(newConfig(), LAPTOP, {}), {
    code: 'device-missing',
    message: 'No device with given ID',
  })
  assert.deepEqual(removeFolder(newConfig(), folderId('x')), newConfig())
  assert.deepEqual(removeDevice(newConfig(), LAPTOP), newConfig())
})

test('our own device is added again after its removal, an empty device id is dropped', () => {
  assert.ok(prepared(removeDevice(fullConfig(), LOCAL_ID)).devices.some((one) => one.deviceID === LOCAL_ID))
  assert.deepEqual(prepared(upsertDevice(newConfig(), { deviceID: '' })), newConfig())
  assert.equal(upsertDevice(newConfig(), { deviceID: LAPTOP.toLowerCase() }).devices[1]?.deviceID, LAPTOP)
})

const wrong: [name: string, act: () => Config, path: RegExp][] = [
  [
    'text for a number',
    () => patchFolder(fullConfig(), folderId('inbox'), { rescanIntervalS: '60' }),
    /^rescanIntervalS: must be a whole number/,
  ],
  [
    'fraction for a whole number',
    () => patchFolder(fullConfig(), folderId('inbox'), { maxConflicts: 1.5 }),
    /^maxConflicts: must be a whole number/,
  ],
  [
    'text for a switch',
    () => patchFolder(fullConfig(), folderId('inbox'), { paused: 'yes' }),
    /^paused: must be true or false, not a string/,
  ],
  ['number for a text', () => patchGui(fullConfig(), { user: 7 }), /^user: must be a text, not such a number/],
  [
    'text for a list',
    () => patchOptions(fullConfig(), { listenAddresses: 'default' }),
    /^listenAddresses: must be a list/,
  ],
  [
    'number in a list',
    () => patchOptions(fullConfig(), { listenAddresses: ['default', 1] }),
    /^listenAddresses\[1\]: must be a text/,
  ],
  [
    'list for an object',
    () => patchFolder(fullConfig(), folderId('inbox'), { versioning: [] }),
    /^versioning: must be an object/,
  ],
  [
    'number for a parameter',
    () => patchFolder(fullConfig(), folderId('inbox'), { versioning: { params: { keep: 5 } } }),
    /^versioning\.params\.keep: must be a text/,
  ],
  [
    'bad device id',
    () => upsertDevice(fullConfig(), { deviceID: 'XX' }),
    /^deviceID: "XX": device ID invalid: incorrect length/,
  ],
  [
    'bad nested device id',
    () => upsertFolder(fullConfig(), { id: 'a', path: '/a', devices: [{ deviceID: 'XX' }] }),
    /^devices\[0\]\.deviceID: /,
  ],
  [
    'a character that a file cannot hold',
    () => patchFolder(fullConfig(), folderId('inbox'), { label: 'a\u0001' }),
    /^label: holds a character/,
  ],
  [
    'half a character',
    () => patchFolder(fullConfig(), folderId('inbox'), { label: '\ud83d' }),
    /^label: holds a character/,
  ],
  ['a body that is a list', () => patchGui(fullConfig(), []), /the body: must be an object/],
]
for (const [name, act, path] of wrong) {
  test(`refused with its path: ${name}`, () => assert.throws(act, { code: 'bad-request', message: path }))
}

test('a refusal never repeats the value: it may be a password', () => {
  assert.throws(
    () => patchGui(fullConfig(), { password: ['hunter2'] }),
    (error: Error) => !error.message.includes('hunter2'),
  )
})

test('keys of the prototype are ignored', () => {
  const json: Json = JSON.parse(
    '{"__proto__": {"paused": true}, "constructor": 1, "versioning": {"params": {"__proto__": "x"}}}',
  )
  const folder = folderOf(patchFolder(fullConfig(), folderId('inbox'), json), 'inbox')
  assert.ok(!('polluted' in {}))
  assert.equal(Object.getPrototypeOf(folder), Object.prototype)
  assert.ok(Object.hasOwn(folder.versioning.params, '__proto__'))
})
