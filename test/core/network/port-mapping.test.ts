import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { gatewaysFromProc, gatewaysFromRoutes } from '../../../src/core/network/default-gateway.ts'
import {
  decodeAddressReply,
  decodeTcpMapping,
  encodeAddressRequest,
  encodeTcpMapping,
} from '../../../src/core/network/nat-pmp.ts'
import {
  decodePcpMapping,
  encodePcpAnnounce,
  encodePcpMapping,
  isPcpReply,
  pcpNonce,
} from '../../../src/core/network/pcp.ts'
import { externalPorts, mappedAddresses, usableExternalHost } from '../../../src/core/network/port-mapping.ts'
import { effort, reportRow } from '../../support/effort.ts'

const hex = (text: string) => new Uint8Array(Buffer.from(text.replaceAll(' ', ''), 'hex'))
const REQUEST = {
  localHost: '192.168.1.10',
  nonce: hex('000102030405060708090a0b'),
  internalPort: 22_000,
  externalPort: 40_000,
  lifetimeS: 3_600,
}
const NONCE = '00010203 04050607 08090a0b'
const LOCAL = '00000000 00000000 0000ffff c0a8010a'
const EXTERNAL = '00000000 00000000 0000ffff 2c010203'

test('NAT-PMP packets as in RFC 6886', () => {
  assert.deepEqual(encodeAddressRequest(), hex('00 00'))
  assert.deepEqual(decodeAddressReply(hex('00 80 0000 00000001 2c010203')), { externalHost: '44.1.2.3' })
  assert.equal(decodeAddressReply(hex('00 80 0003 00000001 00000000')), undefined)
  assert.deepEqual(encodeTcpMapping(22_000, 40_000, 3_600), hex('00 02 0000 55f0 9c40 00000e10'))
  assert.deepEqual(decodeTcpMapping(hex('00 82 0000 00000001 55f0 9c41 00000e10'), 22_000), {
    kind: 'mapped',
    externalPort: 40_001,
    lifetimeS: 3_600,
  })
  assert.deepEqual(decodeTcpMapping(hex('00 82 0002 00000001'), 22_000), { kind: 'refused', reason: 'not authorized' })
  assert.deepEqual(decodeTcpMapping(hex('00 82 0063 00000001'), 22_000), { kind: 'refused', reason: 'error 99' })
  assert.equal(decodeTcpMapping(hex('00 82 0000 00000001 55f1 9c41 00000e10'), 22_000), undefined, 'another port')
})

test('PCP packets as in RFC 6887', () => {
  assert.deepEqual(encodePcpAnnounce('192.168.1.10'), hex(`02 00 0000 00000000 ${LOCAL}`))
  const map = `${NONCE} 06 000000 55f0 9c40 00000000 00000000 0000ffff 00000000`
  assert.deepEqual(encodePcpMapping(REQUEST), hex(`02 01 0000 00000e10 ${LOCAL} ${map}`))
  const head = (result: string) => `02 81 00 ${result} 00000e10 00000001 00000000 00000000 00000000`
  const body = `${NONCE} 06 000000 55f0 9c41 ${EXTERNAL}`
  assert.deepEqual(decodePcpMapping(hex(`${head('00')} ${body}`), REQUEST), {
    kind: 'mapped',
    externalPort: 40_001,
    lifetimeS: 3_600,
    externalHost: '44.1.2.3',
  })
  assert.deepEqual(decodePcpMapping(hex(`${head('02')} ${body}`), REQUEST), {
    kind: 'refused',
    reason: 'not authorized',
  })
  const others = [body.replace('00010203', '00010204'), body.replace('06 ', '11 '), body.replace('55f0', '55f1')]
  for (const other of others) assert.equal(decodePcpMapping(hex(`${head('00')} ${other}`), REQUEST), undefined, other)
  assert.equal(isPcpReply(hex(`02 80 00 00 00000000 00000001 ${'00'.repeat(12)}`)), true)
  assert.equal(isPcpReply(hex(`02 80 00 01 00000000 00000001 ${'00'.repeat(12)}`)), false, 'an unsupported version')
  assert.equal(isPcpReply(hex('00 80 0001 00000001')), false, 'a reply of NAT-PMP')
})

