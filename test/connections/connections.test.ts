import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeviceConfig, OptionsConfig } from '../../src/core/config/config.ts'
import type { KeyValue } from '../../src/db/types.ts'
import { Pending } from '../../src/model/peers/pending.ts'
import { exchangeHellos } from '../../src/protocol/hello.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimNetwork } from '../../src/platform/sim/net.ts'
import { createSimPlatform } from '../../src/platform/sim/platform.ts'
import { effort, reportRow } from '../support/effort.ts'
import { quietLogger } from '../support/logger.ts'
import { configOf, deviceConfig, idOf, Machine, simIdentity } from './machines.ts'

const A_HOST = '10.0.0.1'
const B_HOST = '10.0.0.2'
const [A, B] = [simIdentity('a'), simIdentity('b')]
const [A_ID, B_ID] = [idOf(A), idOf(B)]

interface PairSettings {
  readonly a?: Partial<DeviceConfig>
  readonly b?: Partial<DeviceConfig>
  readonly aOptions?: Partial<OptionsConfig>
  readonly bOptions?: Partial<OptionsConfig>
  readonly delayMs?: number
}

/** Two machines on one simulated network. `a` and `b` are the configuration of the peer on each. */
function pair(settings: PairSettings = {}) {
  const clock = new SimClock()
  const network = new SimNetwork(clock, { delayMs: settings.delayMs ?? 2 })
  const platformOf = (hostName: string, seed: number) => createSimPlatform(seed, { clock, network, hostName })
  const aConfig = configOf(A_ID, [deviceConfig(B_ID, settings.a)], {
    listenAddresses: ['tcp://0.0.0.0:22000'],
    ...settings.aOptions,
  })
  const bConfig = configOf(B_ID, [deviceConfig(A_ID, settings.b)], {
    listenAddresses: ['tcp://0.0.0.0:22000'],
    ...settings.bOptions,
  })
  const a = new Machine(platformOf(A_HOST, 1), A, aConfig)
  const b = new Machine(platformOf(B_HOST, 2), B, bConfig)
  const pass = (ms: number) => clock.advance(ms, settle)
  return {
    a,
    b,
    clock,
    network,
    pass,
    async [Symbol.asyncDispose]() {
      const stopping = Promise.all([a.stop(), b.stop()])
      await pass(30_000)
      await stopping
      assert.equal(clock.sleepingCount, 0, 'no timer is pending after the stop')
    },
  }
}

const TO_B = { addresses: [`tcp://${B_HOST}`] }
const TO_A = { addresses: [`tcp://${A_HOST}:22000`] }

test('B-18: a device that changed networks reconnects once its lost connection is idle', async () => {
  const MOVED_HOST = '10.0.0.3'
  await using two = pair({ b: TO_A })
  two.a.start()
  two.b.start()
  await two.pass(1_000)
  assert.equal(two.a.open(B_ID), 1)
  two.network.partition(A_HOST, B_HOST)
  const platform = createSimPlatform(3, { clock: two.clock, network: two.network, hostName: MOVED_HOST })
  const moved = new Machine(
    platform,
    B,
    configOf(B_ID, [deviceConfig(A_ID, TO_A)], { reconnectionIntervalS: 5 }),
  ).start()
  await two.pass(60_000)
  assert.equal(moved.open(A_ID), 0, 'refused while the old connection is not idle yet')
  const [lost] = two.a.made
  await two.pass(60_000)
  assert.equal(moved.open(A_ID), 1)
  assert.equal(two.a.open(B_ID), 1)
  assert.equal(two.a.connections.status().devices.get(B_ID)?.primary.address.split(':')[0], MOVED_HOST)
  await two.pass(15_000) // the undeliverable Close times out
  assert.equal(lost?.closed.aborted, true)
  await two.pass(300_000)
  assert.equal(moved.open(A_ID), 1, 'an active connection never counts as idle')
  assert.equal(two.a.made.length, 2)
  const stopping = moved.stop()
  await two.pass(30_000)
  await stopping
  reportRow({ id: 'B-18', part: 'moved device', tried: 1, readmittedWithinS: 120 })
})

test('one dials, the other listens: both report one connection with its details', async () => {
  await using two = pair({ a: TO_B })
  two.b.start()
  await two.pass(100)
  two.a.start()
  await two.pass(1_000)
  const [mine] = two.a.made
  const [theirs] = two.b.made
  assert.equal(mine?.transport, 'tcp-client')
  assert.equal(theirs?.transport, 'tcp-server')
  assert.equal(theirs?.device, A_ID)
  assert.equal(theirs?.isLocal, true)
  assert.equal(mine?.priority, 10)
  assert.equal(mine?.hello.deviceName, `name of ${B_ID.slice(0, 7)}`)
  const status = two.a.connections.status()
  assert.deepEqual(status.lastDials.get(`tcp://${B_HOST}:22000`)?.error, null)
  assert.equal(status.devices.get(B_ID)?.primary.crypto, 'TLS1.3-TLS_AES_128_GCM_SHA256')
  assert.deepEqual(status.listeners.get('tcp://0.0.0.0:22000'), {
    error: null,
    lanAddresses: ['tcp://0.0.0.0:22000'],
    wanAddresses: ['tcp://0.0.0.0:22000'],
  })
})

