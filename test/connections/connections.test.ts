import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSimPlatform } from '../../src/platform/sim/platform.ts'
import { reportRow } from '../support/effort.ts'
import { configOf, deviceConfig, Machine } from './machines.ts'
import { A_HOST, B_HOST, B, A_ID, B_ID, pair, TO_B, TO_A } from './sim-pair.ts'

test('B-18: R-22 a device whose address has changed connects again at once, and the lost connection ends', async () => {
  const MOVED_HOST = '10.0.0.3'
  await using two = pair({ b: TO_A })
  two.a.start()
  two.b.start()
  await two.pass(1_000)
  assert.equal(two.a.open(B_ID), 1)
  await two.pass(14_000) // longer than a dial that could cross it
  two.network.partition(A_HOST, B_HOST)
  const platform = createSimPlatform(3, { clock: two.clock, network: two.network, hostName: MOVED_HOST })
  const moved = new Machine(
    platform,
    B,
    configOf(B_ID, [deviceConfig(A_ID, TO_A)], { reconnectionIntervalS: 5 }),
  ).start()
  const [lost] = two.a.made
  await two.pass(1_000)
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
  reportRow({ id: 'B-18', part: 'moved device', tried: 1, readmittedWithinS: 1 })
})

test('R-22 a young connection is not displaced by one from another host', async () => {
  await using two = pair({ b: TO_A })
  two.a.start()
  two.b.start()
  await two.pass(1_000)
  const platform = createSimPlatform(3, { clock: two.clock, network: two.network, hostName: '10.0.0.3' })
  const other = new Machine(platform, B, configOf(B_ID, [deviceConfig(A_ID, TO_A)])).start()
  await two.pass(4_000)
  assert.deepEqual([other.open(A_ID), two.a.made.length, two.a.open(B_ID)], [0, 1, 1])
  const stopping = other.stop()
  await two.pass(30_000)
  await stopping
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
  assert.ok(count >= 3 && count < 50, `${count} dials in five minutes`)
  assert.deepEqual(b.unknownDevices[0]?.device, A_ID)
  assert.equal(b.unknownDevices[0]?.name, `name of ${A_ID.slice(0, 7)}`)
  assert.equal(b.made.length, 0)
  assert.equal(two.a.made.length, 0, 'an unknown device receives no name and is not connected')
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
  const listenAddresses = ['default', 'quic://0.0.0.0:22000', 'tcp://:99999']
  await using two = pair({ aOptions: { listenAddresses, relaysEnabled: false } })
  two.a.start()
  await two.pass(100)
  const errors = () => [...two.a.connections.status().listeners].map(([address, { error }]) => [address, error])
  assert.deepEqual(errors(), [
    ['quic://0.0.0.0:22000', 'QUIC is not supported by Twinfold yet'],
    ['tcp://:99999', 'bad address: its port is too large'],
    ['tcp://0.0.0.0:22000', null],
  ])
  two.a.change({ ...two.a.config, options: { ...two.a.config.options, listenAddresses: ['tcp4://127.0.0.1:22005'] } })
  await two.pass(100)
  assert.deepEqual(errors(), [['tcp4://127.0.0.1:22005', null]])
  assert.ok(two.a.log.lines.some((line) => line.includes('quic://')))
  const onlyQuic = ['quic://0.0.0.0:22000']
  two.a.change({ ...two.a.config, options: { ...two.a.config.options, listenAddresses: onlyQuic } })
  await two.pass(100)
  assert.deepEqual(errors(), [['quic://0.0.0.0:22000', 'QUIC is not supported by Twinfold yet']])
  assert.ok(two.a.log.lines.some((line) => line.includes('other devices cannot connect to this one')))
})

test('`default` includes the public relays only while relays are switched on', async () => {
  await using two = pair({ aOptions: { listenAddresses: ['default'], relaysEnabled: false } })
  two.a.start()
  await two.pass(100)
  const listeners = () => [...two.a.connections.status().listeners.keys()].sort()
  assert.deepEqual(listeners(), ['tcp://0.0.0.0:22000'])
  two.a.change({ ...two.a.config, options: { ...two.a.config.options, relaysEnabled: true } })
  await two.pass(100)
  assert.deepEqual(listeners(), ['dynamic+https://relays.syncthing.net/endpoint', 'tcp://0.0.0.0:22000'])
})
