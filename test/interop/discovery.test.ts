/** Devices that find each other: with a real Syncthing and a real discovery server, on hosts of a LAN. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { killOnExit } from '../support/kill-on-exit.ts'
import { Lan, missingLan, type Host } from '../support/lan.ts'
import { LanDevice, type ProgramKind } from '../support/lan-device.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { missingSyncthing, quietConfig } from '../support/syncthing.ts'
import { syncthingServer } from '../support/syncthing-program.ts'

const skip = missingSyncthing() ?? missingLan() ?? false
const SERVER_PORT = 8_443

/** Reachable from the LAN. Everything else is off, except what a test switches on. */
function setOptions({ home }: LanDevice, options: Readonly<Record<string, string>>): void {
  quietConfig(home, { listenAddress: 'tcp://0.0.0.0:22000', reconnectionIntervalS: '5', ...options })
}

function makePair(
  kinds: readonly [ProgramKind, ProgramKind],
  hosts: readonly [Host, Host],
  directory: string,
  options: Readonly<Record<string, string>>,
): readonly [LanDevice, LanDevice] {
  const a = new LanDevice(kinds[0], hosts[0], join(directory, 'a'))
  const b = new LanDevice(kinds[1], hosts[1], join(directory, 'b'))
  for (const device of [a, b]) setOptions(device, options)
  a.addDevice(b.id)
  b.addDevice(a.id)
  return [a, b]
}

/** The other device may have dialled first, so the address may come later than the connection. */
async function hasFound(device: LanDevice, other: LanDevice): Promise<void> {
  const [id, address] = [other.id, `tcp://${other.host.address}:22000`]
  await device.until(`the address ${address}`, async () => {
    const found = (await device.get('/rest/system/discovery')) as Readonly<Record<string, { addresses: string[] }>>
    return found[id]?.addresses.includes(address) || undefined
  })
}

/** Milliseconds until both are connected to each other. */
async function connectMs(a: LanDevice, b: LanDevice, limitMs = 90_000): Promise<number> {
  const startedMs = performance.now()
  const [idA, idB] = [a.id, b.id]
  await a.until('the connection', async () => (await a.isConnectedTo(idB)) || undefined, limitMs)
  await b.until('the connection', async () => (await b.isConnectedTo(idA)) || undefined, limitMs)
  return Math.round(performance.now() - startedMs)
}

for (const kinds of [
  ['twinfold', 'syncthing'],
  ['twinfold', 'twinfold'],
] as const) {
  test(`local discovery: ${kinds.join(' and ')} on one LAN find each other and connect`, { skip }, async () => {
    using scratch = scratchDirectory()
    await using lan = await Lan.make('10.77.1')
    const hosts = [await lan.addHost(), await lan.addHost()] as const
    const [a, b] = makePair(kinds, hosts, scratch.path, { localAnnounceEnabled: 'true' })
    await using _a = a
    await using _b = b
    a.start()
    await a.ready()
    b.start()
    await b.ready()
    const ms = await connectMs(a, b)
    console.log(JSON.stringify({ id: 'local-discovery', kinds, connectedAfterReadyMs: ms }))
    await hasFound(a, b)
    const status = (await a.get('/rest/system/status')) as { discoveryStatus: Record<string, { error: string | null }> }
    assert.equal(status.discoveryStatus['IPv4 local']?.error, null)
  })
}

for (const kinds of [
  ['twinfold', 'syncthing'],
  ['twinfold', 'twinfold'],
] as const) {
  test(`local discovery by IPv6 multicast: ${kinds.join(' and ')} find each other and connect`, { skip }, async () => {
    using scratch = scratchDirectory()
    await using lan = await Lan.make('10.77.6')
    const hosts = [await lan.addHost(), await lan.addHost()] as const
    const [a, b] = makePair(kinds, hosts, scratch.path, { localAnnounceEnabled: 'true' })
    // Different ports for IPv4: its packets reach no device.
    setOptions(a, { localAnnounceEnabled: 'true', localAnnouncePort: '21028' })
    await using _a = a
    await using _b = b
    for (const device of [a, b]) device.start()
    for (const device of [a, b]) await device.ready()
    await connectMs(a, b)
    const idB = b.id
    const addresses = await a.until('an address', async () => {
      const found = (await a.get('/rest/system/discovery')) as Readonly<Record<string, { addresses: string[] }>>
      return found[idB]?.addresses
    })
    assert.ok(
      addresses.some((address) => /^tcp:\/\/\[fe80:[^\]]*%eth0\]:22000$/.test(address)),
      addresses.join(' '),
    )
    const status = (await a.get('/rest/system/status')) as { discoveryStatus: Record<string, { error: string | null }> }
    assert.equal(status.discoveryStatus['IPv6 local']?.error, null)
  })
}