test('an unreachable device is dialled with backoff and connected within the interval once it listens', async () => {
  await using two = pair({ a: TO_B })
  two.a.start()
  await two.pass(120_000)
  const tries = two.a.log.lines.filter((line) => line.includes('ECONNREFUSED')).length
  assert.ok(tries >= 5 && tries <= 12, `${tries} dials in two minutes`)
  two.b.start()
  await two.pass(25_000)
  assert.equal(two.a.open(B_ID), 1)
})

test('a lost connection is redialled immediately, at most three times in a row', async () => {
  await using two = pair({ a: TO_B })
  two.b.start()
  await two.pass(100)
  two.a.start()
  await two.pass(1_000)
  for (let round = 1; round <= 3; round++) {
    two.network.cut(A_HOST, B_HOST)
    await two.pass(1_000)
    assert.equal(two.a.open(B_ID), 1, `after cut ${round}`)
    two.a.assertConsistent()
  }
  two.network.cut(A_HOST, B_HOST)
  await two.pass(1_000)
  assert.equal(two.a.open(B_ID), 0)
  await two.pass(25_000)
  assert.equal(two.a.open(B_ID), 1)
})

test('a device that does not have us configured is dialled with backoff', async () => {
  await using two = pair({ a: TO_B })
  two.b.config = configOf(B_ID, [], two.b.config.options)
  const b = new Machine(
    createSimPlatform(9, { clock: two.clock, network: two.network, hostName: B_HOST }),
    B,
    two.b.config,
  )
  b.start()
  await two.pass(100)
  two.a.start()
  await two.pass(300_000)
  const count = b.unknownDevices.length
  assert.ok(count >= 3 && count < 25, `${count} dials in five minutes`)
  assert.deepEqual(b.unknownDevices[0]?.device, A_ID)
  assert.equal(b.unknownDevices[0]?.name, `name of ${A_ID.slice(0, 7)}`)
  assert.equal(b.made.length, 0)
  const [mine] = two.a.made
  assert.equal(mine?.hello.deviceName, '', 'an unknown device receives no name')
  const stopping = b.stop()
  await two.pass(30_000)
  await stopping
})

for (const delayMs of [0, 1, 7, 50, 400]) {
  test(`mutual dials at once: the same connections on both sides after one attempt (${delayMs} ms)`, async () => {
    await using two = pair({ a: TO_B, b: TO_A, delayMs })
    two.a.start()
    two.b.start()
    await two.pass(4_000) // the first attempt: the second follows after five seconds
    const count = two.a.open(B_ID)
    assert.ok(count === 1 || count === 2, `${count} connections`)
    assert.equal(two.b.open(A_ID), count)
    // Syncthing would not resend its ClusterConfig on the remaining connection.
    assert.equal(two.a.made.length + two.b.made.length, 2 * count, 'no connection was opened and closed again')
    two.a.assertConsistent()
    two.b.assertConsistent()
    const kept = two.a.openConnections()
    await two.pass(60_000)
    assert.deepEqual(two.a.openConnections(), kept, 'the connections stay open')
  })
}

for (const [own, peer, wanted] of [
  [3, 3, 3],
  [0, 4, 4],
  [1, 3, 1],
  [2, 1, 1],
] as const) {
  test(`numConnections ${own} here and ${peer} there result in ${wanted}`, async () => {
    await using two = pair({ a: { ...TO_B, numConnections: own }, b: { addresses: [], numConnections: peer } })
    two.a.start()
    two.b.start()
    await two.pass(120_000)
    assert.equal(two.a.open(B_ID), wanted)
    assert.equal(two.b.open(A_ID), wanted)
    two.a.assertConsistent()
    two.b.assertConsistent()
  })
}

test('a connection of better priority replaces others; one of worse priority is not dialled', async () => {
  await using two = pair({
    a: { addresses: [`tcp://${B_HOST}:22001`] },
    bOptions: { listenAddresses: ['tcp://:22000', 'tcp://:22001'] },
  })
  two.a.start()
  two.b.start()
  await two.pass(10_000)
  const first = two.a.openConnections()[0]
  assert.equal(first?.priority, 10)
  // The same address now has a better priority.
  two.a.change({ ...two.a.config, options: { ...two.a.config.options, connectionPriorityTcpLan: 5 } })
  two.b.change({ ...two.b.config, options: { ...two.b.config.options, connectionPriorityTcpLan: 5 } })
  await two.pass(30_000)
  assert.equal(first.closed.aborted, true)
  assert.equal(two.a.open(B_ID), 1)
  assert.equal(two.a.openConnections()[0]?.priority, 5)
})

