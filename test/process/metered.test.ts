/** A metered connection, as a NetworkManager on a real D-Bus has it: what `busctl` reads, and who is connected then. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { nodePrograms } from '../../src/platform/node/programs.ts'
import { readMetered } from '../../src/schedule/conditions.ts'
import { runCommand } from '../support/command.ts'
import { Dbus, missingDbus, NetworkManagerStub } from '../support/dbus.ts'
import { Lan, missingLan, run } from '../support/lan.ts'
import { LanDevice } from '../support/lan-device.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { missingSyncthing, quietConfig } from '../support/syncthing.ts'

const skip = missingDbus() ?? false
const skipLan = missingDbus() ?? missingLan() ?? missingSyncthing() ?? false

test('busctl reads what NetworkManager says; without it or without a bus, nothing is known', { skip }, async () => {
  using scratch = scratchDirectory()
  const bus = await Dbus.start(scratch.path)
  await using bounds = new AsyncDisposableStack()
  bounds.use(bus)
  const environment = { DBUS_SYSTEM_BUS_ADDRESS: bus.address }
  const system = { platform: 'linux', powerSupplies: async () => undefined } as const
  const programs = {
    run: (call: Parameters<typeof nodePrograms.run>[0], signal: AbortSignal) =>
      nodePrograms.run({ ...call, environment }, signal),
  }
  const read = () => readMetered({ programs, system }, new AbortController().signal)
  assert.equal(await read(), 'unknown', 'a bus without NetworkManager')
  const service = await NetworkManagerStub.start(bus, 0)
  const answers: string[] = []
  for (const metered of [0, 1, 2, 3, 4]) {
    service.metered = metered
    answers.push(await read())
  }
  assert.deepEqual(answers, ['unknown', 'yes', 'no', 'yes', 'no'])
  assert.equal(service.asked, 5)
  await service[Symbol.asyncDispose]()
  assert.equal(await read(), 'unknown', 'NetworkManager has ended')
  await bus[Symbol.asyncDispose]()
  assert.equal(await read(), 'unknown', 'the bus has ended')
})

test(
  'metered: only the device at a local address is connected, until it is not metered',
  { skip: skipLan },
  async () => {
    using scratch = scratchDirectory()
    await using bus = await Dbus.start(scratch.path)
    await using service = await NetworkManagerStub.start(bus, 4)
    await using lan = await Lan.make('10.79.1')
    const host = await lan.addHost()
    run(...host.inside, 'ip', 'address', 'add', '203.0.113.7/32', 'dev', 'lo')
    const listening = {
      near: `tcp://${host.address}:22001`,
      far: 'tcp://203.0.113.7:22002',
      own: 'tcp://127.0.0.1:22000',
    }
    const make = (name: keyof typeof listening) => {
      const device = new LanDevice('twinfold', host, join(scratch.path, name))
      quietConfig(device.home, { listenAddress: listening[name], reconnectionIntervalS: '1' })
      return device
    }
    await using near = make('near')
    await using far = make('far')
    await using own = make('own')
    // The other two have no address of ours: they do not connect to us from an address that is local.
    for (const other of ['near', 'far'] as const) {
      const device = { near, far }[other]
      own.addDevice(device.id, listening[other])
      device.addDevice(own.id)
      device.start()
    }
    own.start({ DBUS_SYSTEM_BUS_ADDRESS: bus.address })
    await Promise.all([near, far, own].map((device) => device.ready()))
    const [nearId, farId] = [near.id, far.id]
    const folder = join(scratch.path, 'f')
    const connected = async () => [await own.isConnectedTo(nearId), await own.isConnectedTo(farId)]
    const reads = async (metered: string, expected: readonly boolean[]) => {
      // Any change of a folder lets conditions be read at once, in place of within a minute.
      await own.call('PUT', '/rest/config/folders/f', { id: 'f', path: folder, label: `asked ${service.asked} times` })
      const wanted = `${metered} ${expected.join()}`
      await own.until(wanted, async () => {
        const schedule = (await own.get('/rest/twinfold/schedule')) as { readonly metered: string }
        return `${schedule.metered} ${(await connected()).join()}` === wanted || undefined
      })
    }
    await own.until('both', async () => (await connected()).every(Boolean) || undefined)
    assert.equal(service.asked, 0, 'asked without the setting')
    await own.patch('/rest/twinfold/settings', { meteredLocalOnly: true })
    await reads('no', [true, true])
    service.metered = 1
    await reads('yes', [true, false])
    const where = ['--home', own.home, '--gui-address', `unix://${join(own.home, 'gui.sock')}`]
    assert.match(
      (await runCommand(['why', ...where, farId])).out,
      /metered: only devices at local addresses are connected/,
    )
    service.metered = 2
    await reads('no', [true, true])
    await service[Symbol.asyncDispose]()
    await reads('unknown', [true, true])
  },
)
