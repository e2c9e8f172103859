/** Two whole devices of one simulated LAN: what REST reports about how they find each other. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressParts, type AddressParts } from '../../src/core/network/address-parts.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimNetwork } from '../../src/platform/sim/net.ts'
import { settle } from '../support/sim-daemon.ts'
import { identityOf, WholeDevice } from './whole-device.ts'

const [HOST_A, HOST_B] = ['192.168.1.10', '192.168.1.11']

interface Event {
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
}

test('devices of a LAN: connected within a second of simulated time, and reported by events and status', async () => {
  const clock = new SimClock()
  const network = new SimNetwork(clock, { delayMs: 2 })
  await using a = new WholeDevice({ clock, network }, HOST_A, await identityOf('syncthing', 1))
  await using b = new WholeDevice({ clock, network }, HOST_B, await identityOf('syncthing', 2))
  await a.start({ localAnnounceEnabled: true }, b.id)
  await b.start({ localAnnounceEnabled: true }, a.id)
  await clock.advance(1_000, settle)
  const events = JSON.parse(
    await a.call('GET', '/rest/events?events=DeviceDiscovered,ListenAddressesChanged&timeout=0'),
  ) as readonly Event[]
  const dataOf = (wanted: string) => events.filter(({ type }) => type === wanted).map(({ data }) => data)
  assert.deepEqual(dataOf('DeviceDiscovered')[0], { addrs: [`tcp://${HOST_B}:22000`], device: b.id })
  const listening = dataOf('ListenAddressesChanged').at(-1)
  assert.deepEqual(listening?.['address'], addressParts('tcp://0.0.0.0:22000'))
  const lan = listening['lan'] as readonly AddressParts[]
  assert.ok(lan.some(({ Scheme, Host }) => Scheme === 'tcp' && Host === `${HOST_A}:22000`))
  const found = JSON.parse(await a.call('GET', '/rest/system/discovery')) as Readonly<Record<string, unknown>>
  assert.deepEqual(found[b.id], { addresses: [`tcp://${HOST_B}:22000`] })
  const status = JSON.parse(await a.call('GET', '/rest/system/status')) as {
    discoveryEnabled: boolean
    discoveryErrors: Readonly<Record<string, string>>
    discoveryStatus: Readonly<Record<string, { error: string | null }>>
  }
  assert.deepEqual([status.discoveryEnabled, status.discoveryStatus['IPv4 local']], [true, { error: null }])
  assert.equal(status.discoveryErrors['IPv4 local'], undefined)
  const { connected = false } = (await a.wayTo(b.id)) ?? {}
  assert.equal(connected, true)
})
