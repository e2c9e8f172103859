import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OptionsConfig } from '../../src/core/config/config.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimNetwork } from '../../src/platform/sim/net.ts'
import { createSimPlatform } from '../../src/platform/sim/platform.ts'
import { SimRelay } from '../support/sim-relay.ts'
import { configOf, deviceConfig, idOf, Machine, simIdentity } from './machines.ts'

const [A_HOST, B_HOST, RELAY_HOST] = ['10.0.0.1', '10.0.0.2', '192.0.2.9']
const [A, B] = [simIdentity('a'), simIdentity('b')]
const [A_ID, B_ID] = [idOf(A), idOf(B)]
const MINUTE_MS = 60_000

interface Settings {
  readonly token?: string
  readonly relaysEnabled?: boolean
  /** Addresses of B at A, besides those of the relay. */
  readonly direct?: readonly string[]
  readonly options?: Partial<OptionsConfig>
}

async function settle(): Promise<void> {
  for (let round = 0; round < 8; round++) await new Promise((resolve) => setImmediate(resolve))
}

/** B has joined a relay, and A has the relay's address of B. */
async function relayed(settings: Settings = {}) {
  const { token = '', relaysEnabled = true, direct = [], options = {} } = settings
  const clock = new SimClock()
  const network = new SimNetwork(clock, { delayMs: 2 })
  const relay = await new SimRelay(network, RELAY_HOST, token).start()
  const platformOf = (hostName: string, seed: number) => createSimPlatform(seed, { clock, network, hostName })
  const common = { relaysEnabled, reconnectionIntervalS: 10, ...options }
  const bListens = { listenAddresses: [relay.address, 'tcp://0.0.0.0:22000'], ...common }
  const publicAddress = relay.address.replace(/&.*/, '')
  const toB = { addresses: [...direct, publicAddress] }
  const a = new Machine(platformOf(A_HOST, 1), A, configOf(A_ID, [deviceConfig(B_ID, toB)], common))
  const platformB = platformOf(B_HOST, 2)
  const interfacesOfB = [...platformB.system.networks()]
  const systemB = { ...platformB.system, networks: () => [...interfacesOfB] }
  const b = new Machine(
    { ...platformB, system: systemB },
    B,
    configOf(B_ID, [deviceConfig(A_ID, { addresses: [] })], bListens),
  )
  const pass = async (ms: number) => {
    await settle()
    await clock.advance(ms, settle)
  }
  for (const machine of [b, a]) machine.start()
  return {
    a,
    b,
    relay,
    network,
    pass,
    publicAddress,
    interfacesOfB,
    async [Symbol.asyncDispose]() {
      const stopping = Promise.all([a.stop(), b.stop()])
      await pass(30_000)
      await stopping
      assert.equal(clock.sleepingCount, 0, 'no timer is pending after the stop')
    },
  }
}

const wayOf = (machine: Machine, id: typeof A_ID) => machine.connections.status().devices.get(id)?.primary.type

test('devices connect through a relay, each with its role, never counted as local', async () => {
  await using two = await relayed()
  await two.pass(1_000)
  await two.pass(10_000)
  assert.deepEqual([wayOf(two.a, B_ID), wayOf(two.b, A_ID)], ['relay-client', 'relay-server'])
  const figures = two.a.connections.status().devices.get(B_ID)!.primary
  assert.deepEqual([figures.isLocal, figures.address], [false, `${RELAY_HOST}:22067`])
  assert.deepEqual(two.b.connections.status().listeners.get(two.publicAddress), {
    error: null,
    lanAddresses: [two.publicAddress],
    wanAddresses: [two.publicAddress],
  })
  assert.equal(two.a.connections.status().lastDials.get(two.publicAddress)?.error, null)
})

test('a direct connection replaces a relayed one, and a relay is not used while a direct one works', async () => {
  await using two = await relayed({ direct: [`tcp://${B_HOST}:22000`] })
  two.network.partition(A_HOST, B_HOST)
  await two.pass(3_000)
  assert.equal(wayOf(two.a, B_ID), 'relay-client')
  two.network.heal(A_HOST, B_HOST)
  await two.pass(MINUTE_MS)
  assert.deepEqual([two.a.open(B_ID), wayOf(two.a, B_ID)], [1, 'tcp-client'])
  const sessions = two.relay.sessionCount
  await two.pass(20 * MINUTE_MS)
  assert.deepEqual([wayOf(two.a, B_ID), two.relay.sessionCount], ['tcp-client', sessions])
  two.a.assertConsistent()
})

test('with a direct address that answers, the relay is not asked', async () => {
  await using two = await relayed({ direct: [`tcp://${B_HOST}:22000`] })
  await two.pass(10 * MINUTE_MS)
  assert.deepEqual([wayOf(two.a, B_ID), two.relay.sessionCount], ['tcp-client', 0])
})

