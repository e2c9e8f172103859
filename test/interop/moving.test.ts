/** A laptop that is connected in one LAN and is plugged into another. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { Lan, missingLan, run } from '../support/lan.ts'
import { LanDevice } from '../support/lan-device.ts'
import { reportRow } from '../support/effort.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { missingSyncthing, quietConfig } from '../support/syncthing.ts'

const skip = missingSyncthing() ?? missingLan() ?? false

async function becomes(device: LanDevice, id: string, isConnected: boolean): Promise<void> {
  await device.until(
    isConnected ? 'the connection' : 'the loss',
    async () => (await device.isConnectedTo(id)) === isConnected || undefined,
  )
}

test('a laptop moves from LAN to LAN while it is connected, and back', { skip }, async () => {
  using scratch = scratchDirectory()
  await using home = await Lan.make('10.77.11')
  await using office = await Lan.make('10.77.12')
  const machine = await home.addHost()
  await using laptop = new LanDevice('twinfold', machine, join(scratch.path, 'laptop'))
  await using atHome = new LanDevice('twinfold', await home.addHost(), join(scratch.path, 'home'))
  await using atOffice = new LanDevice('twinfold', await office.addHost(), join(scratch.path, 'office'))
  const options = { listenAddress: 'tcp://0.0.0.0:22000', localAnnounceEnabled: 'true', reconnectionIntervalS: '60' }
  for (const device of [laptop, atHome, atOffice]) quietConfig(device.home, options)
  const ids = { home: atHome.id, office: atOffice.id }
  for (const other of [atHome, atOffice]) {
    laptop.addDevice(other.id)
    other.addDevice(laptop.id)
  }
  for (const device of [laptop, atHome, atOffice]) device.start()
  for (const device of [laptop, atHome, atOffice]) await device.ready()
  await becomes(laptop, ids.home, true)
  assert.equal(await laptop.isConnectedTo(ids.office), false)
  const connectedAfterMs: number[] = []
  for (const [lan, here, there] of [
    [office, ids.office, ids.home],
    [home, ids.home, ids.office],
  ] as const) {
    const startedMs = performance.now()
    machine.plugInto(lan)
    await becomes(laptop, here, true)
    connectedAfterMs.push(Math.round(performance.now() - startedMs))
    await becomes(laptop, there, false)
  }
  console.log(JSON.stringify({ id: 'laptop-moves-connected', connectedAfterMs }))
})

test('R-22 a device whose IPv4 address changes is connected again by its new one', { skip }, async () => {
  using scratch = scratchDirectory()
  await using lan = await Lan.make('10.77.13')
  const [machine, other] = [await lan.addHost(), await lan.addHost()]
  // An IPv6 address of the link stays the same, and the connection over it.
  for (const { inside } of [machine, other]) run(...inside, 'sysctl', '-qw', 'net.ipv6.conf.all.disable_ipv6=1')
  await using a = new LanDevice('twinfold', machine, join(scratch.path, 'a'))
  await using b = new LanDevice('twinfold', other, join(scratch.path, 'b'))
  const options = { listenAddress: 'tcp://0.0.0.0:22000', localAnnounceEnabled: 'true', reconnectionIntervalS: '60' }
  for (const device of [a, b]) quietConfig(device.home, options)
  const [idA, idB] = [a.id, b.id]
  a.addDevice(idB)
  b.addDevice(idA)
  for (const device of [a, b]) device.start()
  for (const device of [a, b]) await device.ready()
  await becomes(a, idB, true)
  await becomes(b, idA, true)
  const age = async () => {
    const { connections } = (await b.get('/rest/system/connections')) as Connections
    return Date.now() - Date.parse(connections[idA]?.primary.startedAt ?? '')
  }
  await b.until('a connection that no dial crosses', async () => ((await age()) > 11_000 ? true : undefined))
  const startedMs = performance.now()
  run(...machine.inside, 'ip', 'address', 'delete', `${machine.address}/24`, 'dev', 'eth0')
  run(...machine.inside, 'ip', 'address', 'add', '10.77.13.99/24', 'broadcast', '+', 'dev', 'eth0')
  await b.until('a connection to the new address', async () => {
    const { connections } = (await b.get('/rest/system/connections')) as Connections
    return connections[idA]?.primary.address.startsWith('10.77.13.99:') || undefined
  })
  await becomes(a, idB, true)
  reportRow({ id: 'R-22', tried: 1, connectedAfterMs: Math.round(performance.now() - startedMs) })
})

interface Connections {
  readonly connections: Readonly<
    Record<string, { readonly primary: { readonly address: string; readonly startedAt: string } }>
  >
}
