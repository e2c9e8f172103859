import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAddressGone } from '../../../src/core/network/local-address.ts'

const LISTED = [{ address: '127.0.0.1' }, { address: '192.0.2.7' }, { address: '2001:db8::7' }]

const CASES: readonly (readonly [host: string | undefined, wanted: boolean, note: string])[] = [
  ['192.0.2.7', false, 'listed'],
  ['192.0.2.8', true, 'not listed'],
  ['2001:db8::7', false, 'listed'],
  ['2001:db8:0:0::0007', false, 'listed in another form'],
  ['2001:db8::8', true, 'not listed'],
  ['127.0.0.2', false, 'of the loopback network'],
  ['126.255.255.255', true, 'below the loopback network'],
  ['128.0.0.1', true, 'above the loopback network'],
  ['::2', true, 'not listed'],
  ['example.com', false, 'no address'],
  [undefined, false, 'unknown'],
]

for (const [host, wanted, note] of CASES) {
  test(`a connection from ${host} is ${wanted ? 'cut off' : 'kept'}: ${note}`, () =>
    assert.equal(isAddressGone(host, LISTED), wanted))
}

test('no address is gone where they cannot be listed', () => assert.equal(isAddressGone('192.0.2.8', []), false))
