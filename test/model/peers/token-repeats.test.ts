import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LOCAL_ID, SERVER } from '../../support/config.ts'
import { connectionBetween, DevicePair, type Device, type End } from './linked-peers.ts'

/** The folder is encrypted for the other device. */
async function encryptFor(device: Device): Promise<void> {
  const from = device.config
  const devices = [LOCAL_ID, SERVER].map((deviceID) => ({
    deviceID,
    introducedBy: '' as const,
    encryptionPassword: deviceID === device.id ? '' : 'password',
  }))
  device.config = { ...from, folders: from.folders.map((folder) => ({ ...folder, devices })) }
  await device.peers.apply(from, device.config)
}

function configsSent({ sent }: End): number {
  return sent.filter((what) => what === 'cluster-config').length
}

test('a device without an encrypted folder is sent its token again, a limited number of times', async () => {
  await using pair = await DevicePair.make()
  const [a, b] = pair.devices
  await encryptFor(a)
  const without = b.config
  b.config = { ...without, folders: [] }
  await b.peers.apply(without, b.config)
  const [near, far] = connectionBetween(LOCAL_ID, SERVER, '1')
  a.peers.attach(near)
  b.peers.attach(far)
  await pair.pass(1_300)
  const first = configsSent(near)
  assert.equal(first, 2, 'once more in reply to a cluster config without the folder')
  await pair.pass(5_000)
  assert.equal(configsSent(near), 3, 'again without a message of the device')
  for (let minute = 0; minute < 10; minute++) await pair.pass(60_000)
  assert.ok(configsSent(near) > 4 && configsSent(near) < 12, `${configsSent(near)} cluster configs in ten minutes`)
  const before = configsSent(near)
  for (let minute = 0; minute < 10; minute++) await pair.pass(60_000)
  assert.equal(configsSent(near), before, 'not forever')
})

test('nothing is repeated to a device that announces all folders, nor after its connection closed', async () => {
  await using pair = await DevicePair.make()
  const [a, b] = pair.devices
  const [near, far] = connectionBetween(LOCAL_ID, SERVER, '1')
  a.peers.attach(near)
  b.peers.attach(far)
  await pair.pass(60_000)
  assert.equal(configsSent(near), 1)
  await near.close('cut')
  await pair.pass(60_000)
  assert.equal(configsSent(near), 1)
})
