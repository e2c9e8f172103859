/** D-03: the deletions that a lost index had recorded reach devices that were offline then. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DOCS } from '../support/model.ts'
import { ROOT, type SimDevice } from './device.ts'
import { filesOf, SomeDevices, write } from './some-devices.ts'

const MINUTE = 60_000

async function remove(some: SomeDevices, device: SimDevice, name: string): Promise<void> {
  device.disk.direct.remove(`${ROOT}/${name}`)
  await some.during(device.model?.scan(DOCS) ?? Promise.resolve())
}

async function loseIndex(some: SomeDevices, device: SimDevice): Promise<void> {
  await some.during(device.stop())
  await device.loseIndex()
  await device.start()
}

test('D-03: a device that lost its index passes on a deletion to a device that was offline', async () => {
  await using some = await SomeDevices.startChain('a', 'b', 'c')
  const [a, b, c] = some.devices as [SimDevice, SimDevice, SimDevice]
  for (const name of ['kept', 'removed']) write(a, name, name)
  assert.equal(await some.converge(), undefined)
  await some.during(c.stop())
  await remove(some, a, 'removed')
  await some.pass(MINUTE)
  await loseIndex(some, b)
  await some.pass(MINUTE)
  assert.equal(await (await b.index()).records.get('local', 'removed'), undefined)
  await c.start()
  assert.equal(await some.converge(), undefined)
  for (const device of some.devices) assert.deepEqual(filesOf(device), ['kept: kept'], device.name)
})

test('D-03: a deletion passes two neighbours that both lost their index', async () => {
  await using some = await SomeDevices.startChain('a', 'b', 'c', 'd')
  const [a, b, c, d] = some.devices as [SimDevice, SimDevice, SimDevice, SimDevice]
  write(a, 'kept', 'kept')
  write(a, 'removed', 'removed')
  assert.equal(await some.converge(), undefined)
  await some.during(d.stop())
  await remove(some, a, 'removed')
  await some.pass(MINUTE)
  for (const device of [b, c]) await loseIndex(some, device)
  await some.pass(MINUTE)
  await d.start()
  assert.equal(await some.converge(), undefined)
  for (const device of some.devices) assert.deepEqual(filesOf(device), ['kept: kept'], device.name)
})

test('D-03: a device that lost its index passes on two concurrent deletions of its neighbours', async () => {
  await using some = await SomeDevices.startStar('b', 'a', 'c', 'd')
  const [b, a, c, d] = some.devices as [SimDevice, SimDevice, SimDevice, SimDevice]
  write(a, 'f', 'first')
  assert.equal(await some.converge(), undefined)
  await some.during(a.stop())
  write(d, 'f', 'second') // only the deletion by this device includes this edit
  await some.scanAll()
  await some.pass(MINUTE)
  assert.deepEqual(filesOf(c), ['f: second'])
  await some.during(c.stop())
  await remove(some, d, 'f')
  await some.pass(MINUTE)
  await loseIndex(some, b)
  some.network.partition('a', 'b')
  await a.start()
  await remove(some, a, 'f')
  some.network.heal('a', 'b')
  await some.pass(MINUTE)
  await c.start()
  assert.equal(await some.converge(), undefined)
  for (const device of some.devices) assert.deepEqual(filesOf(device), [], device.name)
})
