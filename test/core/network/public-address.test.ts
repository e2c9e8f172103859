import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseIp } from '../../../src/core/network/ip.ts'
import { isPublicAddress } from '../../../src/core/network/public-address.ts'

test('addresses of this machine, of private and of reserved networks are not public, in every spelling', () => {
  const local = [
    ['0.0.0.0', '0.1.2.3', '10.0.0.1', '100.64.0.1', '100.127.255.255', '127.0.0.1', '127.9.9.9', '169.254.169.254'],
    ['172.16.0.1', '172.31.255.255', '192.0.0.8', '192.0.2.1', '192.168.1.1', '198.18.0.1', '198.51.100.1'],
    ['203.0.113.9', '224.0.0.1', '240.0.0.1', '255.255.255.255', '::', '::1', '::127.0.0.1', '::ffff:127.0.0.1'],
    ['::ffff:10.0.0.1', '::ffff:a9fe:a9fe', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'fc00::1', 'fd12::1', 'ff02::1'],
    ['64:ff9b::10.0.0.1', '64:ff9b::7f00:1', '64:ff9b:1::1', '100::1', '2001::1', '2001:db8::1', '2002:7f00:1::1'],
    ['3fff::1', '5f00::1', '4000::1'],
  ].flat()
  for (const text of local) assert.equal(isPublicAddress(parseIp(text)!), false, text)
  const open = ['1.1.1.1', '8.8.8.8', '100.63.255.255', '100.128.0.1', '172.15.0.1', '172.32.0.1', '223.255.255.255']
  const open6 = ['2606:4700::1111', '2001:4860:4860::8888', '64:ff9b::8.8.8.8', '::ffff:8.8.8.8', '2a00::1']
  for (const text of [...open, ...open6]) assert.equal(isPublicAddress(parseIp(text)!), true, text)
})
