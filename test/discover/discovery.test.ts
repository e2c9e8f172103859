import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import type { OptionsConfig } from '../../src/core/config/config.ts'
import type { DeviceId } from '../../src/core/ids.ts'
import { deviceIdFromCertificate } from '../../src/core/device-id.ts'
import { encodeLocalAnnouncement } from '../../src/core/network/local-announcement.ts'
import { Discovery } from '../../src/discover/discovery.ts'
import { makeCertificate } from '../../src/main/home/certificate.ts'
import type { HttpReply, HttpRequest } from '../../src/platform/http.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimNetwork } from '../../src/platform/sim/net.ts'
import { createSimPlatform } from '../../src/platform/sim/platform.ts'
import { configOf, deviceConfig, idOf, simIdentity } from '../connections/machines.ts'
import { quietLogger } from '../support/logger.ts'

const NEVER = new AbortController().signal
const OFF = { localAnnounceEnabled: false, globalAnnounceEnabled: false }
const MINUTE_MS = 60_000

async function settle(): Promise<void> {
  for (let round = 0; round < 6; round++) await new Promise((resolve) => setImmediate(resolve))
}

/** A clock and a network for several devices. */
class Lan implements AsyncDisposable {
  readonly clock = new SimClock()
  readonly network = new SimNetwork(this.clock)
  readonly #stop = new AbortController()
  readonly #running: Promise<void>[] = []

  start(name: string, options: Partial<OptionsConfig>, known: readonly DeviceId[] = []): Finder {
    const finder = new Finder(this, name, { ...OFF, ...options }, known)
    this.#running.push(finder.discovery.run(this.#stop.signal))
    return finder
  }

  async advance(ms: number): Promise<void> {
    await settle()
    await this.clock.advance(ms, settle)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#running)
    assert.equal(this.clock.sleepingCount, 0)
  }
}

/** One device, reduced to its discovery. */
class Finder {
  readonly id: DeviceId
  readonly discovery: Discovery
  readonly found: string[] = []
  readonly log = quietLogger('discover')
  networkChanges = 0
  addresses: string[]

  constructor(lan: Lan, name: string, options: Partial<OptionsConfig>, known: readonly DeviceId[]) {
    const identity = simIdentity(name)
    this.id = idOf(identity)
    this.addresses = [`tcp://0.0.0.0:22000`]
    const platform = createSimPlatform(1, { hostName: name, clock: lan.clock, network: lan.network })
    const devices = known.map((id) => deviceConfig(id))
    this.discovery = new Discovery(
      {
        platform,
        logger: (facility) => (facility === 'discover' ? this.log : quietLogger(facility)),
        addresses: () => ({ lan: this.addresses, wan: this.addresses }),
        onFound: (device, addresses) => void this.found.push(`${device} ${addresses.join(' ')}`),
        onMethodsChanged: () => {},
        onNetworkChange: () => void this.networkChanges++,
      },
      { config: configOf(this.id, devices, options), ownDevice: this.id, identity },
    )
  }

  lookup(device: DeviceId): Promise<readonly string[]> {
    return this.discovery.lookup(device, NEVER)
  }
}

test('two devices in one network find each other within a second', async () => {
  await using lan = new Lan()
  const a = lan.start('a', { localAnnounceEnabled: true })
  await lan.advance(10_000)
  const b = lan.start('b', { localAnnounceEnabled: true })
  await lan.advance(1_000)
  assert.deepEqual([await a.lookup(b.id), await b.lookup(a.id)], [['tcp://b:22000'], ['tcp://a:22000']])
  assert.deepEqual([a.found, b.found], [[`${b.id} tcp://b:22000`], [`${a.id} tcp://a:22000`]])
  assert.deepEqual([...b.discovery.found()], [[a.id, ['tcp://a:22000']]])
  assert.deepEqual([...a.discovery.status()][0], ['IPv4 local', null])
})

test('switched off, nothing is sent, and nothing is received', async () => {
  await using lan = new Lan()
  const a = lan.start('a', {})
  const b = lan.start('b', { localAnnounceEnabled: true })
  await lan.advance(2 * MINUTE_MS)
  assert.deepEqual([a.found, b.found, [...a.discovery.status()]], [[], [], []])
})

