import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { Client } from '../../src/client/client.ts'
import { ClientError } from '../../src/client/errors.ts'
import { readHomeAddress } from '../../src/client/home.ts'
import { clientOfHome, runningAddress } from '../../src/client/node.ts'
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
  assert.deepEqual([await client.devices(), await client.devices.list()], [[], []])
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

test('a home without a usable interface is refused', async () => {
  const isInvalid = (error: unknown) => error instanceof TwinfoldError && error.code === 'config-invalid'
  assert.throws(() => readHomeAddress('<configuration></configuration>'), isInvalid)
  assert.deepEqual(readHomeAddress('<gui tls="true"><address>[::1]:8384</address></gui>'), {
    address: '[::1]:8384',
    useTls: true,
    apiKey: '',
    isEnabled: true,
  })
  using scratch = scratchDirectory()
  const isNoHome = (error: unknown) => error instanceof ClientError && error.failure === 'no-home'
  await assert.rejects(clientOfHome(join(scratch.path, 'none')), isNoHome)
  for (const config of ['<configuration></configuration>', '<gui enabled="false"><address>x</address></gui>']) {
    writeFileSync(join(scratch.path, 'config.xml'), config)
    await assert.rejects(clientOfHome(scratch.path), isNoHome)
  }
})

test('the address of a running daemon is preferred, that of one that has ended is not', async () => {
  using scratch = scratchDirectory()
  const file = join(scratch.path, 'twinfold-address.json')
  const { pid: ended } = spawnSync('true')
  const address = 'unix:///run/gui.sock'
  const cases: readonly [text: string, expected: string | undefined][] = [
    [JSON.stringify({ address, processId: process.pid }), address],
    [JSON.stringify({ address, processId: ended }), undefined],
    [JSON.stringify({ address: 1, processId: process.pid }), undefined],
    ['null', undefined],
    ['{', undefined],
  ]
  assert.equal(await runningAddress(file), undefined)
  for (const [text, expected] of cases) {
    writeFileSync(file, text)
    assert.equal(await runningAddress(file), expected, text)
  }
})

const OTHER = 'AIR6LPZ-7K4PTTV-UXQSMUU-CPQ5YWH-OEDFIIQ-JUG777G-2YQXXR5-YD6AWQR'

test('two devices are paired, and folders that one of them has are shared', async () => {
  const one = clientWith({
    'GET /rest/system/status': { myID: ID },
    'GET /rest/config/devices': [{ deviceID: ID, name: 'desk' }],
    'GET /rest/config/folders': [{ id: 'docs' }],
    'GET /rest/config/folders/docs': { id: 'docs', devices: [{ deviceID: ID }] },
  })
  const other = clientWith({
    'GET /rest/system/status': { myID: OTHER },
    'GET /rest/config/devices': [
      { deviceID: OTHER, name: 'nas' },
      { deviceID: ID, name: 'known' },
    ],
    'GET /rest/config/folders': [],
  })
  await one.client.pair(other.client, { folders: ['docs'], here: { addresses: ['tcp://nas:22000'] } })
  assert.deepEqual(one.sent, [
    ['POST /rest/config/devices', { deviceID: OTHER, name: 'nas', addresses: ['tcp://nas:22000'] }],
    ['PATCH /rest/config/folders/docs', { devices: [{ deviceID: ID }, { deviceID: OTHER }] }],
  ])
  assert.deepEqual(other.sent, [[`PATCH /rest/config/devices/${ID}`, {}]])
  await assert.rejects(one.client.pair(other.client, { folders: ['none'] }), /neither device has a folder "none"/)
})

/** A client of a folder whose status and completion are the first that were not read yet. */
function clientOfStates(states: object[], completions: object[]): { client: Client; polls: string[] } {
  const polls: string[] = []
  const next = (list: object[]) => (list.length > 1 ? list.shift() : list[0])
  const client = new Client({
    apiKey: 'k',
    transport: async ({ path }) => {
      if (path.startsWith('/rest/events')) polls.push(path)
      const reply = path.startsWith('/rest/events')
        ? [{ id: polls.length, globalID: 1, time: TIME, type: 'StateChanged', data: {} }]
        : next(path.startsWith('/rest/db/status') ? states : completions)
      return { status: 200, text: JSON.stringify(reply) }
    },
  })
  return { client, polls }
}

const BUSY = { state: 'syncing', needTotalItems: 0, error: '' }
const BEHIND = { state: 'idle', needTotalItems: 1, error: '' }
const IDLE = { state: 'idle', needTotalItems: 0, error: '' }
const COMPLETE = { needItems: 0, needDeletes: 0, remoteState: 'valid' }

test('the wait for a folder ends when this device and the given ones have everything', async () => {
  const { client, polls } = clientOfStates(
    [BUSY, BEHIND, IDLE],
    [{ ...COMPLETE, needDeletes: 1 }, { ...COMPLETE, remoteState: 'unknown' }, COMPLETE],
  )
  await client.waitUntilInSync('docs', AbortSignal.timeout(5_000), { devices: [OTHER] })
  // The first is before the first look at the state; each of the others begins after the one before.
  assert.deepEqual(
    polls.map((path) => /since=(\d+)/.exec(path)?.[1]),
    [undefined, '1', '2', '3', '4'],
  )
  const stopped = clientOfStates([BUSY, { state: 'error', needTotalItems: 0, error: 'folder marker missing' }], [])
  await assert.rejects(
    stopped.client.waitUntilInSync('docs', AbortSignal.timeout(5_000)),
    (error) => error instanceof ClientError && error.text === 'folder marker missing',
  )
})
