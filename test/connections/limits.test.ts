import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KeyValue } from '../../src/db/types.ts'
import { Pending } from '../../src/model/peers/pending.ts'
import { exchangeHellos } from '../../src/protocol/hello.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimNetwork } from '../../src/platform/sim/net.ts'
import { createSimPlatform } from '../../src/platform/sim/platform.ts'
import { casesOf, reportRow } from '../support/effort.ts'
import { quietLogger } from '../support/logger.ts'
import { configOf, idOf, Machine, simIdentity } from './machines.ts'
import { A_HOST, A, A_ID, B_ID, pair, TO_B, TO_A, settle } from './sim-pair.ts'

test('nothing is sent to an ignored device', async () => {
  await using two = pair({ b: TO_A })
  const ignored = { deviceID: B_ID, time: '', name: '', address: '' }
  two.a.change({ ...two.a.config, devices: two.a.config.devices.slice(0, 1), remoteIgnoredDevices: [ignored] })
  two.a.start()
  two.b.start()
  await two.pass(60_000)
  assert.equal(two.a.unknownDevices.length, 0)
  assert.equal(two.b.made.length, 0)
})

test('a device can connect from allowed networks only', async () => {
  await using two = pair({ a: { allowedNetworks: ['192.168.0.0/16'] }, b: TO_A })
  two.a.start()
  two.b.start()
  await two.pass(60_000)
  assert.equal(two.a.made.length, 0)
  const [own, peer] = two.a.config.devices
  two.a.change({ ...two.a.config, devices: [own!, { ...peer!, allowedNetworks: ['!10.0.0.9/32', '10.0.0.0/24'] }] })
  await two.pass(30_000)
  assert.equal(two.a.open(B_ID), 1)
  two.a.change({ ...two.a.config, devices: [own!, { ...peer!, allowedNetworks: ['!10.0.0.0/8'] }] })
  await two.pass(1_000)
  assert.equal(two.a.open(B_ID), 0)
})

test('at connectionLimitMax no further connection is accepted or dialled', async () => {
  await using two = pair({
    a: { ...TO_B, numConnections: 3 },
    b: { ...TO_A, numConnections: 3 },
    aOptions: { connectionLimitMax: 2 },
  })
  two.a.start()
  two.b.start()
  await two.pass(120_000)
  assert.equal(two.a.open(B_ID), 2)
})

test('a connection without a Hello is dropped after twenty seconds and blocks no other', async () => {
  await using two = pair({ b: TO_A })
  two.a.start()
  const idle = await connectAs(two, 'idle')
  let ended = false
  const reading = drain(idle).then(() => (ended = true))
  two.b.start()
  await two.pass(1_000)
  assert.equal(two.a.open(B_ID), 1)
  await two.pass(18_000)
  assert.equal(ended, false)
  await two.pass(2_000)
  await reading
})

test('B-03 the number of unknown devices with a pending Hello is limited', async () => {
  await using two = pair()
  two.a.start()
  const count = 500
  const idle = []
  for (let i = 0; i < count; i++) idle.push(drain(await connectAs(two, `idle ${i}`)))
  await two.pass(100)
  const ended = await Promise.all(idle.map((one) => Promise.race([one.then(() => 1), settle().then(() => 0)])))
  const waiting = count - ended.reduce<number>((sum, one) => sum + one, 0)
  assert.equal(waiting, 64)
  await two.pass(30_000)
  await Promise.all(idle)
})

test('B-03 ever new unknown devices: the list and its disk usage are limited, the newest stay', async () => {
  const clock = new SimClock()
  const network = new SimNetwork(clock)
  const stored = new Map<string, Uint8Array>()
  const keyValue: KeyValue = {
    get: async (key) => stored.get(key),
    set: async (key, value) => void stored.set(key, value),
    delete: async (key) => void stored.delete(key),
    list: async () => [...stored],
  }
  const config = configOf(A_ID, [], { listenAddresses: ['tcp://0.0.0.0:22000'] })
  const pending = new Pending({ clock, keyValue, events: { emit: () => {} }, log: quietLogger('model') }, config)
  const platform = createSimPlatform(1, { clock, network, hostName: A_HOST })
  const a = new Machine(platform, A, config, { onUnknownDevice: (device) => pending.onUnknownDevice(device) }).start()
  await clock.advance(10, settle)
  const count = casesOf(600, 10_000)
  const hello = {
    deviceName: 'x'.repeat(20_000),
    clientName: 'c',
    clientVersion: 'v',
    numConnections: 1,
    timestampNs: 1n,
  }
  let last = ''
  for (let i = 0; i < count; i++) {
    const identity = simIdentity(`unknown ${i}`)
    const signal = new AbortController().signal
    const stream = await network.host('10.0.0.77').dialTls({ host: A_HOST, port: 22_000, identity }, signal)
    await exchangeHellos(stream, hello, clock, signal)
    await stream[Symbol.asyncDispose]()
    last = idOf(identity)
  }
  await settle()
  await pending.saved()
  const bytes = [...stored.values()].reduce((sum, value) => sum + value.length, 0)
  assert.ok(pending.devices.length <= 500)
  assert.equal(pending.devices.at(-1)?.device, last)
  assert.ok(bytes < 500 * 1_024, `${bytes}bytes are stored`)
  reportRow({ id: 'B-03', tried: count, entries: pending.devices.length, bytes })
  const stopping = a.stop()
  await clock.advance(30_000, settle)
  await stopping
})

async function connectAs(two: ReturnType<typeof pair>, name: string) {
  const dialing = two.network
    .host('10.0.0.77')
    .dialTls({ host: A_HOST, port: 22_000, identity: simIdentity(name) }, new AbortController().signal)
  await two.pass(10)
  return await dialing
}

async function drain(stream: { read(): Promise<Uint8Array | undefined> }): Promise<void> {
  try {
    while ((await stream.read()) !== undefined);
  } catch {
    // a reset ends the stream as well
  }
}
