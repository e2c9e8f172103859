import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { Client } from '../../src/client/client.ts'
import { readHomeAddress } from '../../src/client/home.ts'
import { clientOfHome } from '../../src/client/node.ts'
import { TwinfoldError } from '../../src/core/errors.ts'
import { scratchDirectory } from '../support/scratch.ts'

const ID = 'P56IOI7-MZJNU2Y-IQGDREY-DM2MGTI-MGL3BXN-PQ6W5BM-TBBZ4TJ-XZWICQ2'
const TIME = '2026-11-15T10:00:00Z'

/** A client, and what it sends besides queries. */
function clientWith(replies: Readonly<Record<string, unknown>>) {
  const sent: [name: string, body: unknown][] = []
  const client = new Client({
    apiKey: 'k',
    transport: async ({ method, path, body }) => {
      if (method !== 'GET') sent.push([`${method} ${path}`, body === undefined ? undefined : JSON.parse(body)])
      return { status: 200, text: JSON.stringify(replies[`${method} ${path}`] ?? {}) }
    },
  })
  return { client, sent }
}

test('devices are added, changed and removed', async () => {
  const { client, sent } = clientWith({ 'GET /rest/config/devices': [] })
  assert.deepEqual(await client.devices(), [])
  await client.devices.add({ deviceID: ID, name: 'laptop' })
  await client.devices.change(ID, { paused: true })
  await client.devices.remove(ID)
  assert.deepEqual(sent, [
    ['POST /rest/config/devices', { deviceID: ID, name: 'laptop' }],
    [`PATCH /rest/config/devices/${ID}`, { paused: true }],
    [`DELETE /rest/config/devices/${ID}`, undefined],
  ])
})

const offer = (more: object = {}) => ({
  time: TIME,
  label: 'Papers',
  receiveEncrypted: false,
  remoteEncrypted: false,
  ...more,
})

test('pending devices and folders are accepted with what they offer', async () => {
  const { client, sent } = clientWith({
    'GET /rest/cluster/pending/devices': { [ID]: { time: TIME, name: 'laptop', address: '192.0.2.1:22000' } },
    'GET /rest/cluster/pending/folders': {
      docs: { offeredBy: { [ID]: offer() } },
      safe: { offeredBy: { [ID]: offer({ receiveEncrypted: true }) } },
      old: { offeredBy: { [ID]: offer() } },
    },
    'GET /rest/config/folders': [{ id: 'old', devices: [{ deviceID: 'X' }] }],
  })
  await client.pending.acceptDevice(ID, { compression: 'never' })
  await client.pending.acceptFolder('docs', { path: '/docs' })
  await client.pending.acceptFolder('safe', { path: '/safe', label: 'Mine' })
  await client.pending.acceptFolder('old', { path: '/ignored' })
  await assert.rejects(
    client.pending.acceptFolder('toString', { path: '/x' }),
    (error) => error instanceof TwinfoldError && error.code === 'folder-missing',
  )
  await client.pending.dismissDevice(ID)
  await client.pending.dismissFolder('docs')
  assert.deepEqual(sent, [
    ['POST /rest/config/devices', { deviceID: ID, name: 'laptop', compression: 'never' }],
    ['POST /rest/config/folders', { id: 'docs', path: '/docs', label: 'Papers', devices: [{ deviceID: ID }] }],
    [
      'POST /rest/config/folders',
      { id: 'safe', path: '/safe', label: 'Mine', type: 'receiveencrypted', devices: [{ deviceID: ID }] },
    ],
    ['PATCH /rest/config/folders/old', { devices: [{ deviceID: 'X' }, { deviceID: ID }] }],
    [`DELETE /rest/cluster/pending/devices?device=${ID}`, undefined],
    ['DELETE /rest/cluster/pending/folders?folder=docs', undefined],
  ])
})

test('a client of a home uses the address and the key in it', async () => {
  using scratch = scratchDirectory()
  const keys: unknown[] = []
  await using server = createServer((request, response) => {
    keys.push(request.headers['x-api-key'])
    response.end('{"ping":"pong"}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const home = join(scratch.path, 'home')
  mkdirSync(home)
  const gui = `<gui enabled="true" tls="false"><address>127.0.0.1:${port}</address><apikey>a&amp;&#x62;</apikey></gui>`
  writeFileSync(join(home, 'config.xml'), `<configuration version="37">${gui}</configuration>`)
  await (await clientOfHome(home)).ping()
  server.closeAllConnections()
  assert.deepEqual(keys, ['a&b'])
})

test('a home without a usable interface is refused', () => {
  const isInvalid = (error: unknown) => error instanceof TwinfoldError && error.code === 'config-invalid'
  assert.throws(() => readHomeAddress('<configuration></configuration>'), isInvalid)
  assert.throws(() => readHomeAddress('<gui enabled="false"><address>x</address></gui>'), isInvalid)
  assert.deepEqual(readHomeAddress('<gui tls="true"><address>[::1]:8384</address></gui>'), {
    address: '[::1]:8384',
    useTls: true,
    apiKey: '',
  })
})
