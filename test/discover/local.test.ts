import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeviceId } from '../../src/core/ids.ts'
import { deviceIdFromCertificate } from '../../src/core/device-id.ts'
import { encodeLocalAnnouncement } from '../../src/core/network/local-announcement.ts'
import { configOf, idOf, simIdentity } from '../connections/machines.ts'

import { Lan, MINUTE_MS, DISCOVERY_OFF, settle } from './lan.ts'

test('two devices in one network find each other within a second', async () => {
  await using lan = new Lan()
  const a = lan.start('a', { localAnnounceEnabled: true })
  await lan.advance(10_000)
  const b = lan.start('b', { localAnnounceEnabled: true })
  await lan.advance(1_000)
  assert.deepEqual([await a.lookup(b.id), await b.lookup(a.id)], [['tcp://b:22000'], ['tcp://a:22000']])
  assert.deepEqual([a.found, b.found], [[`${b.id} tcp://b:22000`], [`${a.id} tcp://a:22000`]])
  assert.deepEqual([...b.discovery.found()], [[a.id, ['tcp://a:22000']]])
  assert.deepEqual([...a.discovery.status()][0], ['IPv4 local', null])
})

test('switched off, nothing is sent, and nothing is received', async () => {
  await using lan = new Lan()
  const a = lan.start('a', {})
  const b = lan.start('b', { localAnnounceEnabled: true })
  await lan.advance(2 * MINUTE_MS)
  assert.deepEqual([a.found, b.found, [...a.discovery.status()]], [[], [], []])
})

test('switched on and off while it runs', async () => {
  await using lan = new Lan()
  const a = lan.start('a', {})
  const b = lan.start('b', { localAnnounceEnabled: true })
  await lan.advance(1_000)
  a.discovery.apply(configOf(a.id, [], { ...DISCOVERY_OFF, localAnnounceEnabled: true }))
  await lan.advance(2_000)
  assert.equal(b.found.length, 1)
  a.discovery.apply(configOf(a.id, [], DISCOVERY_OFF))
  await lan.advance(1_000)
  assert.deepEqual(await a.lookup(b.id), [])
  await lan.advance(2 * MINUTE_MS)
  assert.deepEqual(await b.lookup(a.id), [], 'an entry ends 90 s after the last packet')
  assert.deepEqual([...b.discovery.found().keys()], [a.id], 'and stays in the list')
})

test('a device that moves to another network is found there, no longer here', async () => {
  await using lan = new Lan()
  const [a, b, c] = ['a', 'b', 'c'].map((name) => lan.start(name, { localAnnounceEnabled: true }))
  lan.network.datagrams.moveTo('c', 'elsewhere')
  await lan.advance(MINUTE_MS)
  assert.deepEqual([await a!.lookup(c!.id), await a!.lookup(b!.id)], [[], ['tcp://b:22000']])
  lan.network.datagrams.moveTo('b', 'elsewhere')
  await lan.advance(2 * MINUTE_MS)
  assert.deepEqual([await a!.lookup(b!.id), await c!.lookup(b!.id)], [[], ['tcp://b:22000']])
})

test('fifty devices on one network all find each other, and the packets stay few', async () => {
  await using lan = new Lan()
  let packets = 0
  const host = lan.network.datagrams.host('counter')
  await using _socket = await host.open(
    { family: 4, port: 21_027 },
    { onDatagram: () => void packets++, onError: () => {} },
  )
  const all = Array.from({ length: 50 }, (_, i) => lan.start(`d${i}`, { localAnnounceEnabled: true }))
  await lan.advance(5_000)
  for (const one of all) assert.equal(one.found.length, 49)
  const atStart = packets
  await lan.advance(MINUTE_MS)
  console.log(
    JSON.stringify({
      id: 'local-discovery',
      devices: 50,
      packetsAtStart: atStart,
      packetsPerMinute: packets - atStart,
    }),
  )
  assert.ok(atStart <= 50 * 6, `${atStart} packets in five seconds`)
  assert.equal(packets - atStart, 50 * 2, 'one packet of each in 30 seconds')
})

test('R-06 a device that claims to have started again with every packet is reported once a second', async () => {
  await using lan = new Lan()
  const a = lan.start('a', { localAnnounceEnabled: true })
  await lan.advance(2_000)
  const host = lan.network.datagrams.host('attacker')
  await using attacker = await host.open({ family: 4, port: 5_000 }, { onDatagram: () => {}, onError: () => {} })
  const device = idOf(simIdentity('restless'))
  let instanceId = 0n
  const churn = async (packets: number): Promise<void> => {
    for (let i = 0; i < packets; i++) {
      const packet = { device, addresses: [`tcp://:${1 + i}`], instanceId: ++instanceId }
      await attacker.send(encodeLocalAnnouncement(packet), { host: '255.255.255.255', port: 21_027 })
    }
    await settle()
  }
  await churn(100)
  assert.equal(a.found.length, 1)
  assert.deepEqual(await a.lookup(device), ['tcp://attacker:100'], 'the addresses are those of the last packet')
  await lan.advance(1_000)
  await churn(100)
  assert.equal(a.found.length, 2)
})

