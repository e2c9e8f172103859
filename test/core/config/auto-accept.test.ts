import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  directoryNameOf,
  isAutoAccepted,
  pathsFor,
  withAccepted,
  type OfferedFolder,
} from '../../../src/core/config/auto-accept.ts'
import type { Config, DeviceConfig } from '../../../src/core/config/config.ts'
import { DEVICE } from '../../../src/core/config/config-fields.ts'
import { defaultsOf } from '../../../src/core/config/field.ts'
import { deviceIdFromBytes } from '../../../src/core/device-id.ts'
import { plainText } from '../../../src/core/formats/plain-text.ts'
import { newConfig, LOCAL_ID } from '../../support/config.ts'
import { reportRow } from '../../support/effort.ts'
import { folderId, simFolder } from '../../support/model.ts'

const SERVER = deviceIdFromBytes(new Uint8Array(32).fill(5))

function offer(folder: string, changes: Partial<OfferedFolder> = {}): OfferedFolder {
  return { folder: folderId(folder), label: '', receiveEncrypted: false, remoteEncrypted: false, ...changes }
}

function configOf(server: Partial<DeviceConfig> = {}, path = '~'): Config {
  const config = newConfig()
  const device: DeviceConfig = { ...defaultsOf(DEVICE), deviceID: SERVER, autoAcceptFolders: true, ...server }
  return {
    ...config,
    folders: [],
    devices: [...config.devices, device],
    defaults: { ...config.defaults, folder: { ...config.defaults.folder, path } },
  }
}

test('labels give the same directory names as in Syncthing', () => {
  for (const [label, name] of [
    ['My Label/odd:name?', 'My Label odd name'],
    ['photos', 'photos'],
    ['  a \t b ', 'a b'],
    ['Ünïcode 日本', 'Ünïcode 日本'],
    ['con', '-con'],
    ['LPT1.txt', '-LPT1.txt'],
    ['console', 'console'],
  ] as const) {
    assert.equal(directoryNameOf(label), name)
  }
})

test('N-10: any untrusted label or name becomes one safe directory name, one line of text, or nothing', () => {
  const nasty = [
    '..',
    '.',
    '...',
    '~',
    '~root',
    '../../etc',
    '/etc/passwd',
    'C:\\Windows',
    '.ssh',
    '.bashrc',
    '',
    ' ',
    '\0',
    'a\0b',
    'x\r\nSet-Cookie: y',
    '\u202egpj.exe',
    'nul',
    'a'.repeat(10_000),
    '$(reboot)',
    '`reboot`',
    '%2e%2e%2f',
    '\ud800',
    '<script>',
    'a/../..',
    '..\\..',
    'x.',
    'x ',
    '-rf',
  ]
  let tried = 0
  let bad = 0
  const check = (text: string): void => {
    tried++
    const name = directoryNameOf(text)
    const isBad =
      /[/\\\p{C}:*?"<>|`$]/u.test(name) ||
      /^[.~\s]|[.\s]$/u.test(name) ||
      Buffer.byteLength(name) > 121 ||
      !name.isWellFormed()
    const line = plainText(text, 100)
    if (isBad || /[\p{C}\p{Zl}\p{Zp}]/u.test(line) || line.length > 100) bad++
    for (const path of pathsFor(configOf({}, '/data'), { ...offer('x'), label: text }))
      if (!/^\/data\/[^/]+$/.test(path)) bad++
  }
  nasty.forEach(check)
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 300 }), check))
  reportRow({ id: 'N-10', tried, bad })
  assert.equal(bad, 0)
})

test('a folder is created in the default path by its label, or its id, with the defaults and a trash can', () => {
  const config = configOf({}, '~/Sync/')
  const wanted = offer('abc-12', { label: 'My photos' })
  assert.deepEqual(pathsFor(config, wanted), ['~/Sync/My photos', '~/Sync/abc-12'])
  assert.deepEqual(pathsFor(config, offer('..', { label: '..' })), [])
  assert.equal(isAutoAccepted(config, SERVER, offer('..', { label: '~' })), false)
  const next = withAccepted(config, SERVER, wanted, '~/Sync/My photos')
  assert.deepEqual(next.folders, [
    {
      ...config.defaults.folder,
      id: 'abc-12',
      label: 'My photos',
      path: '~/Sync/My photos',
      versioning: { ...config.defaults.folder.versioning, type: 'trashcan', params: { cleanoutDays: '30' } },
      devices: [...config.defaults.folder.devices, { deviceID: SERVER, introducedBy: '', encryptionPassword: '' }],
    },
  ])
  assert.equal(withAccepted(next, SERVER, wanted, '~/elsewhere'), next)
})

test('no folder is accepted from other devices, nor an ignored one, one with a password, or beyond the limit', () => {
  const wanted = offer('docs')
  assert.equal(isAutoAccepted(configOf(), SERVER, wanted), true)
  assert.equal(isAutoAccepted(configOf(), LOCAL_ID, wanted), false)
  assert.equal(isAutoAccepted(configOf({ autoAcceptFolders: false }), SERVER, wanted), false)
  assert.equal(isAutoAccepted(configOf({ untrusted: true }), SERVER, wanted), false)
  assert.equal(
    isAutoAccepted(configOf({ ignoredFolders: [{ id: 'docs', label: '', time: '' }] }), SERVER, wanted),
    false,
  )
  assert.equal(isAutoAccepted(configOf(), SERVER, offer('docs', { remoteEncrypted: true })), false)
  const full = { ...configOf(), folders: Array.from({ length: 1_000 }, (_, i) => simFolder(`f${i}`)) }
  assert.equal(isAutoAccepted(full, SERVER, wanted), false)
})

test('data that is encrypted for us is accepted as an encrypted folder', () => {
  const hidden = offer('docs', { receiveEncrypted: true })
  const { folders } = withAccepted(configOf(), SERVER, hidden, '/data/docs')
  assert.equal(folders.find(({ id }) => id === 'docs')?.type, 'receiveencrypted')
  for (const [type, expected] of [
    ['sendreceive', false],
    ['receiveencrypted', true],
  ] as const) {
    const config = { ...configOf(), folders: [simFolder('docs', { type, devices: [] })] }
    assert.equal(isAutoAccepted(config, SERVER, hidden), expected)
  }
})

test('an existing folder is shared with the device, unless it holds encrypted data', () => {
  const config = { ...configOf(), folders: [simFolder('docs', { devices: [] })] }
  const next = withAccepted(config, SERVER, offer('docs'), undefined)
  assert.deepEqual(next.folders[0]?.devices, [{ deviceID: SERVER, introducedBy: '', encryptionPassword: '' }])
  assert.equal(isAutoAccepted(next, SERVER, offer('docs')), false)
  assert.equal(
    isAutoAccepted(
      { ...config, folders: [simFolder('docs', { type: 'receiveencrypted', devices: [] })] },
      SERVER,
      offer('docs'),
    ),
    false,
  )
})