test('an address that does not answer delays a relayed connection by a moment only', async () => {
  await using two = await relayed({ direct: ['tcp://198.51.100.7:22000', `tcp://${B_HOST}:22000`] })
  two.network.partition(A_HOST, '198.51.100.7')
  two.network.partition(A_HOST, B_HOST)
  await two.pass(2_500) // a dial takes ten seconds to fail
  assert.equal(wayOf(two.a, B_ID), 'relay-client')
})

test('a relay that ends and returns: the listener joins again, and the devices connect', async () => {
  await using two = await relayed()
  await two.pass(10_000)
  assert.equal(wayOf(two.a, B_ID), 'relay-client')
  two.relay.stop()
  await two.pass(1_000)
  assert.equal(two.a.open(B_ID), 0)
  assert.match(two.b.connections.status().listeners.get(two.publicAddress)?.error ?? '', /ECONN/)
  await two.pass(5 * MINUTE_MS)
  await two.relay.start()
  await two.pass(11 * MINUTE_MS)
  assert.deepEqual([wayOf(two.a, B_ID), wayOf(two.b, A_ID)], ['relay-client', 'relay-server'])
})

test('R-03 a relay that holds an established session: it times out, and the devices connect again', async () => {
  await using two = await relayed()
  await two.pass(10_000)
  assert.equal(two.relay.sessionCount, 1)
  two.relay.isHolding = true
  await two.pass(4 * MINUTE_MS)
  assert.equal(two.a.open(B_ID), 1, 'five minutes without a byte end a connection')
  await two.pass(2 * MINUTE_MS)
  two.relay.isHolding = false
  await two.pass(2 * MINUTE_MS)
  assert.deepEqual([wayOf(two.a, B_ID), wayOf(two.b, A_ID)], ['relay-client', 'relay-server'])
  assert.ok(two.relay.sessionCount > 1)
  two.a.assertConsistent()
})

test('another interface of the machine does not end the connections through a relay', async () => {
  await using two = await relayed()
  await two.pass(10_000)
  const [member] = two.relay.members.values()
  two.interfacesOfB.push({ address: '172.17.0.1', prefixLength: 16, interface: 'docker0', isLoopback: false })
  await two.pass(10_000)
  assert.deepEqual([...two.relay.members.values()], [member])
  assert.equal(wayOf(two.a, B_ID), 'relay-client')
})

test('relaysEnabled: off ends and forbids both directions, on takes effect at once', async () => {
  await using two = await relayed({ relaysEnabled: false })
  await two.pass(MINUTE_MS)
  assert.equal(two.relay.members.size, 0)
  const status = two.a.connections.status().lastDials.get(two.publicAddress)
  assert.deepEqual([status?.error, status?.reason], ['relays are switched off', 'disabled'])
  assert.match(
    String(two.b.connections.status().listeners.get(two.publicAddress.split('?')[0]!)?.error),
    /switched off/,
  )
  const set = (relaysEnabled: boolean) => {
    for (const machine of [two.b, two.a]) {
      machine.change({ ...machine.config, options: { ...machine.config.options, relaysEnabled } })
    }
  }
  set(true)
  await two.pass(20_000)
  assert.equal(wayOf(two.a, B_ID), 'relay-client')
  set(false)
  await two.pass(1_000)
  assert.deepEqual([two.relay.members.size, two.a.open(B_ID), two.b.open(A_ID)], [0, 0, 0])
})

test('the token of a relay admits the listener and appears nowhere', async () => {
  await using two = await relayed({ token: 's3cret' })
  await two.pass(10_000)
  assert.equal(wayOf(two.a, B_ID), 'relay-client')
  const { listeners, lastDials } = two.b.connections.status()
  const shown = JSON.stringify([[...listeners], [...lastDials], two.b.connections.addresses(), two.b.log.lines])
  assert.match(shown, /192\.0\.2\.9/)
  assert.doesNotMatch(shown, /s3cret/)
})

test('a wrong token, and another identity of the relay: reported, and nothing is joined', async () => {
  await using two = await relayed({ token: 's3cret' })
  for (const [from, to, message] of [
    ['s3cret', 'other', /does not accept the token/],
    [two.relay.id, A_ID, /instead of the one in its address/],
  ] as const) {
    const listenAddress = two.relay.address.replace(from, to)
    two.b.change({ ...two.b.config, options: { ...two.b.config.options, listenAddresses: [listenAddress] } })
    await two.pass(2_000)
    const [status] = two.b.connections.status().listeners.values()
    assert.match(status?.error ?? '', message)
    assert.equal(two.relay.members.size, 0)
  }
})

test('a device that is not at the relay is reported in plain words, with the time of the next attempt', async () => {
  await using two = await relayed()
  await two.b.stop()
  await two.pass(5_000)
  const status = two.a.connections.status().lastDials.get(two.publicAddress)
  assert.deepEqual([status?.reason, status?.error], ['not-on-relay', 'the device is not connected to this relay'])
  assert.ok(status?.nextMs !== undefined && status.nextMs > status.whenMs)
})
