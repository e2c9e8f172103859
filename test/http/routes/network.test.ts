import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PortMappingView } from '../../../src/upnp/types.ts'
import { fakeRest } from '../fakes.ts'

test('port mapping: mapped ports, refusals, and why there are none', async () => {
  const listener = 'tcp://0.0.0.0:22000'
  const common = { listener, internalPort: 22_000 }
  const portMapping: PortMappingView = {
    error: null,
    mappings: () => [
      {
        ...common,
        protocol: 'UPnP',
        gateway: '192.168.1.1',
        externalHost: '44.1.2.3',
        externalPort: 4_000,
        expiresMs: 1_000,
        error: null,
      },
      {
        ...common,
        protocol: 'UPnP IPv6',
        gateway: 'fe80::1',
        externalHost: '2001:db8::1',
        externalPort: 22_000,
        error: null,
      },
      { ...common, protocol: 'NAT-PMP', gateway: '10.0.0.1', externalPort: 5_000, error: null },
      { ...common, protocol: 'PCP', gateway: '10.0.0.2', error: 'PCP: not authorized' },
    ],
  }
  const rest = fakeRest({ deps: { portMapping } })
  const reply = JSON.parse((await rest.send('GET', '/rest/twinfold/network')).body)
  assert.deepEqual(reply, {
    portMapping: {
      enabled: true,
      error: null,
      mappings: [
        {
          ...common,
          protocol: 'UPnP',
          gateway: '192.168.1.1',
          externalAddress: '44.1.2.3:4000',
          expires: '1970-01-01T00:00:01Z',
          error: null,
        },
        { ...common, protocol: 'UPnP IPv6', gateway: 'fe80::1', externalAddress: '[2001:db8::1]:22000', error: null },
        { ...common, protocol: 'NAT-PMP', gateway: '10.0.0.1', externalAddress: ':5000', error: null },
        { ...common, protocol: 'PCP', gateway: '10.0.0.2', error: 'PCP: not authorized' },
      ],
    },
  })
})
