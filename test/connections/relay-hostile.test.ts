/** A relay that misbehaves: only its own address is dialled, sessions are bounded, and direct connections go on. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimNetwork } from '../../src/platform/sim/net.ts'
import { createSimPlatform } from '../../src/platform/sim/platform.ts'
import { reportRow } from '../support/effort.ts'
import { SimRelay } from '../support/sim-relay.ts'
import { configOf, deviceConfig, idOf, Machine, simIdentity } from './machines.ts'

const [OWN_HOST, OTHER_HOST, RELAY_HOST] = ['10.0.0.2', '10.0.0.3', '192.0.2.9']
const OWN = simIdentity('own')
const PEER = simIdentity('peer')
const [OWN_ID, PEER_ID] = [idOf(OWN), idOf(PEER)]

async function settle(): Promise<void> {
  for (let round = 0; round < 8; round++) await new Promise((resolve) => setImmediate(resolve))
}

/** A device that has joined a relay, which may do anything. */
async function joined() {
  const clock = new SimClock()
  const network = new SimNetwork(clock)
  const relay = await new SimRelay(network, RELAY_HOST).start()
  const platform = createSimPlatform(1, { clock, network, hostName: OWN_HOST })
  const options = { listenAddresses: [relay.address, 'tcp://0.0.0.0:22000'], relaysEnabled: true }
  const machine = new Machine(platform, OWN, configOf(OWN_ID, [deviceConfig(PEER_ID, { addresses: [] })], options))
  machine.start()
  const pass = async (ms: number) => {
    await settle()
    await clock.advance(ms, settle)
  }
  await pass(1_000)
  const channel = relay.members.get(OWN_ID)
  assert.ok(channel !== undefined, 'it has joined')
  /** Connections without TLS to a place, which never gets a reply. */
  const dials = (host: string, port: number): { count: number } => {
    const counted = { count: 0 }
    network.listenPlain(host, port, () => void counted.count++)
    return counted
  }
  return {
    clock,
    channel,
    machine,
    relay,
    pass,
    dials,
    async [Symbol.asyncDispose]() {
      const stopping = machine.stop()
      await pass(30_000)
      await stopping
      assert.equal(clock.sleepingCount, 0)
    },
  }
}

const invitation = (address: readonly number[], port: number, key = 'key') =>
  ({
    kind: 'invitation',
    from: PEER_ID,
    key: Buffer.from(key),
    address: Uint8Array.from(address),
    port,
    isServer: true,
  }) as const

test('R-02 invitations to loopback, this machine or other hosts of its network lead to the relay only', async () => {
  await using all = await joined()
  const wrong = [all.dials(OWN_HOST, 8_384), all.dials(OTHER_HOST, 8_384)]
  const right = all.dials(RELAY_HOST, 8_384)
  const targets = [
    [127, 0, 0, 1],
    [10, 0, 0, 2],
    [10, 0, 0, 3],
    [169, 254, 0, 1],
    [0, 0, 0, 0],
    [...Array.from({ length: 10 }, () => 0), 255, 255, 127, 0, 0, 1],
    [...Array.from({ length: 15 }, () => 0), 1],
    [],
  ]
  for (const target of targets) await all.channel.send(invitation(target, 8_384))
  await all.pass(1_000)
  const wrongDials = wrong.reduce((sum, { count }) => sum + count, 0)
  reportRow({ id: 'R-02', tried: targets.length, wrongDials })
  assert.deepEqual([wrongDials, right.count], [0, targets.length])
})

test('R-03 a thousand invitations to sessions that a relay holds: sixteen are open at once, and all end', async () => {
  await using all = await joined()
  const held = all.dials(RELAY_HOST, 9_999)
  for (let i = 0; i < 1_000; i++) await all.channel.send(invitation([], 9_999, `key ${i}`))
  await all.pass(1_000)
  reportRow({ id: 'R-03', tried: 1_000, sessionsAtOnce: held.count })
  assert.equal(held.count, 16)
  await all.pass(20_000)
  await all.channel.send(invitation([], 9_999))
  await all.pass(1_000)
  assert.equal(held.count, 17, 'the held sessions have timed out')
  assert.ok(all.relay.members.has(OWN_ID))
})

test('R-01 an unexpected message of a relay ends its connection, and it is joined again', async () => {
  await using all = await joined()
  await all.channel.send({ kind: 'join-session', key: new Uint8Array(4) })
  await all.pass(100)
  assert.equal(all.relay.members.has(OWN_ID), false)
  await all.pass(60_000)
  assert.equal(all.relay.members.has(OWN_ID), true)
})

test('R-10 a relay that sends too many messages is left, and joined again half an hour later', async () => {
  await using all = await joined()
  for (let i = 0; i < 1_100; i++) await all.channel.send({ kind: 'ping' }).catch(() => {}) // it was left
  await all.pass(1_000)
  assert.equal(all.relay.members.has(OWN_ID), false)
  await all.pass(29 * 60_000)
  assert.equal(all.relay.members.has(OWN_ID), false)
  await all.pass(2 * 60_000)
  assert.equal(all.relay.members.has(OWN_ID), true)
})

test('R-10 messages of a relay set no timers, and a hundred a second are answered', async () => {
  await using all = await joined()
  await all.pass(1_000)
  const before = all.clock.sleepingCount
  const sleep = all.clock.sleep.bind(all.clock)
  let timers = 0
  all.clock.sleep = (delayMs, signal) => {
    timers++
    return sleep(delayMs, signal)
  }
  for (let second = 0; second < 30; second++) {
    for (let i = 0; i < 100; i++) await all.channel.send({ kind: 'ping' })
    await all.pass(1_000)
  }
  assert.equal(all.relay.members.has(OWN_ID), true)
  assert.ok(timers < 30, `${timers} timers for 3,000 messages`)
  assert.equal(all.clock.sleepingCount, before)
})