test('R-06 forged packets: unknown devices are bounded, configured ones are not displaced', async () => {
  await using lan = new Lan()
  const friend = idOf(simIdentity('friend'))
  const a = lan.start('a', { localAnnounceEnabled: true }, [friend])
  await settle()
  const attacker = await lan.network.datagrams
    .host('attacker')
    .open({ family: 4, port: 5_000 }, { onDatagram: () => {}, onError: () => {} })
  const announce = (device: DeviceId, instanceId = 1n) =>
    attacker.send(encodeLocalAnnouncement({ device, addresses: ['tcp://:22000'], instanceId }), {
      host: '255.255.255.255',
      port: 21_027,
    })
  for (let i = 0; i < 1_000; i++) await announce(deviceIdFromCertificate(Buffer.from(`device ${i}`)))
  await announce(friend)
  await announce(a.id)
  await attacker.send(Buffer.from('2ea7d90b0a05', 'hex'), { host: 'a', port: 21_027 })
  await settle()
  assert.equal(a.discovery.found().size, 257)
  assert.deepEqual(await a.lookup(friend), ['tcp://attacker:22000'])
  assert.equal(a.discovery.found().has(a.id), false)
  await lan.advance(100_000)
  await announce(deviceIdFromCertificate(Buffer.from('a late one')))
  await settle()
  assert.equal(a.discovery.found().size, 2, 'the expired ones make room')
  await attacker[Symbol.asyncDispose]()
})

test('R-21 a forged announcement does not displace the right one, nor do eight hosts for long', async () => {
  await using lan = new Lan()
  const friend = lan.start('friend', { localAnnounceEnabled: true })
  const a = lan.start('a', { localAnnounceEnabled: true }, [friend.id])
  await lan.advance(2_000)
  assert.deepEqual(await a.lookup(friend.id), ['tcp://friend:22000'])
  const forge = async (host: string, addresses: readonly string[]): Promise<void> => {
    const socket = await lan.network.datagrams
      .host(host)
      .open({ family: 4, port: 5_000 }, { onDatagram: () => {}, onError: () => {} })
    const packet = encodeLocalAnnouncement({ device: friend.id, addresses, instanceId: 7n })
    await socket.send(packet, { host: '255.255.255.255', port: 21_027 })
    await socket[Symbol.asyncDispose]()
    await settle()
  }
  await forge(
    'attacker',
    Array.from({ length: 64 }, (_, i) => `quic://192.0.2.1:${i + 1}`),
  )
  assert.ok((await a.lookup(friend.id)).includes('tcp://friend:22000'))
  await forge(
    'attacker',
    Array.from({ length: 128 }, (_, i) => `tcp://192.0.2.1:${i + 1}`),
  )
  const [known = []] = a.discovery.lookup(friend.id)
  assert.deepEqual([known.length, known.indexOf('tcp://friend:22000')], [64, 1], 'the sources take turns')
  for (let host = 0; host < 20; host++) await forge(`attacker${host}`, ['tcp://:22000'])
  assert.equal((await a.lookup(friend.id)).length, 8, 'sources are bounded')
  a.announced.length = 0
  await lan.advance(30_000)
  assert.ok(a.announced.includes(friend.id), 'the next announcement is dialled')
  assert.ok((await a.lookup(friend.id)).includes('tcp://friend:22000'))
})

test('R-22 a changed address is announced within two seconds and answered, and answers end', async () => {
  await using lan = new Lan()
  const [far, near] = [idOf(simIdentity('far')), idOf(simIdentity('near'))]
  const a = lan.start('near', { localAnnounceEnabled: true }, [far])
  const b = lan.start('far', { localAnnounceEnabled: true }, [near])
  const packets: string[] = []
  await using _socket = await lan.network.datagrams
    .host('counter')
    .open({ family: 4, port: 21_027 }, { onDatagram: (_, from) => void packets.push(from.host), onError: () => {} })
  await lan.advance(20_000)
  for (const each of [a, b]) each.announced.length = 0
  packets.length = 0
  b.networks = [{ address: '10.0.0.9', prefixLength: 24, interface: 'eth0', isLoopback: false }]
  b.addresses = ['tcp://10.0.0.9:22000']
  await lan.advance(2_000)
  assert.deepEqual([b.networkChanges, a.announced, packets.includes('near')], [2, [far], true], 'by IPv4 and IPv6')
  assert.deepEqual(await a.lookup(far), ['tcp://10.0.0.9:22000'])
  packets.length = 0
  await lan.advance(10 * MINUTE_MS)
  const perMinute = packets.length / 10
  assert.ok(perMinute >= 4 && perMinute <= 8, `${perMinute} packets of two devices in a minute, not connected`)
  a.connected.add(far)
  b.connected.add(near)
  await lan.advance(MINUTE_MS)
  packets.length = 0
  a.announced.length = 0
  await lan.advance(10 * MINUTE_MS)
  assert.deepEqual([packets.length, a.announced], [40, []], 'connected: a packet of each in 30 seconds, no answer')
})

test('R-22 forged announcements are answered once a second at most', async () => {
  await using lan = new Lan()
  const friend = idOf(simIdentity('friend'))
  const a = lan.start('a', { localAnnounceEnabled: true }, [friend])
  await lan.advance(2_000)
  let answers = 0
  await using attacker = await lan.network.datagrams
    .host('attacker')
    .open(
      { family: 4, port: 21_027 },
      { onDatagram: (_, { host }) => void (answers += host === 'a' ? 1 : 0), onError: () => {} },
    )
  for (let second = 0; second < 10; second++) {
    for (let i = 0; i < 100; i++) {
      const packet = { device: friend, addresses: [`tcp://:${1 + second * 100 + i}`], instanceId: BigInt(i) }
      await attacker.send(encodeLocalAnnouncement(packet), { host: '255.255.255.255', port: 21_027 })
    }
    await lan.advance(1_000)
  }
  assert.ok(answers <= 11 && a.announced.length <= 11, `${answers} answers to 1,000 packets`)
})
