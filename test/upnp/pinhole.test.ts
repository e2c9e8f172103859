import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Home, LISTENER, MINUTE_MS } from './home.ts'

const [ROUTER_V6, OWN_V6] = ['2001:db8:1::1', '2001:db8:1::10']

test('UPnP for IPv6: a hole in the firewall is made, renewed, made again if it is lost, and removed', async () => {
  await using home = new Home()
  home.gateways = []
  home.networks = [{ address: OWN_V6, prefixLength: 64, interface: 'eth0', isLoopback: false }]
  home.listeners = [{ ...LISTENER, host: '' }]
  const router = await home.addRouter({ host: ROUTER_V6, speaks: ['upnp'], service: 'WANIPv6FirewallControl:1' })
  await home.run()
  const hole = { client: OWN_V6, internalPort: '22000', leaseS: 3_600 }
  assert.deepEqual([...router.pinholes], [['1', hole]])
  assert.ok(home.mapping.addressesOf(LISTENER.listener).includes(`tcp://[${OWN_V6}]:22000`))
  router.pinholes.set('1', { ...hole, leaseS: 1 })
  await home.run(31 * MINUTE_MS)
  assert.deepEqual([...router.pinholes], [['1', hole]], 'renewed after natRenewalMinutes')
  router.pinholes.clear() // it has started again
  await home.run(31 * MINUTE_MS)
  assert.deepEqual([...router.pinholes], [['2', hole]])
  assert.equal(home.changes, 1, 'a renewal is no change')
  await home.stop()
  assert.equal(router.pinholes.size, 0)
  assert.deepEqual(
    router.requests.filter((request) => request.endsWith('Pinhole')),
    ['AddPinhole', 'UpdatePinhole', 'UpdatePinhole', 'AddPinhole', 'DeletePinhole'],
  )
})
