import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { deviceIdFromCertificate } from '../../src/core/device-id.ts'
import { makeCertificate } from '../../src/main/home/certificate.ts'
import type { HttpReply, HttpRequest } from '../../src/platform/http.ts'
import { configOf, idOf, simIdentity } from '../connections/machines.ts'

import { Lan, MINUTE_MS, DISCOVERY_OFF, settle } from './lan.ts'

/** A discovery server of the simulated network, with what it received. */
function serverFor(lan: Lan, reply: (request: HttpRequest) => Promise<HttpReply>): string[] {
  const requests: string[] = []
  void lan.network.web.listen({ address: 'disco:80' }, async (request) => {
    requests.push(`${request.method} ${request.target}`)
    return await reply(request)
  })
  return requests
}

const SERVERS = ['http://disco/v2/?insecure&noannounce']
const GLOBAL = { globalAnnounceEnabled: true, globalAnnounceServers: SERVERS }

test('a lookup is sent once, and its result is kept for five minutes', async () => {
  await using lan = new Lan()
  const requests = serverFor(lan, async () => ({
    status: 200,
    headers: {},
    body: '{"addresses":["tcp://192.0.2.1:22000"]}',
  }))
  const a = lan.start('a', GLOBAL)
  await settle()
  const device = idOf(simIdentity('b'))
  const [first, second] = await Promise.all([a.lookup(device), a.lookup(device)])
  assert.deepEqual([first, second, requests], [['tcp://192.0.2.1:22000'], first, [`GET /v2/?device=${device}`]])
  await lan.advance(5 * MINUTE_MS - 1)
  await a.lookup(device)
  assert.equal(requests.length, 1)
  await lan.advance(1)
  await a.lookup(device)
  assert.equal(requests.length, 2)
  assert.deepEqual([...a.discovery.status()], [['global@http://disco/v2/', null]])
})

test('what is not found is asked for again after a minute, or after Retry-After', async () => {
  await using lan = new Lan()
  const headers: Record<string, string> = {}
  const requests = serverFor(lan, async () => ({ status: 404, headers: { ...headers } }))
  const a = lan.start('a', GLOBAL)
  await settle()
  const device = idOf(simIdentity('b'))
  const countAfter = async (ms: number) => {
    await lan.advance(ms)
    assert.deepEqual(await a.lookup(device), [])
    return requests.length
  }
  assert.deepEqual([await countAfter(0), await countAfter(MINUTE_MS - 1), await countAfter(1)], [1, 1, 2])
  headers['Retry-After'] = '600'
  assert.deepEqual([await countAfter(MINUTE_MS), await countAfter(599_999), await countAfter(1)], [3, 3, 4])
})

test('a server that is away for an hour does not hide the local network, and is used again', async () => {
  await using lan = new Lan()
  const a = lan.start('a', { ...GLOBAL, localAnnounceEnabled: true })
  const b = lan.start('b', { localAnnounceEnabled: true })
  await lan.advance(1_000)
  for (let minute = 0; minute < 60; minute += 10) {
    assert.deepEqual(await a.lookup(b.id), ['tcp://b:22000'])
    await lan.advance(10 * MINUTE_MS)
  }
  assert.match(a.discovery.status().get('global@http://disco/v2/') ?? '', /^lookup: ECONNREFUSED: no listener at disco/)
  serverFor(lan, async () => ({ status: 200, headers: {}, body: '{"addresses":["tcp://192.0.2.1:1"]}' }))
  assert.deepEqual(await a.lookup(b.id), ['tcp://192.0.2.1:1', 'tcp://b:22000'])
  assert.equal(a.discovery.status().get('global@http://disco/v2/'), null)
})

test('R-20 a server that never answers delays no other method, and the last known addresses stay', async () => {
  await using lan = new Lan()
  let isSilent = false
  serverFor(lan, async ({ signal }) => {
    if (isSilent) await new Promise((resolve) => signal.addEventListener('abort', resolve))
    return { status: 200, headers: {}, body: '{"addresses":["tcp://192.0.2.1:1"]}' }
  })
  const a = lan.start('a', { ...GLOBAL, localAnnounceEnabled: true })
  const b = lan.start('b', { localAnnounceEnabled: true })
  await lan.advance(1_000)
  assert.deepEqual(await a.lookup(b.id), ['tcp://192.0.2.1:1', 'tcp://b:22000'])
  assert.deepEqual(a.lookedUp, [b.id])
  isSilent = true
  await lan.advance(5 * MINUTE_MS)
  assert.deepEqual(a.discovery.lookup(b.id).flat().toSorted(), ['tcp://192.0.2.1:1', 'tcp://b:22000'], 'at once')
  await lan.advance(30_000)
  assert.deepEqual(a.lookedUp, [b.id, b.id], 'the time limit has ended the request')
  assert.match(a.discovery.status().get('global@http://disco/v2/') ?? '', /^lookup: ETIMEDOUT/)
  assert.deepEqual(await a.lookup(b.id), ['tcp://192.0.2.1:1', 'tcp://b:22000'])
})

