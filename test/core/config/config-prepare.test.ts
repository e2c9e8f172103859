import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  patchDevice,
  patchFolder,
  patchGui,
  patchOptions,
  upsertDevice,
  upsertFolder,
} from '../../../src/core/config/config-edit.ts'
import type { Json } from '../../../src/core/config/config-json.ts'
import { prepareConfig } from '../../../src/core/config/config-prepare.ts'
import type { FolderId } from '../../../src/core/ids.ts'
import { LAPTOP, LOCAL_ID, SERVER, fullConfig, newConfig, prepared } from '../../support/config.ts'

const INBOX = 'inbox' as FolderId

function inbox(json: Json) {
  const folder = prepared(patchFolder(fullConfig(), INBOX, json)).folders.find((one) => one.id === INBOX)
  assert.ok(folder)
  return folder
}

test('a new configuration contains our device with the host name, and a key', () => {
  const config = newConfig()
  assert.deepEqual(
    config.devices.map((one) => [one.deviceID, one.name, one.addresses]),
    [[LOCAL_ID, 'host', ['dynamic']]],
  )
  assert.equal(config.gui.apiKey, 'k'.repeat(32))
  assert.deepEqual(
    config.defaults.folder.devices.map((one) => one.deviceID),
    [LOCAL_ID],
  )
})

test('a new configuration makes no external connections', () => {
  const { options } = newConfig()
  const quiet = [
    options.globalAnnounceEnabled,
    options.localAnnounceEnabled,
    options.relaysEnabled,
    options.natEnabled,
    options.crashReportingEnabled,
    options.startBrowser,
  ]
  assert.deepEqual(
    quiet,
    quiet.map(() => false),
  )
  assert.deepEqual([options.stunKeepaliveStartS, options.urAccepted, options.autoUpgradeIntervalH], [0, -1, 0])
})

const bounds: [name: string, json: Json, field: string, expected: unknown][] = [
  ['a negative rescan interval is 0', { rescanIntervalS: -1 }, 'rescanIntervalS', 0],
  ['a rescan interval is a year at most', { rescanIntervalS: 10 ** 12 }, 'rescanIntervalS', 31_536_000],
  ['no watcher delay turns watching off', { fsWatcherDelayS: 0 }, 'fsWatcherEnabled', false],
  ['no watcher delay is the default delay', { fsWatcherDelayS: 0 }, 'fsWatcherDelayS', 10],
  ['a tiny watcher delay is a hundredth', { fsWatcherDelayS: 0.0001 }, 'fsWatcherDelayS', 0.01],
  ['an empty marker name is the default', { markerName: '' }, 'markerName', '.stfolder'],
  ['no concurrent writes means the default', { maxConcurrentWrites: 0 }, 'maxConcurrentWrites', 2],
  ['concurrent writes have a limit', { maxConcurrentWrites: 1000 }, 'maxConcurrentWrites', 64],
  ['encrypted data keeps no permissions', { type: 'receiveencrypted' }, 'ignorePerms', true],
  ['encrypted data has no temporary indexes', { type: 'receiveencrypted' }, 'disableTempIndexes', true],
]
for (const [name, json, field, expected] of bounds) test(name, () => assert.equal(Object(inbox(json))[field], expected))

test('concurrent writes of a configuration of 2.x have another limit and default', () => {
  const writes = (version: number, maxConcurrentWrites: number) =>
    prepared({ ...patchFolder(fullConfig(), INBOX, { maxConcurrentWrites }), version }).folders.find(
      ({ id }) => id === INBOX,
    )?.maxConcurrentWrites
  assert.deepEqual([writes(37, 1_000), writes(50, 1_000), writes(52, 1_000)], [64, 256, 256])
  assert.deepEqual([writes(37, 0), writes(50, 0), writes(52, 0)], [2, 2, 16])
})

test('devices of a folder: unknown and repeated ones are removed, ours is added, sorted', () => {
  const unknown = '2OCDSFX-4C76I4L-UEAY33Z-YFOF5MK-3TVO2E6-OMM7PV3-P653IQK-IEB4PA5'
  const folder = inbox({
    devices: [{ deviceID: LAPTOP }, { deviceID: unknown }, { deviceID: LAPTOP, encryptionPassword: 'x' }],
  })
  assert.deepEqual(
    folder.devices.map((one) => [one.deviceID, one.encryptionPassword]),
    [
      [LOCAL_ID, ''],
      [LAPTOP, ''],
    ],
  )
})

