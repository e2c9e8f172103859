import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LocalHosts } from '../../src/connections/local-hosts.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimNetwork } from '../../src/platform/sim/net.ts'
import { createSimPlatform } from '../../src/platform/sim/platform.ts'
import type { InterfaceAddress } from '../../src/platform/platform.ts'
import type { TlsStream } from '../../src/platform/net.ts'
import type { Connection } from '../../src/protocol/types.ts'
import { configOf, deviceConfig, idOf, Machine, simIdentity } from './machines.ts'

const [A_HOST, B_HOST] = ['10.0.0.1', '10.0.0.2']
const [A, B] = [simIdentity('a'), simIdentity('b')]

async function settle(): Promise<void> {
  for (let round = 0; round < 6; round++) await new Promise((resolve) => setImmediate(resolve))
}

const at = (address: string): InterfaceAddress => ({ address, prefixLength: 24, interface: 'eth0', isLoopback: false })

test('after a change of the network a device is dialled within seconds, not after the backoff', async () => {
  const clock = new SimClock()
  const network = new SimNetwork(clock, { delayMs: 2 })
  const platformOf = (hostName: string, seed: number) => createSimPlatform(seed, { clock, network, hostName })
  const platform = platformOf(A_HOST, 1)
  let networks = [at(A_HOST)]
  let changes = 0
  const toB = deviceConfig(idOf(B), { addresses: [`tcp://${B_HOST}:22000`] })
  const a = new Machine(
    { ...platform, system: { ...platform.system, networks: () => networks } },
    A,
    configOf(idOf(A), [toB], { reconnectionIntervalS: 600 }),
    { onNetworkChange: () => void changes++ },
  ).start()
  const pass = (ms: number) => clock.advance(ms, settle)
  await pass(30 * 60_000) // nothing listens at B: the next attempt is minutes away
  const listening = { listenAddresses: ['tcp://0.0.0.0:22000'] }
  const b = new Machine(platformOf(B_HOST, 2), B, configOf(idOf(B), [deviceConfig(idOf(A))], listening)).start()
  await pass(20_000)
  assert.equal(a.open(idOf(B)), 0)
  networks = [at('10.0.0.7')]
  await pass(6_000)
  assert.deepEqual([a.open(idOf(B)), changes], [1, 1])
  a.connections.checkNetwork() // nothing has changed since
  assert.equal(changes, 1)
  const stopping = Promise.all([a.stop(), b.stop()])
  await pass(30_000)
  await stopping
  assert.equal(clock.sleepingCount, 0)
})

test('connections from an address that the machine no longer has are dead', () => {
  const hosts = new LocalHosts()
  const connect = (localHost?: string): Connection => {
    const connection = { device: idOf(A) } as Connection
    hosts.record(connection, { ...(localHost !== undefined && { localHost }) } as TlsStream)
    return connection
  }
  const [gone, kept, zoned, loopback, unknown] = [
    connect('192.168.1.5'),
    connect('10.0.0.7'),
    connect('fe80::1%eth0'),
    connect('127.0.0.2'),
    connect(),
  ]
  const all = [gone, kept, zoned, loopback, unknown]
  assert.deepEqual(hosts.dead(all, [at('10.0.0.7'), at('fe80::1'), at('127.0.0.1')]), [gone])
  assert.deepEqual(hosts.dead(all, []), [], 'the addresses cannot be listed')
})
