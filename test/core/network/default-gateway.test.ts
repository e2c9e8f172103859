import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewaysFromProc, gatewaysFromRoutes } from '../../../src/core/network/default-gateway.ts'

const line = (gateway: string, flags: string, destination = '00000000') =>
  `eth0\t${destination}\t${gateway}\t${flags}\t0`

test('only routes that are up and have a gateway count', () => {
  for (const [flags, isUsed] of [
    ['0003', true],
    ['0007', true],
    ['0001', false],
    ['0002', false],
    ['0000', false],
    ['', false],
  ] as const)
    assert.deepEqual(gatewaysFromProc(line('0101A8C0', flags)), isUsed ? ['192.168.1.1'] : [], flags)
  assert.deepEqual(gatewaysFromProc(line('0101A8C0', '0003', '0001A8C0')), [], 'a route to one network')
  for (const odd of ['0101A8C', '0101A8C00', '0101A8CG']) assert.deepEqual(gatewaysFromProc(line(odd, '0003')), [], odd)
})

test('every gateway once, 16 at most', () => {
  const many = Array.from({ length: 20 }, (_, i) => line(`${(i + 1).toString(16).padStart(2, '0')}01A8C0`, '0003'))
  const expected = Array.from({ length: 16 }, (_, i) => `192.168.1.${i + 1}`)
  assert.deepEqual(gatewaysFromProc([many[0], ...many].join('\n')), expected)
})

test('routes of other programs: only the default one, and only to an IPv4 address', () => {
  assert.deepEqual(gatewaysFromRoutes('default 192.168.1.1 UG en0\ndefault 192.168.1.1 UG en1\n'), ['192.168.1.1'])
  for (const other of ['default 1 UG', 'default 999.1.1.1 UG', 'x default 192.168.1.1 UG', '0.0.0.0 192.168.1.1 UG'])
    assert.deepEqual(gatewaysFromRoutes(`${other}\n`), [], other)
})
