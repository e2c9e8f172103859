/** Ports mapped at a real router: miniupnpd of Debian, on a network namespace with NAT. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { Lan, run, type Host } from '../support/lan.ts'
import { LanDevice } from '../support/lan-device.ts'
import { missingRouter, Router, type RouterProtocol } from '../support/miniupnpd.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { missingSyncthing, quietConfig } from '../support/syncthing.ts'

const skip = missingSyncthing() ?? missingRouter() ?? false
/** The router refuses to map ports if its external address is a private one. */
const WAN = '44.128.1'
const INNER_6 = '2001:db8:5::'
const OUTER_6 = '2001:db8:6::'

interface StatusJson {
  readonly connectionServiceStatus: Readonly<Record<string, { readonly wanAddresses: readonly string[] }>>
}

/** The external addresses of a device at routers. */
async function mappedAddresses(device: LanDevice): Promise<readonly string[]> {
  return await device.until('a mapped address', async () => {
    const { connectionServiceStatus } = (await device.get('/rest/system/status')) as StatusJson
    const found = Object.values(connectionServiceStatus).flatMap(({ wanAddresses }) => wanAddresses.slice(1))
    return found.length === 0 ? undefined : found
  })
}

/** A Twinfold behind the router, and a Syncthing outside that dials one address of it. */
function makePair(directory: string, inside: Host, outside: Host) {
  const a = new LanDevice('twinfold', inside, join(directory, 'a'))
  const b = new LanDevice('syncthing', outside, join(directory, 'b'))
  const listen = { listenAddress: 'tcp://0.0.0.0:22000', reconnectionIntervalS: '5' }
  quietConfig(a.home, { ...listen, natEnabled: 'true', natTimeoutSeconds: '5' })
  quietConfig(b.home, listen)
  a.addDevice(b.id)
  return [a, b] as const
}

async function connectFromOutside(a: LanDevice, b: LanDevice, address: string): Promise<void> {
  b.addDevice(a.id, address)
  b.start()
  const [idA, idB] = [a.id, b.id]
  await b.ready()
  await b.until('the connection', async () => (await b.isConnectedTo(idA)) || undefined)
  const { connections } = (await a.get('/rest/system/connections')) as {
    connections: Readonly<Record<string, { readonly type: string }>>
  }
  assert.equal(connections[idB]?.type, 'tcp-server', 'it came from outside')
}

for (const protocol of ['UPnP', 'NAT-PMP', 'PCP'] as const satisfies readonly RouterProtocol[]) {
  test(`${protocol}: a port is mapped, used from outside, renewed, and removed at the stop`, { skip }, async () => {
    using scratch = scratchDirectory()
    await using lan = await Lan.make('10.78.1')
    await using wan = await Lan.make(WAN)
    await using router = await Router.start(lan, wan, protocol, scratch.path)
    const [inside, outside] = [await lan.addHost(), await wan.addHost()]
    router.serve(inside)
    const [a, b] = makePair(scratch.path, inside, outside)
    await using _a = a
    await using _b = b
    a.start()
    await a.ready()
    const startedMs = performance.now()
    const [address = '', withoutHost] = await mappedAddresses(a)
    console.log(
      JSON.stringify({ id: 'port-mapping', protocol, mappedAfterReadyMs: Math.round(performance.now() - startedMs) }),
    )
    const port = Number(/^tcp:\/\/44\.128\.1\.1:(\d+)$/.exec(address)?.[1])
    assert.equal(withoutHost, `tcp://:${port}`)
    assert.match(
      a.output,
      new RegExp(`mapped: port 22000 is 44\\.128\\.1\\.1 ${port} at router 10\\.78\\.1\\.1 \\(${protocol}\\)`),
    )
    await connectFromOutside(a, b, address)
    router.forgetMappings()
    await a.patch('/rest/config/options', { natLeaseMinutes: 30 })
    await eventually(
      'the renewed mapping',
      async () => router.forwards().includes(`dport ${port} `) || undefined,
      30_000,
    )
    await a.stop()
    assert.equal(router.forwards(), '')
    assert.match(a.output, /port \d+ at router 10\.78\.1\.1 is no longer mapped/)
  })
}

test(
  'UPnP for IPv6: the firewall is opened for a connection from outside, and closed at the stop',
  { skip },
  async () => {
    using scratch = scratchDirectory()
    await using lan = await Lan.make('10.78.2')
    await using wan = await Lan.make('44.128.2')
    await using router = await Router.start(lan, wan, 'UPnP', scratch.path, { inner: INNER_6, outer: OUTER_6 })
    const [inside, outside] = [await lan.addHost(), await wan.addHost()]
    for (const [host, network] of [
      [inside, INNER_6],
      [outside, OUTER_6],
    ] as const) {
      run(...host.inside, 'ip', 'address', 'add', `${network}2/64`, 'dev', 'eth0', 'nodad')
      run(...host.inside, 'ip', 'route', 'add', 'default', 'via', `${network}1`)
    }
    const [a, b] = makePair(scratch.path, inside, outside)
    await using _a = a
    await using _b = b
    a.start()
    await a.ready()
    const address = `tcp://[${INNER_6}2]:22000`
    await a.until('the opened firewall', async () => (await mappedAddresses(a)).includes(address) || undefined)
    await connectFromOutside(a, b, address)
    await a.stop()
    assert.equal(router.forwards(), '')
  },
)