test('an untrusted device needs a password, except in an encrypted folder', () => {
  const config = patchFolder(fullConfig(), INBOX, { devices: [{ deviceID: SERVER }] })
  const { config: after, notes } = prepareConfig(config, { ownDevice: LOCAL_ID, hostName: 'host', newApiKey: 'k' })
  assert.deepEqual(
    after.folders.find((one) => one.id === INBOX)?.devices.map((one) => one.deviceID),
    [LOCAL_ID],
  )
  assert.match(notes.join(), /"inbox" is not shared with untrusted device IT5Q76H/)
  assert.deepEqual(inbox({ devices: [{ deviceID: SERVER, encryptionPassword: 'p' }] }).devices.length, 2)
  assert.deepEqual(inbox({ type: 'receiveencrypted', devices: [{ deviceID: SERVER }] }).devices.length, 2)
})

test('an untrusted device is neither introducer nor auto-accepted', () => {
  const [, server] = prepared(patchDevice(fullConfig(), SERVER, { introducer: true, autoAcceptFolders: true })).devices
  assert.deepEqual([server?.introducer, server?.autoAcceptFolders], [false, false])
})

test('a device without addresses is dynamic, a retired transport is removed', () => {
  const [, server] = prepared(patchDevice(fullConfig(), SERVER, { addresses: ['kcp://1.2.3.4', 'kcp4://x'] })).devices
  assert.deepEqual(server?.addresses, ['dynamic'])
  assert.deepEqual(
    prepared(patchOptions(newConfig(), { listenAddresses: [' default ', 'kcp://:1', 'default'] })).options
      .listenAddresses,
    ['default'],
  )
})

test('ignored folders: the latest of each, without those that are shared, oldest first', () => {
  const ignoredFolders = [
    { id: 'b', time: '2024-05-01T00:00:00Z' },
    { id: 'a', time: '2024-03-01T00:00:00Z' },
    { id: 'a', time: '2024-04-01T00:00:00+02:00' },
    { id: 'inbox', time: '2024-01-01T00:00:00Z' },
  ]
  const laptop = prepared(patchDevice(fullConfig(), LAPTOP, { ignoredFolders })).devices.find(
    (one) => one.deviceID === LAPTOP,
  )
  assert.deepEqual(
    laptop?.ignoredFolders.map((one) => [one.id, one.time]),
    [
      ['a', '2024-04-01T00:00:00+02:00'],
      ['b', '2024-05-01T00:00:00Z'],
    ],
  )
})

test('a device that is configured is no longer ignored', () => {
  const unknown = fullConfig().remoteIgnoredDevices[0]?.deviceID
  assert.ok(unknown)
  assert.deepEqual(prepared(upsertDevice(fullConfig(), { deviceID: unknown })).remoteIgnoredDevices, [])
})

test('options within bounds', () => {
  const { options } = prepared(
    patchOptions(newConfig(), {
      reconnectionIntervalS: 1,
      connectionLimitEnough: -3,
      connectionLimitMax: -1,
      connectionPriorityTcpWan: 5,
      connectionPriorityQuicWan: 20,
    }),
  )
  assert.equal(options.reconnectionIntervalS, 5)
  assert.deepEqual([options.connectionLimitEnough, options.connectionLimitMax], [0, 0])
  assert.deepEqual([options.connectionPriorityTcpWan, options.connectionPriorityQuicWan], [11, 21])
})

test('the notification to set a password is removed once there is one', () => {
  assert.deepEqual(newConfig().options.unackedNotificationIDs, ['authenticationUserAndPassword', 'twinfoldNetwork'])
  assert.deepEqual(prepared(patchGui(newConfig(), { user: 'u', password: 'p' })).options.unackedNotificationIDs, [
    'twinfoldNetwork',
  ])
})

test('folders are in UTF-8 byte order', () => {
  const ids = ['\u{1f600}', '\uffee', 'b', 'a', 'ab', 'B']
  const config = ids.reduce((one, id) => upsertFolder(one, { id, path: '/x' }), newConfig())
  const expected = [...ids].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  assert.deepEqual(
    prepared(config).folders.map((one) => one.id),
    expected,
  )
})

test('normalising is idempotent', () => {
  const device = fc.constantFrom(LOCAL_ID, LAPTOP, SERVER)
  const json = fc.record({
    type: fc.constantFrom('sendreceive', 'receiveencrypted', 'nonsense'),
    rescanIntervalS: fc.integer(),
    fsWatcherDelayS: fc.double({ noNaN: true, min: -1, max: 20 }),
    maxConcurrentWrites: fc.integer(),
    markerName: fc.constantFrom('', 'm'),
    devices: fc.array(fc.record({ deviceID: device, encryptionPassword: fc.constantFrom('', 'x') })),
  })
  fc.assert(
    fc.property(json, (changes) => {
      const once = prepared(patchFolder(fullConfig(), INBOX, changes))
      assert.deepEqual(prepared(once), once)
    }),
  )
})