test('pausing closes connections and stops dials until the device is resumed', async () => {
  await using two = pair({ a: TO_B, b: TO_A })
  two.a.start()
  two.b.start()
  await two.pass(10_000)
  const running = two.a.config
  const [own, peer] = running.devices
  two.a.change({ ...running, devices: [own!, { ...peer!, paused: true }] })
  await two.pass(1_000)
  assert.equal(two.a.open(B_ID), 0)
  await two.pass(120_000)
  assert.equal(two.a.open(B_ID), 0)
  two.a.change(running)
  await two.pass(1_000)
  assert.equal(two.a.open(B_ID), 1)
})

test('pausing a device during a stalled Hello blocks nothing else', async () => {
  await using two = pair({ a: TO_B })
  // A peer with the key of b accepts the stream and sends nothing.
  await two.network.host(B_HOST).listenTls({ host: '', port: 22_000, identity: B }, () => {})
  two.a.start()
  await two.pass(1_000)
  const [own, peer] = two.a.config.devices
  two.a.change({
    ...two.a.config,
    devices: [own!, { ...peer!, paused: true }],
    options: { ...two.a.config.options, listenAddresses: ['tcp://0.0.0.0:22009'] },
  })
  await two.pass(100)
  assert.deepEqual([...two.a.connections.status().listeners.keys()], ['tcp://0.0.0.0:22009'])
})

test('on stop, messages queued behind a rate limit are discarded; only the one in progress is sent', async () => {
  await using two = pair({ a: TO_B, aOptions: { maxSendKbps: 1, limitBandwidthInLan: true } })
  two.a.start()
  two.b.start()
  await two.pass(10_000)
  const [sending] = two.a.made
  const update = {
    kind: 'append',
    name: 'large',
    version: [],
    blockIndexes: Array.from({ length: 30_000 }, (_, i) => i),
    blockSizeBytes: 131_072,
  } as const
  let sentCount = 0
  const sent = Array.from({ length: 20 }, () =>
    sending!.downloadProgress('folder', [update]).then(
      () => void sentCount++,
      () => {},
    ),
  )
  await two.pass(5_000)
  const before = sentCount
  const stopping = two.a.stop()
  await two.pass(30_000)
  await stopping
  await Promise.all(sent)
  assert.ok(before < 15, 'the limit holds')
  assert.ok(sentCount - before <= 1, `${sentCount - before} more messages were sent`)
})

test('a removed device is disconnected and reported as unknown afterwards', async () => {
  await using two = pair({ a: TO_B, b: TO_A })
  two.a.start()
  two.b.start()
  await two.pass(10_000)
  two.a.change({ ...two.a.config, devices: two.a.config.devices.slice(0, 1) })
  await two.pass(60_000)
  assert.equal(two.a.open(B_ID), 0)
  assert.equal(two.a.unknownDevices[0]?.device, B_ID)
  assert.equal(two.b.open(A_ID), 0)
})

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

test('a port in use is reported, and bound when it becomes free', async () => {
  await using two = pair()
  const taken = await two.network.host(A_HOST).listenTls({ host: '', port: 22_000, identity: B }, () => {})
  two.a.start()
  await two.pass(1_000)
  assert.match(two.a.connections.status().listeners.get('tcp://0.0.0.0:22000')?.error ?? '', /EADDRINUSE/)
  await taken[Symbol.asyncDispose]()
  await two.pass(60_000)
  assert.equal(two.a.connections.status().listeners.get('tcp://0.0.0.0:22000')?.error, null)
})

test('listen addresses follow the configuration; unusable ones are reported', async () => {
  await using two = pair({ aOptions: { listenAddresses: ['default', 'quic://0.0.0.0:22000', 'tcp://:99999'] } })
  two.a.start()
  await two.pass(100)
  const errors = () => [...two.a.connections.status().listeners].map(([address, { error }]) => [address, error])
  assert.deepEqual(errors(), [
    ['tcp://:99999', 'its port is too large'],
    ['tcp://0.0.0.0:22000', null],
  ])
  two.a.change({ ...two.a.config, options: { ...two.a.config.options, listenAddresses: ['tcp4://127.0.0.1:22005'] } })
  await two.pass(100)
  assert.deepEqual(errors(), [['tcp4://127.0.0.1:22005', null]])
  assert.ok(two.a.log.lines.some((line) => line.includes('quic://')))
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
  const count = effort(600)
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

/** Runs all resolved promises. */
async function settle(): Promise<void> {
  for (let round = 0; round < 3; round++) await new Promise((resolve) => setImmediate(resolve))
}
