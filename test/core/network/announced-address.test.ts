import assert from 'node:assert/strict'
import { test } from 'node:test'
import { globallyAnnounced, locallyAnnounced, receivedAddresses } from '../../../src/core/network/announced-address.ts'

test('every scheme of an announced address demands its family of the source', () => {
  const cases: readonly (readonly [scheme: string, fromIpv4: boolean, fromIpv6: boolean])[] = [
    ['tcp', true, true],
    ['tcp4', true, false],
    ['tcp6', false, true],
    ['quic', true, true],
    ['quic4', true, false],
    ['quic6', false, true],
    ['relay', true, true],
    ['udp', false, false],
    ['constructor', false, false],
  ]
  for (const [scheme, fromIpv4, fromIpv6] of cases) {
    const text = `${scheme}://:22000`
    assert.deepEqual(receivedAddresses([text], '192.0.2.1'), fromIpv4 ? [`${scheme}://192.0.2.1:22000`] : [], text)
    assert.deepEqual(receivedAddresses([text], '2001:db8::1'), fromIpv6 ? [`${scheme}://[2001:db8::1]:22000`] : [])
  }
})

test('what follows the port is kept for a relay', () => {
  assert.deepEqual(receivedAddresses(['relay://0.0.0.0:443/?id=X'], '192.0.2.1'), ['relay://192.0.2.1:443/?id=X'])
  assert.deepEqual(receivedAddresses(['tcp://0.0.0.0:443/?id=X'], '192.0.2.1'), [])
})

test('an address that is received twice is used once', () => {
  const given = ['tcp://0.0.0.0:22000', 'tcp://:22000', 'tcp://192.0.2.1:22000']
  assert.deepEqual(receivedAddresses(given, '192.0.2.1'), ['tcp://192.0.2.1:22000'])
})

test('ports and lengths up to their limits', () => {
  const long = (length: number) => `tcp://${'h'.repeat(length - 'tcp://:1'.length)}:1`
  for (const [text, isUsable] of [
    ['tcp://h:1', true],
    ['tcp://h:65535', true],
    ['tcp://h:65536', false],
    ['tcp://h:0', false],
    [long(2_048), true],
    [long(2_049), false],
  ] as const)
    assert.deepEqual(globallyAnnounced([text]), isUsable ? [text] : [], text.slice(0, 30))
})

test('hosts at the borders of loopback and multicast', () => {
  const cases: readonly (readonly [host: string, isAnnounced: boolean])[] = [
    ['126.255.255.255', true],
    ['127.0.0.0', false],
    ['127.255.255.255', false],
    ['128.0.0.0', true],
    ['223.255.255.255', true],
    ['224.0.0.0', false],
    ['239.255.255.255', false],
    ['240.0.0.1', true],
    ['255.255.255.254', true],
    ['255.255.255.255', false],
    ['[::1]', false],
    ['[::2]', true],
    ['[feff::1]', true],
    ['[ff00::1]', false],
  ]
  for (const [host, isAnnounced] of cases)
    assert.deepEqual(locallyAnnounced([`tcp://${host}:1`]), isAnnounced ? [`tcp://${host}:1`] : [], host)
})
