/** A device may know the key of an encrypted folder on one of its connections only. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FolderTypeName } from '../../../src/core/config/config.ts'
import { LOCAL_ID, SERVER } from '../../support/config.ts'
import { connectionBetween, DevicePair, REQUEST, type Device } from './linked-peers.ts'

const NEVER = new AbortController().signal
const TOKEN_REQUEST = { ...REQUEST, hash: new Uint8Array(48) }

async function setFolder(device: Device, type: FolderTypeName, encryptionPassword: string): Promise<void> {
  const from = device.config
  const devices = [LOCAL_ID, SERVER].map((deviceID) => ({
    deviceID,
    introducedBy: '' as const,
    encryptionPassword: deviceID === device.id ? '' : encryptionPassword,
  }))
  device.config = { ...from, folders: from.folders.map((folder) => ({ ...folder, type, devices })) }
  await device.peers.apply(from, device.config)
}

/** A device with the password, and one that stores encrypted data, connected twice: the index on the first. */
async function encryptedPair() {
  const pair = await DevicePair.make()
  const [trusted, holder] = pair.devices
  await holder.disk.makeDirectory('/data', 0o755)
  await holder.disk.makeDirectory('/data/.stfolder', 0o755)
  await setFolder(trusted, 'sendreceive', 'password')
  await setFolder(holder, 'receiveencrypted', '')
  const [x, y] = [connectionBetween(LOCAL_ID, SERVER, 'x'), connectionBetween(LOCAL_ID, SERVER, 'y')]
  for (const [near, far] of [x, y]) {
    trusted.peers.attach(near)
    holder.peers.attach(far)
  }
  await pair.pass(1_300)
  return { pair, trusted, holder, x, y }
}

test('B-30: encrypted data is requested on the connection that carries the index', async () => {
  const { pair, holder, x, y } = await encryptedPair()
  await using _pair = pair
  assert.deepEqual([x[1].sent[0], y[1].sent[0]], ['cluster-config', 'cluster-config secondary'])
  const order: string[] = []
  for (const end of [x[1], y[1]]) {
    const request = end.request.bind(end)
    end.request = (asked) => {
      order.push(end.connectionId)
      return request(asked)
    }
  }
  await assert.rejects(holder.peers.request(LOCAL_ID, TOKEN_REQUEST, NEVER), /generic/)
  assert.deepEqual(order, ['x', 'y'], 'on the other one after a refusal')
})

test('B-30: a connection with a request for plain data of an encrypted folder is closed', async () => {
  const { pair, x, y } = await encryptedPair()
  await using _pair = pair
  await assert.rejects(y[0].request(TOKEN_REQUEST), /no-such-file/)
  assert.equal(y[0].closed.aborted, false)
  await assert.rejects(x[0].request(REQUEST), /no-such-file/)
  assert.equal(x[0].closed.aborted, false)
  await assert.rejects(y[0].request(REQUEST), /no key for an encrypted folder/)
  assert.equal(y[0].closed.aborted, true, 'the device reconnects, then with its key')
  assert.equal(x[0].closed.aborted, false)
})
