import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { deviceIdBytes, parseDeviceId } from '../../../src/core/device-id.ts'
import {
  globallyAnnounced,
  locallyAnnounced,
  receivedAddresses,
  withoutRelayToken,
} from '../../../src/core/network/announced-address.ts'
import { broadcastAddresses, multicastInterfaces } from '../../../src/core/network/broadcast.ts'
import { headerSeconds, parseLookupReply } from '../../../src/core/network/discovery-reply.ts'
import { expandServers, parseDiscoveryServer } from '../../../src/core/network/discovery-server.ts'
import { addressLabel } from '../../../src/core/redact-address.ts'
import { decodeLocalAnnouncement, encodeLocalAnnouncement } from '../../../src/core/network/local-announcement.ts'

interface LocalVector {
  readonly packet_hex: string
  readonly decoded: { readonly id: string; readonly addresses: string[]; readonly instance_id: string }
  readonly source_address?: string
  readonly resulting_rest_system_discovery?: Readonly<Record<string, { readonly addresses: string[] }>>
}

const vectors = (name: string) =>
  JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'vectors', `${name}.json`), 'utf8'))
const LOCAL: readonly LocalVector[] = vectors('local-discovery').announcements
const ID = parseDeviceId('2OCDSFX-4C76I4L-UEAY33Z-YFOF5MK-3TVO2E6-OMM7PV3-P653IQK-IEB4PA5')
const PACKET = encodeLocalAnnouncement({ device: ID, addresses: ['tcp://192.0.2.7:22000'], instanceId: 7n })

test('a packet of local discovery: the bytes of Syncthing, both ways', () => {
  for (const { packet_hex, decoded } of LOCAL) {
    const announcement = decodeLocalAnnouncement(Buffer.from(packet_hex, 'hex'))
    assert.ok(announcement !== undefined && announcement !== 'old')
    assert.equal(Buffer.from(deviceIdBytes(announcement.device)).toString('hex'), decoded.id)
    assert.deepEqual(
      [announcement.addresses, String(announcement.instanceId)],
      [decoded.addresses, decoded.instance_id],
    )
    assert.equal(Buffer.from(encodeLocalAnnouncement(announcement)).toString('hex'), packet_hex)
  }
})

test('a packet that is cut, too long or of another format is not an announcement', () => {
  for (let length = 0; length < 38; length++) {
    assert.equal(decodeLocalAnnouncement(PACKET.subarray(0, length)), undefined, String(length))
  }
  assert.equal(decodeLocalAnnouncement(Buffer.from('7d79bc40ff', 'hex')), 'old')
  for (let at = 0; at < 4; at++) {
    const other = Buffer.from(PACKET)
    other[at]! ^= 1
    assert.equal(decodeLocalAnnouncement(other), undefined, `another magic number at ${at}`)
  }
  const short = Buffer.from(PACKET)
  short[5] = 31 // an id of 31 bytes, and what follows is not a field
  assert.equal(decodeLocalAnnouncement(short), undefined)
  const addresses = Array.from({ length: 129 }, (_, i) => `tcp://192.0.2.1:${i + 1}`)
  const announce = (count: number) =>
    decodeLocalAnnouncement(
      encodeLocalAnnouncement({ device: ID, addresses: addresses.slice(0, count), instanceId: 1n }),
    )
  assert.equal(announce(129), undefined)
  assert.ok(announce(128) !== undefined)
})

test('R-07 received addresses: as Syncthing, except for unknown schemes and port 0', () => {
  const { decoded, source_address, resulting_rest_system_discovery } = LOCAL[1]!
  const expected = Object.values(resulting_rest_system_discovery!)[0]!.addresses
  assert.deepEqual(
    receivedAddresses(decoded.addresses, source_address!),
    expected.filter((address) => !address.startsWith('garbage')),
  )
  assert.deepEqual(receivedAddresses(['tcp://[::]:22000', 'tcp4://0.0.0.0:1', 'tcp6://:2'], 'fe80::1%eth0'), [
    'tcp://[fe80::1%eth0]:22000',
    'tcp6://[fe80::1%eth0]:2',
  ])
  for (const bad of [
    '',
    'tcp://',
    'tcp://h',
    'tcp://h:0',
    'tcp://h:70000',
    'http://h:1',
    'tcp://u@h:1',
    'tcp://h:1/x',
  ]) {
    assert.deepEqual(receivedAddresses([bad], '192.0.2.1'), [], bad)
  }
  assert.deepEqual(receivedAddresses(['tcp://a:1\r\nX: y', `tcp://${'a'.repeat(2_048)}:1`], '192.0.2.1'), [])
})

test('locally announced are hosts that others can reach, and the unspecified one', () => {
  const given = [
    'tcp://0.0.0.0:19109',
    'tcp4://:19110',
    'tcp://127.0.0.1:22000',
    'tcp://[::1]:22000',
    'tcp://224.0.0.1:22000',
    'tcp://[ff02::1]:22000',
    'tcp://10.0.0.7:22000',
    'tcp://10.0.0.7:22000',
    'tcp://[fe80::7]:22000',
    'tcp://localhost:22000',
    'tcp://10.0.0.7:0',
  ]
  assert.deepEqual(locallyAnnounced(given), ['tcp://0.0.0.0:19109', 'tcp://10.0.0.7:22000', 'tcp://[fe80::7]:22000'])
})

