import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  configToJson,
  replaceConfig,
  replaceDefaultsDevice,
  replaceDefaultsFolder,
  replaceDefaultsIgnores,
  replaceGui,
  replaceLdap,
  replaceOptions,
} from '../../../src/core/config/config-edit.ts'
import type { Json, JsonObject } from '../../../src/core/config/config-json.ts'
import { LAPTOP, LOCAL_ID, SERVER, fullConfig, newConfig, prepared } from '../../support/config.ts'

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
  assert.deepEqual(prepared(replaceConfig(fullConfig(), body({}), LOCAL_ID)), fullConfig())
})

for (const part of ['version', 'gui', 'options', 'devices', 'folders']) {
  test(`a whole configuration without ${part} is refused, by name`, () => {
    const refusal = { code: 'bad-request', message: new RegExp(`lacks ${part}`) }
    assert.throws(() => replaceConfig(fullConfig(), body({ [part]: undefined }), LOCAL_ID), refusal)
    assert.throws(() => replaceConfig(fullConfig(), body({ [part]: null }), LOCAL_ID), refusal)
  })
}

const refusedWhole: [name: string, changes: { readonly [key: string]: Json }, message: RegExp][] = [
  ['a version above ours', { version: 99_999 }, /version: 99999 is newer/],
  ['an invalid version', { version: 'x' }, /version: must be a whole number/],
  [
    'a body without our own device',
    { devices: [{ deviceID: LAPTOP }] },
    new RegExp(`lacks our own device ${LOCAL_ID}`),
  ],
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
    assert.throws(() => replaceConfig(fullConfig(), body(changes), LOCAL_ID), { code: 'bad-request', message })
  })
}

test('a whole configuration cannot change the file format, and keeps the key', () => {
  const gui = { ...Object(body({})).gui, apiKey: '' }
  const after = replaceConfig(fullConfig(), body({ version: 52, gui }), LOCAL_ID)
  assert.equal(after.version, 37)
  assert.equal(after.gui.apiKey, fullConfig().gui.apiKey)
  assert.ok(after.devices.some((one) => one.deviceID === SERVER))
})
