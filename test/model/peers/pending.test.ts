import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Config, DeviceConfig } from '../../../src/core/config/config.ts'
import { DEVICE } from '../../../src/core/config/config-fields.ts'
import { defaultsOf } from '../../../src/core/config/field.ts'
import { deviceIdFromBytes } from '../../../src/core/device-id.ts'
import type { DeviceId } from '../../../src/core/ids.ts'
import type { IndexStore, KeyValue } from '../../../src/db/types.ts'
import type { FolderOffer } from '../../../src/model/peers/cluster-config.ts'
import { Pending } from '../../../src/model/peers/pending.ts'
import { SimClock } from '../../../src/platform/sim/clock.ts'
import { openTestStore } from '../../db/records.ts'
import { LAPTOP, LOCAL_ID, SERVER } from '../../support/config.ts'
import { quietLogger } from '../../support/logger.ts'
import { folderId, simConfig, simFolder } from '../../support/model.ts'

function device(deviceID: DeviceId, more: Partial<DeviceConfig> = {}): DeviceConfig {
  return { ...defaultsOf(DEVICE), deviceID, ...more }
}

function configOf(more: Partial<Config> = {}): Config {
  return { ...simConfig([]), devices: [device(LOCAL_ID), device(SERVER)], ...more }
}

function offer(id: string, more: Partial<FolderOffer> = {}): FolderOffer {
  return { folder: folderId(id), label: `Label ${id}`, receiveEncrypted: false, remoteEncrypted: false, ...more }
}

async function pendingIn(store: IndexStore, config = configOf()) {
  const events: string[] = []
  const log = quietLogger('model')
  const pending = new Pending(
    {
      clock: new SimClock(),
      keyValue: store.keyValue,
      log,
      events: { emit: (type, data) => void events.push(`${type} ${JSON.stringify(data)}`) },
    },
    config,
  )
  await pending.load()
  return { pending, events, log }
}

const UNKNOWN = { device: LAPTOP, name: 'laptop', address: '192.0.2.1:22000' }

test('an unknown device is reported once, and kept over a restart', async () => {
  await using store = await openTestStore(undefined)
  const { pending, events, log } = await pendingIn(store)
  pending.onUnknownDevice(UNKNOWN)
  pending.onUnknownDevice({ ...UNKNOWN, address: '192.0.2.1:40404' })
  assert.deepEqual(log.lines, [`INFO unknown device ${LAPTOP} ("laptop") connects from 192.0.2.1:22000`])
  assert.deepEqual(events, [
    `PendingDevicesChanged {"added":[{"deviceID":"${LAPTOP}","name":"laptop","address":"192.0.2.1:22000"}]}`,
    `DeviceRejected {"device":"${LAPTOP}","name":"laptop","address":"192.0.2.1:22000"}`,
  ])
  await pending.saved()
  const again = await pendingIn(store)
  assert.deepEqual(
    again.pending.devices.map(({ device: id, name }) => [id, name]),
    [[LAPTOP, 'laptop']],
  )
})

test('a configured or ignored device is not pending, and is removed when it becomes so', async () => {
  await using store = await openTestStore(undefined)
  const { pending, events } = await pendingIn(store)
  pending.onUnknownDevice({ ...UNKNOWN, device: SERVER })
  assert.deepEqual(pending.devices, [])
  pending.onUnknownDevice(UNKNOWN)
  pending.apply(configOf({ devices: [device(LOCAL_ID), device(SERVER), device(LAPTOP)] }))
  assert.deepEqual(pending.devices, [])
  assert.equal(events.at(-1), `PendingDevicesChanged {"removed":[{"deviceID":"${LAPTOP}"}]}`)
  pending.apply(configOf({ remoteIgnoredDevices: [{ deviceID: LAPTOP, name: '', address: '', time: '' }] }))
  pending.onUnknownDevice(UNKNOWN)
  assert.deepEqual(pending.devices, [])
})

test('a dismissed device returns when it connects again', async () => {
  await using store = await openTestStore(undefined)
  const { pending, events } = await pendingIn(store)
  pending.onUnknownDevice(UNKNOWN)
  pending.dismissDevice(LAPTOP)
  assert.deepEqual(pending.devices, [])
  assert.equal(events.at(-1), `PendingDevicesChanged {"removed":[{"deviceID":"${LAPTOP}"}]}`)
  pending.onUnknownDevice(UNKNOWN)
  assert.equal(pending.devices.length, 1)
})

test('offered folders are added, updated, and removed with the offer', async () => {
  await using store = await openTestStore(undefined)
  const { pending, events, log } = await pendingIn(store)
  pending.foldersOffered(SERVER, [offer('a'), offer('b')])
  pending.foldersOffered(SERVER, [offer('a'), offer('b')])
  assert.equal(
    events.filter((line) => line.startsWith('PendingFoldersChanged')).length,
    1,
    'the same offer again emits no event',
  )
  assert.equal(events.filter((line) => line.startsWith('FolderRejected')).length, 2)
  assert.deepEqual(log.lines, [`INFO device ${SERVER} offers folder "a" (Label a) and 1 more`])
  events.length = 0
  pending.foldersOffered(SERVER, [offer('b', { receiveEncrypted: true })])
  assert.deepEqual(events.slice(0, 1), [
    `PendingFoldersChanged {"added":[{"folderID":"b","folderLabel":"Label b","deviceID":"${SERVER}",` +
      '"receiveEncrypted":true,"remoteEncrypted":false}],' +
      `"removed":[{"folderID":"a","deviceID":"${SERVER}"}]}`,
  ])
  await pending.saved()
  assert.deepEqual(
    (await pendingIn(store)).pending.folders.map(({ folder, receiveEncrypted }) => [folder, receiveEncrypted]),
    [['b', true]],
  )
})

