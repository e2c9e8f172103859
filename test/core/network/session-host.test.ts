import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sessionHost } from '../../../src/core/network/session-host.ts'

const RELAY = '198.51.100.9'

function ipv4(text: string): Uint8Array {
  return Uint8Array.from(text.split('.').map(Number))
}

/** The first and the last address of each network that is not global, and its neighbours outside. */
const NETWORKS: readonly (readonly [before: string | undefined, first: string, last: string, after?: string])[] = [
  [undefined, '0.0.0.0', '0.255.255.255', '1.0.0.0'],
  ['9.255.255.255', '10.0.0.0', '10.255.255.255', '11.0.0.0'],
  ['100.63.255.255', '100.64.0.0', '100.127.255.255', '100.128.0.0'],
  ['126.255.255.255', '127.0.0.0', '127.255.255.255', '128.0.0.0'],
  ['169.253.255.255', '169.254.0.0', '169.254.255.255', '169.255.0.0'],
  ['172.15.255.255', '172.16.0.0', '172.31.255.255', '172.32.0.0'],
  ['192.167.255.255', '192.168.0.0', '192.168.255.255', '192.169.0.0'],
  ['223.255.255.255', '224.0.0.0', '255.255.255.255'],
]

for (const [before, first, last, after] of NETWORKS) {
  test(`R-02 a relay cannot direct a session to ${first} up to ${last}`, () => {
    for (const inside of [first, last]) assert.equal(sessionHost(ipv4(inside), RELAY), RELAY, inside)
    for (const outside of [before, after]) {
      if (outside !== undefined) assert.equal(sessionHost(ipv4(outside), RELAY), outside)
    }
  })
}

test('R-02 of IPv6 only the global range is used', () => {
  const invited = (hex: string) => sessionHost(Buffer.from(hex.padEnd(32, '0'), 'hex'), RELAY)
  assert.equal(invited('2000'), '2000:0000:0000:0000:0000:0000:0000:0000')
  assert.equal(invited('3fff'), '3fff:0000:0000:0000:0000:0000:0000:0000')
  for (const other of ['1fff', '4000', 'fc00', 'fe80', 'ff02']) assert.equal(invited(other), RELAY, other)
})

test('R-02 an IPv4 address in IPv6 form counts as what it is, and only in that form', () => {
  const mapped = (prefix: string, text: string) =>
    sessionHost(Buffer.concat([Buffer.from(prefix, 'hex'), ipv4(text)]), RELAY)
  assert.equal(mapped('00000000000000000000ffff', '203.0.113.5'), '203.0.113.5')
  assert.equal(mapped('00000000000000000000ffff', '10.0.0.1'), RELAY)
  for (const other of ['00000000000000000000fffe', '00000000000000000000feff', '00000000000000000001ffff'])
    assert.equal(mapped(other, '203.0.113.5'), RELAY, other)
})

test('R-02 bytes that are no address leave the host of the relay', () => {
  for (const length of [0, 1, 3, 5, 15, 17]) assert.equal(sessionHost(new Uint8Array(length).fill(0x20), RELAY), RELAY)
})