test('PCP: the nonce is the same after a restart, and another for another device, router or port', () => {
  const nonces = [
    pcpNonce('secret', '192.168.1.1', 22_000),
    pcpNonce('other', '192.168.1.1', 22_000),
    pcpNonce('secret', '192.168.1.2', 22_000),
    pcpNonce('secret', '192.168.1.1', 22_001),
  ]
  assert.deepEqual(nonces[0], pcpNonce('secret', '192.168.1.1', 22_000))
  assert.equal(new Set(nonces.map((nonce) => Buffer.from(nonce).toString('hex'))).size, 4)
  assert.equal(nonces[0]?.length, 12)
})

test('R-09 packets of any content are decoded or refused, never a crash', () => {
  const runs = effort(2_000)
  const valid = [
    hex('00 80 0000 00000001 2c010203'),
    hex('00 82 0000 00000001 55f0 9c41 00000e10'),
    hex(`02 81 00 00 00000e10 00000001 ${'00'.repeat(12)} ${NONCE} 06 000000 55f0 9c41 ${EXTERNAL}`),
  ]
  const damaged = fc
    .tuple(fc.constantFrom(...valid), fc.nat(60), fc.nat(255), fc.nat(61))
    .map(([packet, at, value, length]) => {
      const copy = packet.slice(0, length)
      if (at < copy.length) copy[at] = value
      return copy
    })
  let mapped = 0
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 1_200 }), damaged), (packet) => {
      isPcpReply(packet)
      decodeAddressReply(packet)
      for (const reply of [decodeTcpMapping(packet, 22_000), decodePcpMapping(packet, REQUEST)]) {
        if (reply?.kind !== 'mapped') continue
        mapped++
        assert.ok(reply.externalPort >= 0 && reply.externalPort <= 65_535)
      }
    }),
    { numRuns: runs },
  )
  reportRow({ id: 'R-09', tried: runs, mapped })
})

test('external ports depend on device, port and router only', () => {
  const ports = externalPorts('DEVICE', 22_000, 'router')
  assert.deepEqual(ports, externalPorts('DEVICE', 22_000, 'router'))
  assert.notDeepEqual(ports, externalPorts('OTHER', 22_000, 'router'))
  assert.equal(new Set(ports).size, 10)
  for (const port of ports) assert.ok(port >= 1_024 && port <= 65_534)
})

test('an external address that no router can have is not announced', () => {
  for (const host of [
    '0.0.0.0',
    '127.0.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1',
    'ff02::1',
    '',
    'x',
  ]) {
    assert.equal(usableExternalHost(host), undefined, host)
  }
  assert.equal(usableExternalHost(undefined), undefined)
  for (const host of ['44.1.2.3', '10.0.0.1', '100.64.0.1', '2001:db8::1']) assert.equal(usableExternalHost(host), host)
  assert.deepEqual(mappedAddresses('tcp', '44.1.2.3', 4_000), ['tcp://44.1.2.3:4000', 'tcp://:4000'])
  assert.deepEqual(mappedAddresses('tcp', undefined, 4_000), ['tcp://:4000'])
  assert.deepEqual(mappedAddresses('tcp', '2001:db8::1', 22_000), ['tcp://[2001:db8::1]:22000'])
})

test('default routes of Linux, macOS and Windows', () => {
  const linux = [
    'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT',
    'eth0\t00000000\t0101A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0',
    'eth0\t0001A8C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0',
    'wlan0\t00000000\tFE00000A\t0003\t0\t0\t600\t00000000\t0\t0\t0',
    'ppp0\t00000000\t00000000\t0001\t0\t0\t0\t00000000\t0\t0\t0',
    '',
  ].join('\n')
  assert.deepEqual(gatewaysFromProc(linux), ['192.168.1.1', '10.0.0.254'])
  const mac = [
    'Destination        Gateway            Flags  Netif',
    'default            192.168.1.1        UGScg  en0',
    '127                127.0.0.1          UCS    lo0',
    '',
  ].join('\n')
  const windows = '          0.0.0.0          0.0.0.0      192.168.1.1    192.168.1.10     25\n'
  assert.deepEqual([gatewaysFromRoutes(mac), gatewaysFromRoutes(windows)], [['192.168.1.1'], ['192.168.1.1']])
  for (const text of ['', 'x', 'default link#4 UCS en0', '\0'.repeat(100)]) {
    assert.deepEqual([gatewaysFromProc(text), gatewaysFromRoutes(text)], [[], []])
  }
})
