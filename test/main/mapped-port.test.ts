/** Two whole devices in simulation: one behind a router with port mapping, the other finds it by a discovery server. */
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { deviceIdFromCertificate } from '../../src/core/device-id.ts'
import { runDaemon } from '../../src/main/daemon.ts'
import { makeCertificate } from '../../src/main/home/certificate.ts'
import type { Identity } from '../../src/platform/net.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimNetwork } from '../../src/platform/sim/net.ts'
import { createSimPlatform, type SimPlatform } from '../../src/platform/sim/platform.ts'
import { simSystem } from '../../src/platform/sim/system.ts'
import { request, settle, SIM_KEY, SIM_OPTIONS } from '../support/sim-daemon.ts'
import { SimRouter } from '../upnp/sim-router.ts'

const [ROUTER, INSIDE, OUTSIDE] = ['192.168.1.1', '192.168.1.10', '198.51.100.20']
const MINUTE_MS = 60_000

const identityOf = (commonName: string, serial: number) =>
  makeCertificate({
    commonName,
    keyType: 'P-256',
    lifetimeDays: 30,
    nowMs: Date.now(),
    serial: new Uint8Array(8).fill(serial),
  })
const idOf = ({ certificatePem }: Identity) => deviceIdFromCertificate(new X509Certificate(certificatePem).raw)

/** One device whose certificate and key are given. */
class Device implements AsyncDisposable {
  readonly platform: SimPlatform
  readonly id: string
  readonly #stop = new AbortController()
  #done: Promise<unknown> | undefined

  constructor(clock: SimClock, network: SimNetwork, hostName: string, identity: Identity) {
    const platform = createSimPlatform(1, { clock, network, hostName })
    const networks = [{ address: hostName, prefixLength: 24, interface: 'eth0', isLoopback: false }]
    const gateways = hostName === INSIDE ? [ROUTER] : []
    this.platform = {
      ...platform,
      system: simSystem(hostName, { networks: () => networks, gateways: async () => gateways }),
    }
    this.id = idOf(identity)
    platform.disk.put(SIM_OPTIONS.locations.certificateFile, identity.certificatePem)
    platform.disk.put(SIM_OPTIONS.locations.keyFile, identity.keyPem)
  }

  async start(options: Readonly<Record<string, unknown>>, other: string): Promise<void> {
    this.#done = runDaemon(this.platform, { ...SIM_OPTIONS, guiApiKey: SIM_KEY }, this.#stop.signal)
    for (let turn = 0; turn < 20; turn++) await settle()
    await this.call('PATCH', '/rest/config/options', { listenAddresses: ['tcp://0.0.0.0:22000'], ...options })
    await this.call('POST', '/rest/config/devices', { deviceID: other, addresses: ['dynamic'] })
  }

  async call(method: string, target: string, body?: unknown): Promise<string> {
    const text = body === undefined ? '' : JSON.stringify(body)
    const reply = await request(this.platform, method, target, text)
    assert.equal(reply.status, 200, reply.text)
    return reply.text
  }

  async wayTo(other: string): Promise<{ connected: boolean; address: string; type: string } | undefined> {
    const { connections } = JSON.parse(await this.call('GET', '/rest/system/connections')) as {
      connections: Readonly<Record<string, { connected: boolean; address: string; type: string }>>
    }
    return connections[other]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    for (let turn = 0; turn < 20; turn++) {
      await settle()
      await this.platform.clock.advance(1_000, settle)
    }
    await this.#done
  }
}

test('a device behind a router is reached at its mapped port, and no longer after it has stopped', async () => {
  const clock = new SimClock()
  const network = new SimNetwork(clock)
  network.partition(INSIDE, OUTSIDE) // without the router nothing passes
  await using router = await SimRouter.start(network, { host: ROUTER, speaks: ['pcp', 'nat-pmp', 'upnp'] })
  const server = await identityOf('disco', 3)
  let announced = '{"addresses":[]}'
  await network.web.listen({ address: 'disco:443', tls: server }, async (incoming) => {
    if (incoming.method === 'GET') return { status: 200, headers: {}, body: announced }
    const body = Buffer.from(await incoming.body(10_000)).toString()
    if (body.includes('44.1.2.3')) announced = body // the other device announces itself, too
    return { status: 204, headers: {} }
  })
  const discovery = { globalAnnounceEnabled: true, globalAnnounceServers: [`https://disco/?id=${idOf(server)}`] }
  await using outside = new Device(clock, network, OUTSIDE, await identityOf('syncthing', 2))
  {
    await using inside = new Device(clock, network, INSIDE, await identityOf('syncthing', 1))
    await inside.start({ ...discovery, natEnabled: true }, outside.id)
    await outside.start(discovery, inside.id)
    await clock.advance(3 * MINUTE_MS, settle)
    const [port] = router.table.keys()
    const wan = `tcp://44.1.2.3:${port}`
    assert.match(await inside.call('GET', '/rest/system/status'), new RegExp(`"${wan}"`))
    assert.match(announced, new RegExp(`"${wan}"`))
    const way = await outside.wayTo(inside.id)
    assert.deepEqual([way?.connected, way?.address, way?.type], [true, `44.1.2.3:${port}`, 'tcp-client'])
    assert.equal((await inside.wayTo(outside.id))?.type, 'tcp-server')
  }
  assert.equal(router.table.size, 0)
  await clock.advance(MINUTE_MS, settle)
  assert.equal((await outside.wayTo(idOf(server)))?.connected ?? false, false)
  assert.equal(network.forwards.size, 0)
})
