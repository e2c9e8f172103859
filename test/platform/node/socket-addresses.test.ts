import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasAddresses } from '../../../src/platform/node/net/socket-addresses.ts'

test('a socket whose network interface is gone has no addresses, and reading them throws nothing', () => {
  const gone = {
    localAddress: 'fe80::1',
    get remoteAddress(): string {
      throw Object.assign(new Error('ENXIO: no such device or address, uv_if_indextoiid'), { code: 'ENXIO' })
    },
  }
  assert.equal(hasAddresses(gone), false)
  assert.equal(hasAddresses({ localAddress: 'fe80::1', remoteAddress: 'fe80::2%eth0' }), true)
  assert.equal(hasAddresses({}), false)
})
