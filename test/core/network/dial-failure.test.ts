import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeFailure } from '../../../src/core/network/dial-failure.ts'
import { NetError, relayError } from '../../../src/platform/net-error.ts'

/** Each code of the system, what programs get for it, and a word that users need in the text. */
const CODES: readonly (readonly [code: string, reason: string, text: RegExp])[] = [
  ['ECONNREFUSED', 'refused', /no program listens/],
  ['ETIMEDOUT', 'timeout', /no answer/],
  ['EHOSTUNREACH', 'unreachable', /to this address/],
  ['ENETUNREACH', 'unreachable', /to this network/],
  ['EADDRNOTAVAIL', 'unreachable', /kind of address/],
  ['ENOTFOUND', 'name-not-found', /not found/],
  ['EAI_AGAIN', 'name-not-found', /could not be looked up/],
  ['ECONNRESET', 'rejected', /closed by the other side/],
  ['EPIPE', 'rejected', /closed by the other side/],
  ['EHOSTDOWN', 'not-on-relay', /not connected to this relay/],
  ['EPROTO', 'not-a-device', /^no encrypted connection .*: odd$/],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'not-a-device', /^no encrypted connection .*: odd$/],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'not-a-device', /^no encrypted connection .*: odd$/],
  ['ERR_SOCKET_CLOSED', 'other', /^ERR_SOCKET_CLOSED: odd$/],
  ['constructor', 'other', /^constructor: odd$/],
]

for (const [code, reason, text] of CODES) {
  test(`a dial that fails by ${code} is "${reason}"`, () => {
    const failure = describeFailure(new NetError(code, 'odd'))
    assert.equal(failure.reason, reason)
    assert.match(failure.text, text)
  })
}

test('a relay that is not connected to the device is described by its code, other refusals by their text', () => {
  assert.equal(describeFailure(relayError('EHOSTDOWN', 'odd')).reason, 'not-on-relay')
  assert.deepEqual(describeFailure(relayError('ETIMEDOUT', 'odd')), { reason: 'other', text: 'ETIMEDOUT: odd' })
  for (const text of ['the relay is full', 'the proxy refused'])
    assert.equal(describeFailure(new NetError('ETIMEDOUT', text)).reason, 'timeout', 'of the other end')
})
