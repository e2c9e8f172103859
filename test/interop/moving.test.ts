/** A laptop that is connected in one LAN and is plugged into another. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { Lan, missingLan } from '../support/lan.ts'
import { LanDevice } from '../support/lan-device.ts'
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