test('a device that moves to the LAN of another is found there', { skip }, async () => {
  using scratch = scratchDirectory()
  await using home = await Lan.make('10.77.2')
  await using cafe = await Lan.make('10.77.3')
  const laptop = await cafe.addHost()
  const [a, b] = makePair(['twinfold', 'twinfold'], [await home.addHost(), laptop], scratch.path, {
    localAnnounceEnabled: 'true',
  })
  await using _a = a
  await using _b = b
  for (const device of [a, b]) device.start()
  for (const device of [a, b]) await device.ready()
  assert.equal(await a.isConnectedTo(b.id), false)
  laptop.plugInto(home)
  console.log(JSON.stringify({ id: 'laptop-moves', connectedAfterMs: await connectMs(a, b) }))
})

for (const [announcer, seeker] of [
  ['twinfold', 'syncthing'],
  ['syncthing', 'twinfold'],
] as const) {
  test(`a real discovery server: ${seeker} finds what ${announcer} announced`, { skip }, async () => {
    using scratch = scratchDirectory()
    await using lan = await Lan.make('10.77.4')
    const hosts = [await lan.addHost(), await lan.addHost(), await lan.addHost()] as const
    await using server = await startServer(hosts[2], scratch.path)
    const [a, b] = makePair([announcer, seeker], [hosts[0], hosts[1]], scratch.path, {
      globalAnnounceEnabled: 'true',
      globalAnnounceServer: server.url,
      announceLANAddresses: 'true',
    })
    await using _a = a
    await using _b = b
    a.start()
    await a.ready()
    const method = `global@${server.url.split('?')[0]}`
    await a.until('the announcement', async () => {
      const { discoveryStatus } = (await a.get('/rest/system/status')) as {
        discoveryStatus: Readonly<Record<string, { readonly error: string | null }>>
      }
      return discoveryStatus[method]?.error === null ? true : undefined
    })
    b.start()
    await b.ready()
    console.log(JSON.stringify({ id: 'global-discovery', seeker, connectedMs: await connectMs(a, b) }))
    await hasFound(b, a)
  })
}

test('a discovery server with another certificate receives nothing', { skip }, async () => {
  using scratch = scratchDirectory()
  await using lan = await Lan.make('10.77.5')
  const [host, other] = [await lan.addHost(), await lan.addHost()]
  await using server = await startServer(other, scratch.path)
  const device = new LanDevice('twinfold', host, join(scratch.path, 'a'))
  await using _device = device
  const wrong = server.url.replace(server.id, device.id)
  setOptions(device, { globalAnnounceEnabled: 'true', globalAnnounceServer: wrong })
  device.start()
  await device.ready()
  const error = await device.until('the error', async () => {
    const { discoveryErrors } = (await device.get('/rest/system/status')) as { discoveryErrors: Record<string, string> }
    const [text] = Object.values(discoveryErrors)
    return text === undefined || text === 'not announced' ? undefined : text
  })
  assert.match(error, /its certificate is another one/)
})

interface Server extends AsyncDisposable {
  readonly url: string
  readonly id: string
}

/** The real stdiscosrv on a host. */
async function startServer(host: Host, directory: string): Promise<Server> {
  const [program, ...args] = [...host.inside, syncthingServer('stdiscosrv'), '--listen', `:${SERVER_PORT}`, '--debug']
  const child = spawn(program!, args, { cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] })
  killOnExit(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const id = await eventually('the discovery server', async () => {
    if (child.exitCode !== null) throw new Error(`stdiscosrv ended: ${output}`)
    return /[A-Z2-7]{7}(-[A-Z2-7]{7}){7}/.exec(output)?.[0]
  })
  return {
    id,
    url: `https://${host.address}:${SERVER_PORT}/v2/?id=${id}`,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM')
        await once(child, 'exit')
      }
    },
  }
}