test('an offered folder is removed when shared, ignored, dismissed, or when its device is removed', async () => {
  const ways: readonly [name: string, act: (pending: Pending) => void][] = [
    [
      'shared',
      (pending) =>
        pending.apply(
          configOf({
            folders: [simFolder('a', { devices: [{ deviceID: SERVER, introducedBy: '', encryptionPassword: '' }] })],
          }),
        ),
    ],
    [
      'ignored',
      (pending) =>
        pending.apply(configOf({ devices: [device(SERVER, { ignoredFolders: [{ id: 'a', label: '', time: '' }] })] })),
    ],
    ['dismissed for all', (pending) => pending.dismissFolder(folderId('a'), undefined)],
    ['dismissed for one', (pending) => pending.dismissFolder(folderId('a'), SERVER)],
    ['device removed', (pending) => pending.apply(configOf({ devices: [device(LOCAL_ID)] }))],
  ]
  for (const [name, act] of ways) {
    await using store = await openTestStore(undefined)
    const { pending, events } = await pendingIn(store)
    pending.foldersOffered(SERVER, [offer('a')])
    act(pending)
    assert.deepEqual(pending.folders, [], name)
    assert.equal(events.at(-1), `PendingFoldersChanged {"removed":[{"folderID":"a","deviceID":"${SERVER}"}]}`, name)
  }
  await using store = await openTestStore(undefined)
  const { pending } = await pendingIn(store)
  pending.foldersOffered(SERVER, [offer('a')])
  pending.dismissFolder(folderId('a'), LAPTOP)
  assert.equal(pending.folders.length, 1, 'dismissed for another device')
})

test('B-25: the lists of unknown devices and offers are bounded and hold the newest', async () => {
  await using store = await openTestStore(undefined)
  const { pending } = await pendingIn(store)
  for (let i = 0; i < 3_000; i++) {
    const id = deviceIdFromBytes(Buffer.alloc(32, `${i}-`))
    pending.onUnknownDevice({ device: id, name: 'n'.repeat(10_000), address: 'a'.repeat(10_000) })
  }
  assert.equal(pending.devices.length, 500)
  assert.equal(pending.devices.at(-1)?.device, deviceIdFromBytes(Buffer.alloc(32, '2999-')))
  assert.ok(pending.devices.every(({ name, address }) => name.length <= 256 && address.length <= 256))
  pending.foldersOffered(
    SERVER,
    Array.from({ length: 5_000 }, (_, i) => offer(`f${i}`)),
  )
  const ofServer = pending.folders.length
  assert.ok(ofServer > 1_500 && ofServer <= 2_000, `${ofServer} offers of one device`)
  const long = Array.from({ length: 5_000 }, (_, i) => ({ ...offer(`${'f'.repeat(250)}${i}`), label: 'l'.repeat(256) }))
  pending.foldersOffered(SERVER, long)
  assert.ok(pending.folders.length < 256, `${pending.folders.length} long offers of one device`)
  pending.foldersOffered(LAPTOP, [offer('a')])
  pending.foldersOffered(SERVER, long)
  assert.ok(
    pending.folders.some(({ device }) => device === LAPTOP),
    'one device does not displace the offers of others',
  )
  await pending.saved()
})

test('many unknown devices are saved in one write, and a failed write is retried with the next change', async () => {
  const clock = new SimClock()
  const written: string[] = []
  let broken = true
  const keyValue: KeyValue = {
    get: async () => undefined,
    set: async (key, value) => {
      written.push(`${key} ${JSON.parse(new TextDecoder().decode(value)).length}`)
      if (broken) throw new Error('disk full')
    },
    delete: async () => {},
    list: async () => [],
  }
  const pending = new Pending({ clock, keyValue, log: quietLogger('model'), events: { emit: () => {} } }, configOf())
  const connect = (count: number): void => {
    for (let i = 0; i < count; i++)
      pending.onUnknownDevice({ ...UNKNOWN, device: deviceIdFromBytes(Buffer.alloc(32, i + 1)) })
  }
  pending.foldersOffered(SERVER, [offer('a')])
  await pending.saved()
  broken = false
  connect(30)
  for (let tick = 0; tick < 50; tick++) await Promise.resolve()
  connect(60)
  await pending.saved()
  assert.deepEqual(written, ['pending/folders 1', 'pending/devices 60', 'pending/folders 1'])
  assert.equal(clock.sleepingCount, 0)
})

test('invalid stored entries are ignored', async () => {
  await using store = await openTestStore(undefined)
  const set = (key: string, text: string) => store.keyValue.set(key, new TextEncoder().encode(text))
  await set('pending/devices', `[{"device":"no id"},3,null,{"device":"${LAPTOP}","timeMs":"x"}]`)
  await set('pending/folders', '{"__proto__":1}')
  const { pending } = await pendingIn(store)
  assert.deepEqual(pending.devices, [{ device: LAPTOP, timeMs: 0, name: '', address: '' }])
  assert.deepEqual(pending.folders, [])
  await set('pending/devices', 'not json')
  assert.deepEqual((await pendingIn(store)).pending.devices, [])
})
