import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { ConnectionFigures, ConnectionsStatus } from '../../../src/connections/types.ts'
import type { DeviceId, FolderId } from '../../../src/core/ids.ts'
import type { PendingView } from '../../../src/http/types.ts'
import { fakeRest, LOCAL_ID } from '../fakes.ts'

const PEER = 'XEXVBHE-QV6HNAY-BC7IKYC-EZDD6M4-WPJGHXL-TUPWJMJ-W26MW7G-FQFTOAR' as DeviceId
const OTHER = 'P56IOI7-MZJNU2Y-IQGDREY-DM2MGTI-MGL3BXN-PQ6W5BM-TBBZ4TJ-XZWICQ2' as DeviceId

const UP: ConnectionFigures = {
  startedMs: 1_795_000_000_000,
  inBytesTotal: 6,
  outBytesTotal: 100,
  messages: { sent: 2, sentBytes: 90, received: 1, receivedBytes: 4 },
  address: '10.0.0.2:22000',
  type: 'tcp-client',
  isLocal: true,
  crypto: 'TLS1.3-TLS_AES_128_GCM_SHA256',
}

function status(changes: Partial<ConnectionsStatus> = {}): ConnectionsStatus {
  return {
    listeners: new Map(),
    lastDials: new Map(),
    devices: new Map(),
    inBytesTotal: 0,
    outBytesTotal: 0,
    ...changes,
  }
}

test('a device with several connections shows the primary, the sum of bytes, and the others apart', async () => {
  const devices = new Map([[PEER, { clientVersion: 'v2.1.3', primary: UP, secondary: [UP, UP] }]])
  const rest = fakeRest({
    peers: [PEER, OTHER],
    deps: { connections: { status: () => status({ devices, inBytesTotal: 1_000, outBytesTotal: 2_000 }) } },
  })
  const { connections, total } = JSON.parse((await rest.send('GET', '/rest/system/connections')).body)
  assert.deepEqual(Object.keys(connections), [PEER, OTHER]) // not our own
  assert.equal(connections[PEER].inBytesTotal, 18)
  assert.equal(connections[PEER].secondary.length, 2)
  assert.equal(connections[PEER].primary.inBytesTotal, 6)
  assert.equal(connections[PEER].clientVersion, 'v2.1.3')
  assert.equal(total.inBytesTotal, 1_000)
})

test('a device that is not connected has the captured reply', async () => {
  const fixture = JSON.parse(
    readFileSync(new URL('../../fixtures/rest/system-connections-get-paused.json', import.meta.url), 'utf8'),
  )
  const rest = fakeRest({ peers: [PEER] })
  await rest.send('POST', '/rest/system/pause')
  const { connections } = JSON.parse((await rest.send('GET', '/rest/system/connections')).body)
  assert.equal(JSON.stringify(connections[PEER]), JSON.stringify(fixture.response.json.connections[LOCAL_ID]))
})

test('the status shows listeners and dials', async () => {
  const listeners = new Map([['tcp://0.0.0.0:22000', { error: 'taken', lanAddresses: [], wanAddresses: [] }]])
  const lastDials = new Map([['tcp://10.0.0.2:22000', { whenMs: 1_795_000_000_500, error: null }]])
  const rest = fakeRest({ deps: { connections: { status: () => status({ listeners, lastDials }) } } })
  const shown = JSON.parse((await rest.send('GET', '/rest/system/status')).body)
  assert.deepEqual(shown.connectionServiceStatus, {
    'tcp://0.0.0.0:22000': { error: 'taken', lanAddresses: [], wanAddresses: [] },
  })
  assert.deepEqual(shown.lastDialStatus, { 'tcp://10.0.0.2:22000': { when: '2026-11-18T11:06:40Z', error: null } })
})

test('pause and resume apply to one device, or to all but this one', async () => {
  const rest = fakeRest({ peers: [PEER, OTHER] })
  const paused = () => rest.config.current.devices.filter((device) => device.paused).map(({ deviceID }) => deviceID)
  assert.equal((await rest.send('POST', `/rest/system/pause?device=${PEER}`)).status, 200)
  assert.deepEqual(paused(), [PEER])
  await rest.send('POST', '/rest/system/pause')
  assert.deepEqual(paused(), [PEER, OTHER])
  await rest.send('POST', `/rest/system/resume?device=${PEER}`)
  assert.deepEqual(paused(), [OTHER])
  await rest.send('POST', '/rest/system/resume')
  assert.deepEqual(paused(), [])
})

test('pausing an unknown device is 404, also when there is no other', async () => {
  for (const peers of [[], [PEER]]) {
    const rest = fakeRest({ peers })
    const response = await rest.send('POST', `/rest/system/pause?device=${OTHER}`)
    assert.deepEqual([response.status, response.body], [404, 'not found\n'])
  }
})

test('pending folders are listed by folder, filtered by device, and `__proto__` is an ordinary name', async () => {
  const offer = (device: DeviceId, folder: string) => ({
    device,
    folder: folder as FolderId,
    timeMs: 1_795_000_000_000,
    label: 'l',
    receiveEncrypted: false,
    remoteEncrypted: true,
  })
  const dismissed: unknown[] = []
  const pending: PendingView = {
    devices: [],
    folders: [offer(PEER, 'f'), offer(OTHER, 'f'), offer(OTHER, '__proto__')],
    dismissDevice: (device) => void dismissed.push(device),
    dismissFolder: (folder, device) => void dismissed.push([folder, device]),
  }
  const rest = fakeRest({ deps: { pending } })
  const all = (await rest.send('GET', '/rest/cluster/pending/folders')).body
  assert.ok(all.includes('"__proto__"'))
  assert.deepEqual(Object.keys(JSON.parse(all).f.offeredBy), [PEER, OTHER])
  assert.deepEqual(
    Object.keys(JSON.parse((await rest.send('GET', `/rest/cluster/pending/folders?device=${PEER}`)).body)),
    ['f'],
  )
  assert.equal((await rest.send('GET', '/rest/cluster/pending/folders?device=x')).status, 400)
  for (const [target, expected] of [
    ['folders?folder=f', 200],
    [`folders?folder=f&device=${PEER}`, 200],
    ['folders', 200],
    [`devices?device=${PEER}`, 200],
    ['devices', 200],
    ['devices?device=x', 400],
  ] as const) {
    assert.equal((await rest.send('DELETE', `/rest/cluster/pending/${target}`)).status, expected, target)
  }
  assert.deepEqual(dismissed, [['f', undefined], ['f', PEER], PEER])
})