test('the token of a relay is never announced', () => {
  const relay = 'relay://192.0.2.99:22067/?id=ABC&token=secret&pingInterval=1m0s&token=again'
  for (const announced of [...locallyAnnounced([relay]), ...globallyAnnounced([relay]), withoutRelayToken(relay)]) {
    assert.equal(announced, 'relay://192.0.2.99:22067/?id=ABC')
  }
  assert.equal(withoutRelayToken('relay://192.0.2.99:22067?token=secret'), 'relay://192.0.2.99:22067')
  assert.deepEqual(globallyAnnounced(['tcp://0.0.0.0:22000', 'quic://h:22000', 'dynamic', 'tcp://h']), [
    'tcp://0.0.0.0:22000',
    'quic://h:22000',
  ])
})

test('discovery servers: options are read and removed', () => {
  const parse = (query: string) => parseDiscoveryServer(`https://192.0.2.1:8443/v2/${query}`)
  assert.deepEqual(parse(''), {
    url: 'https://192.0.2.1:8443/v2/',
    isInsecure: false,
    announces: true,
    looksUp: true,
  })
  const pinned = parse(`?id=${ID}&other=1#x`)
  assert.deepEqual([pinned.url, pinned.pin, pinned.isInsecure], ['https://192.0.2.1:8443/v2/', deviceIdBytes(ID), true])
  assert.deepEqual([parse('?noannounce').announces, parse('?nolookup=1').looksUp], [false, false])
  assert.deepEqual([parse('?noannounce=false').announces, parse('?insecure=true').isInsecure], [true, true])
})

test('discovery servers that cannot be used give the reason', () => {
  const cases: [text: string, reason: RegExp][] = [
    ['http://h/', /^http without insecure not supported$/],
    ['http://h/?insecure', /^http without noannounce not supported$/],
    ['ftp://h/', /^unsupported scheme ftp$/],
    ['https://h/?id=XYZ', /the id of the server is wrong/],
    ['https://user:pass@h/', /user or password/],
    ['nonsense', /^it is not a URL$/],
  ]
  for (const [text, message] of cases) assert.throws(() => parseDiscoveryServer(text), { message }, text)
  assert.equal(parseDiscoveryServer('http://h/?insecure&noannounce').announces, false)
})

test('the label of a server has no options and no password, also of one that cannot be used', () => {
  assert.equal(addressLabel('https://user:secret@h:1/v2/?id=X&token=secret'), 'https://h:1/v2/')
  assert.equal(addressLabel('odd://a:secret@b@c#secret'), 'odd://c')
  assert.equal(addressLabel('x'.repeat(500)).length, 100)
})

test('the names of the default servers are expanded, each server once', () => {
  const lookups = (entries: string[]) => expandServers(entries).map((text) => new URL(text).searchParams.toString())
  assert.deepEqual(lookups(['default']), ['noannounce=', 'nolookup=', 'nolookup='])
  assert.deepEqual(expandServers(['default-v4', 'default-v6', 'default']), expandServers(['default']))
  assert.deepEqual(expandServers(['https://h/']), ['https://h/'])
  for (const text of expandServers(['default'])) assert.equal(parseDiscoveryServer(text).isInsecure, false)
})

test('R-05 replies of a discovery server: the recorded ones, and hostile ones', () => {
  const ok = vectors('global-discovery').server.find(({ name }: { name: string }) => name === 'lookup ok')
  const bytes = (text: string) => Buffer.from(text)
  assert.deepEqual(parseLookupReply(bytes(ok.body)), JSON.parse(ok.body).addresses)
  assert.deepEqual(parseLookupReply(bytes('{"addresses":null}')), [])
  for (const bad of ['', '{', '[]', 'null', '{}', '{"addresses":"x"}', '{"addresses":{}}']) {
    assert.equal(parseLookupReply(bytes(bad)), undefined, bad)
  }
  const many = JSON.stringify({
    addresses: [7, '', 'x'.repeat(2_049), ...Array.from({ length: 500 }, (_, i) => `a${i}`)],
  })
  assert.equal(parseLookupReply(bytes(many))?.length, 128)
})

test('seconds of a header: positive whole numbers up to a day', () => {
  const read = ['1800', ' 60 ', '0', '-1', '1.5', 'soon', '', '999999999', undefined].map(headerSeconds)
  assert.deepEqual(read, [1_800, 60, undefined, undefined, undefined, undefined, undefined, 86_400, undefined])
})

test('broadcast and multicast go to every network except loopback', () => {
  const network = (address: string, prefixLength: number, name: string, isLoopback = false) => {
    return { address, prefixLength, interface: name, isLoopback }
  }
  const networks = [
    network('127.0.0.1', 8, 'lo', true),
    network('::1', 128, 'lo', true),
    network('10.1.2.3', 20, 'eth0'),
    network('10.1.2.4', 20, 'eth0'),
    network('192.168.7.9', 24, 'wlan0'),
    network('198.51.100.4', 31, 'ppp0'),
    network('fe80::1', 64, 'eth0'),
    network('2001:db8::1', 64, 'eth0'),
  ]
  assert.deepEqual(broadcastAddresses(networks), ['10.1.15.255', '192.168.7.255'])
  assert.deepEqual(multicastInterfaces(networks), ['eth0'])
  assert.deepEqual([broadcastAddresses([]), multicastInterfaces([])], [['255.255.255.255'], []])
})
