import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimNetwork } from '../../src/platform/sim/net.ts'
import { createSimPlatform } from '../../src/platform/sim/platform.ts'
import type { TlsStream } from '../../src/platform/net.ts'
import { writeClusterConfig } from '../../src/protocol/cluster-config.ts'
import { writeFrame } from '../../src/protocol/frame.ts'
import { exchangeHellos } from '../../src/protocol/hello.ts'
import { configOf, deviceConfig, idOf, Machine, simIdentity } from './machines.ts'
import { B_ID, pair, TO_B } from './sim-pair.ts'

const OWN_HOST = '10.0.0.1'
const PEER_HOST = '10.0.0.2'
const [OWN, PEER] = [simIdentity('own'), simIdentity('peer')]
const PEER_ID = idOf(PEER)

/** A Hello to a device that is not configured, as Syncthing sends it. */
const UNNAMED = { deviceName: '', numConnections: 0 }

const NO_FOLDERS = { folders: [], secondary: false }

async function writeAll(stream: TlsStream, pieces: readonly Uint8Array[]): Promise<void> {
  for (const piece of pieces) await stream.write(piece)
}

/** A machine that dials a scripted peer. The peer's Hello on connections that it accepts is `accepting`. */
function setUp(numConnections: number, accepting: typeof UNNAMED) {
  const clock = new SimClock()
  const network = new SimNetwork(clock, { delayMs: 2 })
  const config = configOf(idOf(OWN), [deviceConfig(PEER_ID, { addresses: [`tcp://${PEER_HOST}`], numConnections })], {
    listenAddresses: ['tcp://0.0.0.0:22000'],
  })
  const own = new Machine(createSimPlatform(1, { clock, network, hostName: OWN_HOST }), OWN, config)
  const peer = network.host(PEER_HOST)
  const never = new AbortController().signal
  const exchange = (stream: TlsStream, hello: typeof UNNAMED) =>
    exchangeHellos(
      stream,
      { ...hello, clientName: 'syncthing', clientVersion: 'v1.29.5', timestampNs: 1n },
      clock,
      never,
    )
  const pass = (ms: number) => clock.advance(ms, settle)
  return {
    own,
    pass,
    async start() {
      await peer.listenTls({ host: '', port: 22_000, identity: PEER }, (stream) => {
        void exchange(stream, accepting)
          .then(() => writeAll(stream, writeFrame('ClusterConfig', [writeClusterConfig(NO_FOLDERS)], 'never')))
          .catch(() => {})
      })
      own.start()
      await pass(1_000)
    },
    /** Whether a dial of the peer got our Hello. */
    async dial(hello: typeof UNNAMED): Promise<boolean> {
      const dialled = peer.dialTls({ host: OWN_HOST, port: 22_000, identity: PEER }, never)
      await pass(100)
      const stream = await dialled
      const exchanged = exchange(stream, hello).then(
        () => true,
        () => false,
      )
      await pass(1_000)
      return await exchanged
    },
    async [Symbol.asyncDispose]() {
      const stopping = own.stop()
      await pass(30_000)
      await stopping
    },
  }
}

test('a device that added us during the handshake opens the connections that it announces afterwards', async () => {
  await using two = setUp(4, UNNAMED)
  await two.start()
  assert.equal(two.own.open(PEER_ID), 1)
  const KNOWN = { deviceName: 'peer', numConnections: 4 }
  for (const count of [2, 3, 4]) {
    assert.ok(await two.dial(KNOWN))
    assert.ok(two.own.open(PEER_ID) >= count, `${two.own.open(PEER_ID)} of ${count}`)
  }
  await two.pass(60_000)
  assert.equal(two.own.open(PEER_ID), 4)
  assert.equal(await two.dial(KNOWN), false, 'a fifth is refused before the Hello')
})

test('a device that announced one connection is refused a second one before the Hello', async () => {
  await using two = setUp(4, { deviceName: 'peer', numConnections: 1 })
  await two.start()
  assert.equal(await two.dial({ deviceName: 'peer', numConnections: 4 }), false)
  assert.equal(two.own.open(PEER_ID), 1)
})

test('with one connection configured, a device without an announced number is refused a second one', async () => {
  await using two = setUp(1, UNNAMED)
  await two.start()
  assert.equal(await two.dial({ deviceName: 'peer', numConnections: 4 }), false)
  assert.equal(two.own.open(PEER_ID), 1)
})

test('a changed number of connections is announced by connecting again', async () => {
  await using two = setUp(1, { deviceName: 'peer', numConnections: 3 })
  await two.start()
  assert.equal(two.own.open(PEER_ID), 1)
  const [first] = two.own.made
  const { config } = two.own
  const devices = config.devices.map((device) => ({ ...device, name: `${device.name}!`, numConnections: 1 }))
  two.own.change({ ...config, devices })
  await two.pass(60_000)
  assert.equal(first?.closed.aborted, false, 'the announced number is the same')
  two.own.change({ ...config, devices: devices.map((device) => ({ ...device, numConnections: 2 })) })
  await two.pass(60_000)
  assert.equal(first?.closed.aborted, true)
  assert.equal(two.own.open(PEER_ID), 3)
})

async function settle(): Promise<void> {
  for (let round = 0; round < 3; round++) await new Promise((resolve) => setImmediate(resolve))
}

test('several connections to one device are one line in the log, and so is their end', async () => {
  const network = pair({ a: { ...TO_B, numConnections: 3 }, b: { numConnections: 3 } })
  network.a.start()
  network.b.start()
  const infos = (about: RegExp) => network.a.log.lines.filter((line) => line.startsWith('INFO') && about.test(line))
  await network.pass(10_000)
  assert.equal(network.a.open(B_ID), 3)
  assert.equal(infos(/ connected to /).length, 1)
  await network.b.stop()
  await network.pass(1_000)
  assert.equal(network.a.open(B_ID), 0)
  assert.equal(infos(/ ended: /).length, 1)
  await network[Symbol.asyncDispose]()
})