test('switched on and off while it runs', async () => {
  await using lan = new Lan()
  const a = lan.start('a', {})
  const b = lan.start('b', { localAnnounceEnabled: true })
  await lan.advance(1_000)
  a.discovery.apply(configOf(a.id, [], { ...OFF, localAnnounceEnabled: true }))
  await lan.advance(2_000)
  assert.equal(b.found.length, 1)
  assert.ok(a.log.lines.some((line) => line.startsWith('INFO announcing this device in the local network;')))
  a.discovery.apply(configOf(a.id, [], OFF))
  await lan.advance(1_000)
  assert.deepEqual(await a.lookup(b.id), [])
  await lan.advance(2 * MINUTE_MS)
  assert.deepEqual(await b.lookup(a.id), [], 'an entry ends 90 s after the last packet')
  assert.deepEqual([...b.discovery.found().keys()], [a.id], 'and stays in the list')
})

test('a device that moves to another network is found there, no longer here', async () => {
  await using lan = new Lan()
  const [a, b, c] = ['a', 'b', 'c'].map((name) => lan.start(name, { localAnnounceEnabled: true }))
  lan.network.datagrams.moveTo('c', 'elsewhere')
  await lan.advance(MINUTE_MS)
  assert.deepEqual([await a!.lookup(c!.id), await a!.lookup(b!.id)], [[], ['tcp://b:22000']])
  lan.network.datagrams.moveTo('b', 'elsewhere')
  await lan.advance(2 * MINUTE_MS)
  assert.deepEqual([await a!.lookup(b!.id), await c!.lookup(b!.id)], [[], ['tcp://b:22000']])
})

test('fifty devices on one network all find each other, and the packets stay few', async () => {
  await using lan = new Lan()
  let packets = 0
  const host = lan.network.datagrams.host('counter')
  await using _socket = await host.open(
    { family: 4, port: 21_027 },
    { onDatagram: () => void packets++, onError: () => {} },
  )
  const all = Array.from({ length: 50 }, (_, i) => lan.start(`d${i}`, { localAnnounceEnabled: true }))
  await lan.advance(5_000)
  for (const one of all) assert.equal(one.found.length, 49)
  const atStart = packets
  await lan.advance(MINUTE_MS)
  console.log(
    JSON.stringify({
      id: 'local-discovery',
      devices: 50,
      packetsAtStart: atStart,
      packetsPerMinute: packets - atStart,
    }),
  )
  assert.ok(atStart <= 50 * 6, `${atStart} packets in five seconds`)
  assert.equal(packets - atStart, 50 * 2, 'one packet of each in 30 seconds')
})

test('R-06 forged packets: unknown devices are bounded, configured ones are not displaced', async () => {
  await using lan = new Lan()
  const friend = idOf(simIdentity('friend'))
  const a = lan.start('a', { localAnnounceEnabled: true }, [friend])
  await settle()
  const attacker = await lan.network.datagrams
    .host('attacker')
    .open({ family: 4, port: 5_000 }, { onDatagram: () => {}, onError: () => {} })
  const announce = (device: DeviceId, instanceId = 1n) =>
    attacker.send(encodeLocalAnnouncement({ device, addresses: ['tcp://:22000'], instanceId }), {
      host: '255.255.255.255',
      port: 21_027,
    })
  for (let i = 0; i < 1_000; i++) await announce(deviceIdFromCertificate(Buffer.from(`device ${i}`)))
  await announce(friend)
  await announce(a.id)
  await attacker.send(Buffer.from('2ea7d90b0a05', 'hex'), { host: 'a', port: 21_027 })
  await settle()
  assert.equal(a.discovery.found().size, 257)
  assert.deepEqual(await a.lookup(friend), ['tcp://attacker:22000'])
  assert.equal(a.discovery.found().has(a.id), false)
  await lan.advance(100_000)
  await announce(deviceIdFromCertificate(Buffer.from('a late one')))
  await settle()
  assert.equal(a.discovery.found().size, 2, 'the expired ones make room')
  await attacker[Symbol.asyncDispose]()
})

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

test('a server that cannot be used is an error of that method only', async () => {
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
