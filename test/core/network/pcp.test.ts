import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodePcpMapping, isPcpReply } from '../../../src/core/network/pcp.ts'

const NONCE = Buffer.from('000102030405060708090a0b', 'hex')
const REQUEST = { localHost: '192.168.1.10', nonce: NONCE, internalPort: 22_000, externalPort: 40_000, lifetimeS: 60 }

function reply({ result = 0, external = '00000000000000000000ffff2c010203', extraBytes = 0 } = {}): Uint8Array {
  const head = Buffer.from(`028100${result.toString(16).padStart(2, '0')}0000003c00000001${'00'.repeat(12)}`, 'hex')
  const map = Buffer.from(`0600000055f09c41${external}`, 'hex')
  return Buffer.concat([head, NONCE, map, Buffer.alloc(extraBytes)])
}

/** The result codes of RFC 6887, section 7.4. */
const RESULTS: readonly (readonly [code: number, reason: RegExp])[] = [
  [1, /version is not supported/],
  [2, /^not authorized$/],
  [3, /request is malformed/],
  [4, /operation is not supported/],
  [5, /option is not supported/],
  [6, /option is malformed/],
  [7, /no network/],
  [8, /no resources/],
  [9, /protocol is not supported/],
  [10, /too many mappings/],
  [11, /external port cannot be provided/],
  [12, /address .* changed on the way/],
  [13, /too many remote peers/],
  [14, /^error 14$/],
  [255, /^error 255$/],
]

for (const [code, reason] of RESULTS) {
  test(`PCP: the reason of result ${code}`, () => {
    const refused = decodePcpMapping(reply({ result: code }), REQUEST)
    assert.ok(refused?.kind === 'refused')
    assert.match(refused.reason, reason)
  })
}

test('PCP: an external address that is not IPv4 is left out', () => {
  const mapped = { kind: 'mapped', externalPort: 40_001, lifetimeS: 60 }
  assert.deepEqual(decodePcpMapping(reply(), REQUEST), { ...mapped, externalHost: '44.1.2.3' })
  for (const external of ['20010db8000000000000000000000001', '00000000000000000000fffe2c010203'])
    assert.deepEqual(decodePcpMapping(reply({ external }), REQUEST), mapped, external)
})

test('PCP: packets of the shortest and the longest length, and one byte beyond', () => {
  assert.equal(reply().length, 60)
  assert.ok(decodePcpMapping(reply({ extraBytes: 1_040 }), REQUEST) !== undefined)
  assert.equal(decodePcpMapping(reply({ extraBytes: 1_041 }), REQUEST), undefined)
  assert.equal(decodePcpMapping(reply().subarray(0, 59), REQUEST), undefined)
  for (const [lengthBytes, isReply] of [
    [23, false],
    [24, true],
    [1_100, true],
    [1_101, false],
  ] as const)
    assert.equal(isPcpReply(Buffer.concat([reply(), Buffer.alloc(1_100)]).subarray(0, lengthBytes)), isReply)
})

test('PCP: a request, another version or another operation is not a reply to it', () => {
  for (const [at, value] of [
    [0, 1],
    [0, 3],
    [1, 0x01],
    [1, 0x80],
    [1, 0x82],
  ] as const) {
    const changed = Buffer.from(reply())
    changed[at] = value
    assert.equal(decodePcpMapping(changed, REQUEST), undefined, `${at}: ${value}`)
  }
  const [ours, request] = [Buffer.from(reply()), Buffer.from(reply())]
  request[1] = 0x7f
  assert.deepEqual([isPcpReply(ours), isPcpReply(request)], [true, false])
})
