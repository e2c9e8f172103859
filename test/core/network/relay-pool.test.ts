import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { describeFailure, DialError } from '../../../src/core/network/dial-failure.ts'
import { orderByDelay, parseRelayPool } from '../../../src/core/network/relay-pool.ts'
import { sessionHost } from '../../../src/core/network/session-host.ts'
import { NetError, proxyError, relayError } from '../../../src/platform/net-error.ts'

const ID = '2OCDSFX-4C76I4L-UEAY33Z-YFOF5MK-3TVO2E6-OMM7PV3-P653IQK-IEB4PA5'
const RUNS = { numRuns: 500, seed: 22_067 }
const pool = (value: unknown) => parseRelayPool(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)))

test('the reply of a relay pool: its relays, whatever else it contains', () => {
  const url = `relay://192.0.2.1:443/?id=${ID}&pingInterval=1m0s&providedBy=somebody`
  const relays = pool({
    relays: [{ url, stats: {} }, { URL: 'relay://[2001:db8::1]:1' }, { url: 'tcp://x' }, 7, null, {}],
  })
  assert.deepEqual(
    relays?.map(({ host, port, id }) => [host, port, id]),
    [
      ['192.0.2.1', 443, ID],
      ['2001:db8::1', 1, undefined],
    ],
  )
  for (const bad of ['', '{', '[]', 'null', '{"relays":7}', '{"other":[]}']) assert.equal(pool(bad), undefined, bad)
  assert.equal(pool({ relays: Array.from({ length: 5_000 }, () => ({ url })) })?.length, 2_000)
})

test('relays are ordered by delay in steps of 50 ms, the unreachable ones last, equal ones at random', () => {
  const measured = [120, 10, undefined, 49, 130, 51].map((delayMs) => ({ value: delayMs ?? 'none', delayMs }))
  assert.deepEqual(
    orderByDelay(measured, () => 0),
    [10, 49, 51, 120, 130, 'none'],
  )
  assert.deepEqual(
    orderByDelay(measured, (count) => count - 1),
    [49, 10, 51, 130, 120, 'none'],
  )
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat(500), { nil: undefined })), fc.nat(), (delays, seed) => {
      const ordered = orderByDelay(
        delays.map((delayMs, value) => ({ value, delayMs })),
        (count) => seed % count,
      )
      assert.deepEqual([...ordered].sort(), delays.map((_, value) => value).sort())
    }),
    RUNS,
  )
})

test('R-02 a relay cannot direct a session into a private network', () => {
  const relay = '198.51.100.9'
  const cases: [bytes: number[], expected: string][] = [
    [[], relay],
    [[0, 0, 0, 0], relay],
    [Array.from({ length: 16 }, () => 0), relay],
    [[127, 0, 0, 1], relay],
    [[10, 0, 0, 1], relay],
    [[172, 31, 0, 1], relay],
    [[192, 168, 1, 1], relay],
    [[169, 254, 169, 254], relay],
    [[100, 64, 0, 1], relay],
    [[224, 0, 0, 1], relay],
    [[255, 255, 255, 255], relay],
    [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 10, 0, 0, 1], relay],
    [[0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], relay],
    [[0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], relay],
    [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], relay],
    [[203, 0, 113, 5], '203.0.113.5'],
    [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 203, 0, 113, 5], '203.0.113.5'],
    [[0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], '2001:0db8:0000:0000:0000:0000:0000:0001'],
    [[1, 2, 3], relay],
  ]
  for (const [bytes, expected] of cases)
    assert.equal(sessionHost(Uint8Array.from(bytes), relay), expected, bytes.join())
})

test('a failed dial has a reason for programs and a text for users', () => {
  const cases: [error: unknown, reason: string, text: RegExp][] = [
    [new NetError('ECONNREFUSED', 'connect'), 'refused', /refused/],
    [new NetError('ETIMEDOUT', 'timed out after 10 s'), 'timeout', /timed out/],
    [new NetError('ENOTFOUND', 'getaddrinfo'), 'name-not-found', /host name/],
    [new NetError('EHOSTUNREACH', 'connect'), 'unreachable', /route/],
    [proxyError('ECONNREFUSED', 'the proxy answers 403'), 'proxy', /proxy answers 403/],
    [relayError('EHOSTDOWN', 'the device is not connected to this relay'), 'not-on-relay', /this relay/],
    [relayError('ECONNREFUSED', 'the relay refused the session: not found'), 'other', /relay refused/],
    [new NetError('EPROTO', 'the peer showed no certificate'), 'not-a-device', /certificate/],
    [new DialError('wrong-device', 'wrong device: X'), 'wrong-device', /^wrong device: X$/],
    [new Error('odd'), 'other', /^odd$/],
    ['text', 'other', /^text$/],
  ]
  for (const [error, reason, text] of cases) {
    const failure = describeFailure(error)
    assert.equal(failure.reason, reason, String(error))
    assert.match(failure.text, text)
  }
})
