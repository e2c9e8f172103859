import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Config } from '../../../src/core/config/config.ts'
import {
  configToJson,
  patchDefaultsFolder,
  patchDevice,
  patchFolder,
  patchGui,
  patchOptions,
  removeDevice,
  removeFolder,
  replaceConfig,
  replaceDefaultsDevice,
  replaceDefaultsFolder,
  replaceDefaultsIgnores,
  replaceGui,
  replaceLdap,
  replaceOptions,
  upsertDevice,
  upsertFolder,
  upsertFolders,
} from '../../../src/core/config/config-edit.ts'
import type { Json, JsonObject } from '../../../src/core/config/config-json.ts'
import { parseFolderId, type FolderId } from '../../../src/core/ids.ts'
import { LAPTOP, OWN, SERVER, fullConfig, newConfig, prepared } from '../../support/config.ts'

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
    [OWN],
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
  assert.ok(prepared(removeDevice(fullConfig(), OWN)).devices.some((one) => one.deviceID === OWN))
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

test('replacing the options sets hard defaults, but enables no network feature implicitly', () => {
  const { options } = replaceOptions(newConfig(), { maxSendKbps: 5, keepTemporariesH: 3 })
  assert.equal(options.maxSendKbps, 5)
  assert.equal(options.tempIndexMinBlocks, 10)
  for (const key of [
    'globalAnnounceEnabled',
    'localAnnounceEnabled',
    'relaysEnabled',
    'natEnabled',
    'crashReportingEnabled',
  ] as const) {
    assert.equal(options[key], false, key)
  }
  assert.equal(options.urAccepted, -1)
  assert.equal(replaceOptions(newConfig(), { relaysEnabled: true }).options.relaysEnabled, true)
})

test('replacing the gui settings keeps the API key unless one is given', () => {
  const before = fullConfig()
  assert.equal(replaceGui(before, { user: 'x' }).gui.apiKey, before.gui.apiKey)
  assert.equal(replaceGui(before, { apiKey: '' }).gui.apiKey, before.gui.apiKey)
  assert.equal(replaceGui(before, { apiKey: 'new' }).gui.apiKey, 'new')
  assert.equal(replaceGui(before, {}).gui.address, '127.0.0.1:8384')
})

test('defaults and ldap are replaced from hard defaults', () => {
  assert.equal(replaceLdap(fullConfig(), {}).ldap.address, '')
  assert.equal(replaceDefaultsFolder(fullConfig(), { id: 'x', label: 'l' }).defaults.folder.id, '')
  assert.equal(replaceDefaultsFolder(fullConfig(), {}).defaults.folder.path, '~')
  assert.equal(replaceDefaultsDevice(fullConfig(), { deviceID: LAPTOP }).defaults.device.deviceID, '')
  assert.deepEqual(replaceDefaultsIgnores(fullConfig(), { lines: ['*.tmp'] }).defaults.ignores.lines, ['*.tmp'])
  assert.deepEqual(replaceDefaultsIgnores(fullConfig(), {}).defaults.ignores.lines, [])
})

function body(changes: { readonly [key: string]: Json | undefined }): Json {
  const entries = Object.entries({ ...configToJson(fullConfig()), ...changes })
  return Object.fromEntries(entries.filter((entry): entry is [string, Json] => entry[1] !== undefined)) as JsonObject
}

test('a whole configuration replaces itself without a change', () => {
  assert.deepEqual(prepared(replaceConfig(fullConfig(), body({}), OWN)), fullConfig())
})

for (const part of ['version', 'gui', 'options', 'devices', 'folders']) {
  test(`a whole configuration without ${part} is refused, by name`, () => {
    const refusal = { code: 'bad-request', message: new RegExp(`lacks ${part}`) }
    assert.throws(() => replaceConfig(fullConfig(), body({ [part]: undefined }), OWN), refusal)
    assert.throws(() => replaceConfig(fullConfig(), body({ [part]: null }), OWN), refusal)
  })
}

const refusedWhole: [name: string, changes: { readonly [key: string]: Json }, message: RegExp][] = [
  ['a version above ours', { version: 99_999 }, /version: 99999 is newer/],
  ['an invalid version', { version: 'x' }, /version: must be a whole number/],
  ['a body without our own device', { devices: [{ deviceID: LAPTOP }] }, new RegExp(`lacks our own device ${OWN}`)],
  ['a folder without id', { folders: [{ path: '/a' }] }, /folder has empty ID/],
  ['a folder without path', { folders: [{ id: 'q' }] }, /folder "q": folder has empty path/],
  [
    'two folders of one id',
    {
      folders: [
        { id: 'x', path: '/a' },
        { id: 'x', path: '/b' },
      ],
    },
    /folder "x": folder has duplicate ID/,
  ],
  ['folders that are not a list', { folders: {} }, /folders: must be a list/],
]
for (const [name, changes, message] of refusedWhole) {
  test(`a whole configuration is refused with 400: ${name}`, () => {
    assert.throws(() => replaceConfig(fullConfig(), body(changes), OWN), { code: 'bad-request', message })
  })
}

test('a whole configuration cannot change the file format, and keeps the key', () => {
  const gui = { ...Object(body({})).gui, apiKey: '' }
  const after = replaceConfig(fullConfig(), body({ version: 52, gui }), OWN)
  assert.equal(after.version, 37)
  assert.equal(after.gui.apiKey, fullConfig().gui.apiKey)
  assert.ok(after.devices.some((one) => one.deviceID === SERVER))
})
