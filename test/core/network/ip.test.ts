import assert from 'node:assert/strict'
import { BlockList, isIP } from 'node:net'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { hostOf, isLinkLocal, isLoopback, isWithin, parseIp, parseNetwork } from '../../../src/core/network/ip.ts'
import { isAllowedNetwork, lanCheck } from '../../../src/core/network/lan.ts'

const addresses: [text: string, family: 4 | 6 | undefined, value?: bigint][] = [
  ['127.0.0.1', 4, 0x7f000001n],
  ['255.255.255.255', 4, 0xffffffffn],
  ['256.0.0.1', undefined],
  ['1.2.3', undefined],
  ['01.2.3.4', undefined],
  ['::', 6, 0n],
  ['::1', 6, 1n],
  ['1::', 6, 1n << 112n],
  ['fe80::1%eth0', 6, (0xfe80n << 112n) | 1n],
  ['1:2:3:4:5:6:7:8', 6, 0x00010002000300040005000600070008n],
  ['1:2:3:4:5:6:7', undefined],
  ['1:2:3:4:5:6:7:8:9', undefined],
  ['1::2::3', undefined],
  ['1:2:3:4:5:6:7::8', undefined],
  [':::', undefined],
  ['::ffff:10.1.2.3', 4, 0x0a010203n],
  ['::10.1.2.3', 6, 0x0a010203n],
  ['10.1.2.3::', undefined],
  ['12345::', undefined],
  ['example.com', undefined],
  ['', undefined],
]
for (const [text, family, value] of addresses) {
  test(`parseIp: ${JSON.stringify(text)} is ${family ?? 'no address'}`, () => {
    const ip = parseIp(text)
    assert.equal(ip?.family, family)
    if (value !== undefined) assert.equal(ip?.value, value)
  })
}

test('parseIp accepts the same texts as the system', () => {
  const piece = fc.constantFrom(
    '0',
    '1',
    'a',
    'ffff',
    '12345',
    '::',
    ':',
    '.',
    '1.2.3.4',
    '255',
    '256',
    'g',
    '%',
    '%eth0',
    '00',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('')
      // The system accepts `%` in both families, also with nothing before or after it.
      fc.pre(!text.includes('%'))
      assert.equal(parseIp(text) !== undefined, isIP(text) !== 0, text)
    }),
    { numRuns: 5_000 },
  )
  fc.assert(fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => assert.ok(parseIp(text) !== undefined, text)))
})

test('networks contain the same addresses as in the system', () => {
  const ipv4 = fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 }), fc.ipV4())
  const ipv6 = fc.tuple(fc.ipV6(), fc.integer({ min: 0, max: 128 }), fc.ipV6())
  for (const [family, cases] of [
    ['ipv4', ipv4],
    ['ipv6', ipv6],
  ] as const) {
    fc.assert(
      fc.property(cases, ([base, length, other]) => {
        fc.pre(family === 'ipv4' || (parseIp(base)?.family === 6 && parseIp(other)?.family === 6))
        const list = new BlockList()
        list.addSubnet(base, length, family)
        const network = parseNetwork(`${base}/${length}`)
        const ip = parseIp(other)
        assert.ok(network !== undefined && ip !== undefined)
        assert.equal(isWithin(ip, network), list.check(other, family))
        assert.ok(isWithin(parseIp(base)!, network))
      }),
      { numRuns: 1_000 },
    )
  }
})

test('an invalid network is undefined', () => {
  for (const text of ['', '10.0.0.0', '10.0.0.0/33', '::/129', 'x/8', '10.0.0.0/-1', '10.0.0.0/8/8'])
    assert.equal(parseNetwork(text), undefined, text)
})

test('loopback and link-local networks: their first and last addresses, and the neighbours of these', () => {
  const kinds: readonly (readonly [host: string, kind: 'loopback' | 'link-local' | 'neither'])[] = [
    ['126.255.255.255', 'neither'],
    ['127.0.0.0', 'loopback'],
    ['127.255.255.255', 'loopback'],
    ['128.0.0.0', 'neither'],
    ['0.0.0.1', 'neither'],
    ['::', 'neither'],
    ['::1', 'loopback'],
    ['::2', 'neither'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['169.253.255.255', 'neither'],
    ['169.254.0.0', 'link-local'],
    ['169.254.255.255', 'link-local'],
    ['169.255.0.0', 'neither'],
    ['fe7f:ffff::', 'neither'],
    ['fe80::', 'link-local'],
    ['febf:ffff::', 'link-local'],
    ['fec0::', 'neither'],
  ]
  for (const [host, kind] of kinds) {
    const ip = parseIp(host)!
    assert.deepEqual([isLoopback(ip), isLinkLocal(ip)], [kind === 'loopback', kind === 'link-local'], host)
  }
})

test('the host of an address with a port', () => {
  for (const [text, host] of [
    ['1.2.3.4:5', '1.2.3.4'],
    ['[::1]:5', '::1'],
    ['[fe80::1%eth0]:5', 'fe80::1%eth0'],
    ['name:22000', 'name'],
    ['name', 'name'],
    ['::1', '::1'],
  ]) {
    assert.equal(hostOf(text!), host)
  }
})

const allowed: [host: string, list: string[], allowed: boolean][] = [
  ['1.2.3.4', [], true],
  ['10.0.0.1', ['10.0.0.0/8'], true],
  ['11.0.0.1', ['10.0.0.0/8'], false],
  ['10.0.0.1', ['!10.0.0.0/24', '10.0.0.0/8'], false],
  ['10.1.0.1', ['!10.0.0.0/24', '10.0.0.0/8'], true],
  ['10.0.0.1', ['10.0.0.0/8', '!10.0.0.0/24'], true], // the first match decides
  ['fe80::1%eth0', ['fe80::/10'], true],
  ['::ffff:10.0.0.1', ['10.0.0.0/8'], true],
  ['10.0.0.1', ['nonsense'], false],
  ['name', ['0.0.0.0/0'], false],
]
for (const [host, list, expected] of allowed) {
  test(`allowedNetworks [${list.join(' ')}] ${expected ? 'allows' : 'denies'} ${host}`, () =>
    assert.equal(isAllowedNetwork(host, list), expected))
}

test('local addresses', () => {
  const here = lanCheck(
    [
      { address: '192.168.7.2', prefixLength: 24 },
      { address: '2001:db8::2', prefixLength: 64 },
    ],
    ['100.64.0.0/10', 'typo'],
  )
  for (const host of [
    '127.0.0.1',
    '127.9.9.9',
    '::1',
    '169.254.1.1',
    'fe80::1%eth0',
    '192.168.7.200',
    '2001:db8::ffff',
    '100.64.1.1',
  ])
    assert.ok(here(host), host)
  for (const host of ['192.168.8.1', '10.0.0.1', '8.8.8.8', '2001:db8:1::1', 'localhost', ''])
    assert.ok(!here(host), host)
  const blind = lanCheck([], [])
  for (const host of ['192.168.8.1', '10.0.0.1', '172.31.0.1', 'fd00::1']) assert.ok(blind(host), host)
  for (const host of ['172.32.0.1', '8.8.8.8']) assert.ok(!blind(host), host)
})
