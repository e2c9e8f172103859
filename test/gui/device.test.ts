/** The state of a device, and the state of a folder on it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  cryptoText,
  deviceFacts,
  deviceName,
  fractionOf,
  deviceNameById,
  otherDevices,
} from '../../gui/view-model/device.ts'
import { byName, folderName } from '../../gui/view-model/folder-name.ts'
import { listenersOf } from '../../gui/view-model/listeners.ts'
import { shareState } from '../../gui/view-model/share-state.ts'
import { LAPTOP, LOCAL_ID, SERVER } from '../support/config.ts'
import { completion, folderConfig, liveState } from '../support/live-state.ts'

test('a device without a name is called by the start of its id', () => {
  assert.equal(deviceName({ deviceID: LAPTOP, name: '' }), 'V7KSONY')
  assert.equal(deviceName({ deviceID: LAPTOP, name: 'laptop' }), 'laptop')
})

test('a device is known by its whole id and by the short one that versions carry', () => {
  const state = liveState({ devices: [{ id: LAPTOP, config: { name: 'laptop' } }] })
  assert.equal(deviceNameById(state, LAPTOP), 'laptop')
  assert.equal(deviceNameById(state, LAPTOP.slice(0, 7)), 'laptop')
  assert.equal(deviceNameById(state, SERVER), SERVER.slice(0, 7))
  assert.deepEqual(
    otherDevices(state).map(({ deviceID }) => deviceID),
    [LAPTOP],
  )
})

test('missing items are counted over the folders shared with the device', () => {
  const state = liveState({
    devices: [{ id: LAPTOP, connected: true }],
    folders: {
      a: { completion: { [LAPTOP]: completion({ needItems: 2, needBytes: 250 }) } },
      b: { completion: { [LAPTOP]: completion({ needDeletes: 1 }) } },
      c: { completion: { [LAPTOP]: completion({ needItems: 9, needBytes: 900, remoteState: 'notSharing' }) } },
      d: { config: { devices: [] } },
    },
  })
  const { waiting, bytesLeft, fraction, tone, folders, way } = deviceFacts(state, LAPTOP)
  assert.deepEqual(
    { waiting, bytesLeft, fraction, tone, folders, way },
    { waiting: 3, bytesLeft: 250, fraction: 0.875, tone: 'busy', folders: 3, way: 'lan' },
  )
})

test('paused, disconnected and never seen are distinguished', () => {
  const state = liveState({ devices: [{ id: LAPTOP, config: { paused: true } }, { id: SERVER }] })
  assert.equal(deviceFacts(state, LAPTOP).tone, 'paused')
  const away = deviceFacts(
    { ...state, deviceStats: { [SERVER]: { lastSeen: '1970-01-01T00:00:00Z', lastConnectionDurationS: 0 } } },
    SERVER,
  )
  assert.deepEqual([away.tone, away.connected, away.lastSeenMs], ['away', false, 0])
})

test('an incomplete fraction is never shown as complete', () => {
  assert.equal(fractionOf(0, 0, 0), 1)
  assert.equal(fractionOf(1, 0, 1_000), 0.99)
  assert.equal(fractionOf(1, 0, 0), 0.99)
  assert.equal(fractionOf(1, 5_000, 1_000), 0)
})

const shared = folderConfig('a', [LOCAL_ID, LAPTOP])

test('a folder on a device: not shared, paused, not accepted, complete, or behind', () => {
  assert.equal(shareState(folderConfig('a', [LOCAL_ID]), LAPTOP, undefined, true).kind, 'not-shared')
  assert.equal(shareState({ ...shared, paused: true }, LAPTOP, undefined, true).kind, 'paused-here')
  assert.equal(shareState(shared, LAPTOP, undefined, true).kind, 'unknown')
  assert.equal(shareState(shared, LAPTOP, completion({ remoteState: 'paused' }), true).kind, 'paused-there')
  assert.equal(
    shareState(shared, LAPTOP, completion({ remoteState: 'notSharing', needItems: 1 }), true).kind,
    'not-accepted',
  )
  assert.equal(shareState(shared, LAPTOP, completion(), true).kind, 'whole')
  const behind = completion({ needItems: 1, needDeletes: 1, needBytes: 500 })
  assert.deepEqual(shareState(shared, LAPTOP, behind, true), {
    kind: 'behind',
    tone: 'busy',
    items: 2,
    bytes: 500,
    fraction: 0.5,
  })
  assert.equal(shareState(shared, LAPTOP, behind, false).tone, 'wait')
})

test('actual addresses are preferred to configured ones, and failures have a reason', () => {
  const listeners = listenersOf({
    'tcp://:0': {
      error: null,
      lanAddresses: ['tcp://10.0.0.1:5'],
      wanAddresses: ['tcp://10.0.0.1:5', 'tcp://1.2.3.4:5'],
    },
    'tcp://:22000': { error: 'in use', lanAddresses: [], wanAddresses: [] },
    'quic://:22000': { error: null, lanAddresses: [], wanAddresses: [] },
  })
  assert.deepEqual(listeners, [
    { address: 'tcp://10.0.0.1:5', error: '' },
    { address: 'tcp://1.2.3.4:5', error: '' },
    { address: 'tcp://:22000', error: 'in use' },
    { address: 'quic://:22000', error: '' },
  ])
})

test('the encryption is shown by its version and cipher; another form as it is', () => {
  assert.equal(cryptoText('TLS1.3-TLS_AES_128_GCM_SHA256'), 'TLS 1.3 · AES-128-GCM-SHA256')
  assert.equal(cryptoText('TLS1.2-ECDHE_RSA'), 'TLS 1.2 · ECDHE-RSA')
  assert.equal(cryptoText('something else'), 'something else')
})

test('folders are ordered by the names that are shown, numbers by value', () => {
  const labels = { a: 'Zoo', b: 'album 10', z: 'Album 9', maps: '' }
  const folders = Object.entries(labels).map(([id, label]) => ({ ...folderConfig(id, []), label }))
  assert.deepEqual(folders.toSorted(byName('en')).map(folderName), ['Album 9', 'album 10', 'maps', 'Zoo'])
})