test('a server that cannot be used is an error of that method only, logged once', async () => {
  await using lan = new Lan()
  const a = lan.start('a', { globalAnnounceEnabled: true, globalAnnounceServers: ['ftp://x/?id=secret', ...SERVERS] })
  await settle()
  assert.deepEqual(
    [...a.discovery.status()],
    [
      ['global@http://disco/v2/', null],
      ['global@ftp://x/', 'unsupported scheme ftp'],
    ],
  )
  a.discovery.apply(
    configOf(a.id, [], { ...DISCOVERY_OFF, globalAnnounceEnabled: true, globalAnnounceServers: ['ftp://x/'] }),
  )
  await settle()
  const warnings = a.log.lines.filter((line) => line.startsWith('WARN'))
  assert.deepEqual(warnings, ['WARN global@ftp://x/ cannot be used: unsupported scheme ftp'])
})

const server = await makeCertificate({
  commonName: 'disco',
  keyType: 'P-256',
  lifetimeDays: 30,
  nowMs: Date.now(),
  serial: new Uint8Array(8).fill(1),
})
const SERVER_ID = deviceIdFromCertificate(new X509Certificate(server.certificatePem).raw)

/** A discovery server over HTTPS, with the bodies it received and when. */
function announceServer(lan: Lan, reply: () => HttpReply): string[] {
  const requests: string[] = []
  void lan.network.web.listen({ address: 'disco:443', tls: server }, async (request) => {
    const body = Buffer.from(await request.body(10_000)).toString()
    requests.push(`${Math.round(lan.clock.monotonicMs() / 1_000)} ${request.method} ${body}`)
    return reply()
  })
  return requests
}

const ANNOUNCE = { globalAnnounceEnabled: true, globalAnnounceServers: [`https://disco/?id=${SERVER_ID}&nolookup`] }
const BODY = '{"addresses":["tcp://0.0.0.0:22000"]}'

test('announces after five seconds, then when the server says, or after half an hour', async () => {
  await using lan = new Lan()
  const headers: Record<string, string> = { 'Reannounce-After': '100' }
  const requests = announceServer(lan, () => ({ status: 204, headers: { ...headers } }))
  const a = lan.start('a', ANNOUNCE)
  await settle()
  assert.deepEqual([...a.discovery.status()], [['global@https://disco/', 'not announced']])
  await lan.advance(5_000)
  assert.deepEqual([...a.discovery.status()], [['global@https://disco/', null]])
  delete headers['Reannounce-After']
  await lan.advance(100_000 + 1_800_000)
  assert.deepEqual(requests, [`5 POST ${BODY}`, `105 POST ${BODY}`, `1905 POST ${BODY}`])
})

test('changed addresses are announced two seconds later, without the token of a relay', async () => {
  await using lan = new Lan()
  const requests = announceServer(lan, () => ({ status: 204, headers: {} }))
  const a = lan.start('a', ANNOUNCE)
  await lan.advance(10_000)
  a.addresses = ['tcp://0.0.0.0:1', 'relay://192.0.2.1:22067/?id=X&token=secret']
  a.discovery.addressesChanged()
  await lan.advance(1_999)
  assert.equal(requests.length, 1)
  await lan.advance(1)
  assert.equal(requests[1], '12 POST {"addresses":["tcp://0.0.0.0:1","relay://192.0.2.1:22067/?id=X"]}')
})

test('a refused announcement is an error, repeated after Retry-After or five minutes', async () => {
  await using lan = new Lan()
  const headers: Record<string, string> = {}
  const requests = announceServer(lan, () => ({ status: 429, headers: { ...headers } }))
  const a = lan.start('a', ANNOUNCE)
  await lan.advance(5_000)
  assert.deepEqual([...a.discovery.status()], [['global@https://disco/', 'announce: status 429']])
  headers['Retry-After'] = '1000'
  await lan.advance(300_000 + 1_000_000)
  assert.deepEqual(
    requests.map((line) => line.split(' ')[0]),
    ['5', '305', '1305'],
  )
})

test('R-05 another certificate than the pinned one: nothing is sent', async () => {
  await using lan = new Lan()
  const requests = announceServer(lan, () => ({ status: 204, headers: {} }))
  const a = lan.start('a', { ...ANNOUNCE, globalAnnounceServers: [`https://disco/?id=${idOf(simIdentity('x'))}`] })
  await lan.advance(10_000)
  assert.match(a.discovery.status().get('global@https://disco/') ?? '', /not who it should be/)
  assert.deepEqual(requests, [])
})

test('addresses that change all the time are not announced each time', async () => {
  await using lan = new Lan()
  const requests = announceServer(lan, () => ({ status: 204, headers: {} }))
  const a = lan.start('a', ANNOUNCE)
  for (let change = 0; change < 60; change++) {
    a.discovery.addressesChanged()
    await lan.advance(2_500)
  }
  assert.ok(requests.length <= 12, `${requests.length} announcements`)
  assert.match(a.discovery.status().get('global@https://disco/') ?? '', /change too often/)
})
