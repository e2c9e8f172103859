import assert from 'node:assert/strict'
import { test } from 'node:test'
import { externalPorts } from '../../src/core/network/port-mapping.ts'
import { descriptionOf } from './sim-router.ts'
import { DEVICE, Home, LISTENER, MINUTE_MS, LOCAL_ADDRESS, ROUTER } from './home.ts'

for (const [protocol, speaks] of [
  ['PCP', ['pcp', 'nat-pmp', 'upnp']],
  ['NAT-PMP', ['nat-pmp', 'upnp']],
  ['UPnP', ['upnp']],
] as const) {
  test(`${protocol}: a port is mapped, renewed, and removed at the end`, async () => {
    await using home = new Home()
    const router = await home.addRouter({ speaks })
    await home.run()
    const [port = 0] = router.table.keys()
    assert.deepEqual([...router.table.values()], [{ client: LOCAL_ADDRESS, internalPort: '22000', leaseS: 3_600 }])
    const [status] = home.mapping.mappings()
    assert.deepEqual(
      [status?.protocol, status?.gateway, status?.externalPort, status?.error],
      [protocol, ROUTER, port, null],
    )
    assert.deepEqual(home.mapping.addressesOf(LISTENER.listener), [`tcp://44.1.2.3:${port}`, `tcp://:${port}`])
    assert.equal(home.changes, 1)
    router.table.clear()
    await home.run(31 * MINUTE_MS)
    assert.deepEqual([...router.table.keys()], [port], 'renewed after natRenewalMinutes, at the same port')
    assert.equal(home.changes, 1, 'a renewal is no change')
    await home.stop()
    assert.deepEqual([router.table.size, home.mapping.mappings().length], [0, 0])
  })
}

test('switched off, no packet is sent; switched on and off while it runs', async () => {
  await using home = new Home({ natEnabled: false })
  const router = await home.addRouter({ speaks: ['pcp', 'nat-pmp', 'upnp'] })
  await home.run(3 * 60 * MINUTE_MS)
  assert.deepEqual(router.requests, [])
  home.mapping.apply(home.config())
  await home.run()
  assert.equal(router.table.size, 1)
  home.mapping.apply(home.config({ natEnabled: false }))
  await home.run()
  assert.deepEqual([router.table.size, home.mapping.addressesOf(LISTENER.listener), home.changes], [0, [], 2])
})

test('error 725: a router that grants permanent mappings only gets a request for one', async () => {
  await using home = new Home()
  const refuse = (fields: ReadonlyMap<string, string>) => (fields.get('NewLeaseDuration') === '0' ? undefined : 725)
  const router = await home.addRouter({ speaks: ['upnp'], refuse })
  await home.run()
  assert.deepEqual(
    [...router.table.values()].map(({ leaseS }) => leaseS),
    [0],
  )
  assert.equal(home.mapping.mappings()[0]?.expiresMs, undefined)
  await home.stop()
  assert.equal(router.table.size, 0, 'a permanent mapping is removed, too')
})

test('errors 718 and 724: another port is tried, or the internal one where no other is allowed', async () => {
  await using busy = new Home()
  const [first, second] = externalPorts(
    DEVICE,
    22_000,
    'uuid:00000000-0000-0000-0000-000000000001 urn:schemas-upnp-org:service:WANIPConnection:1',
  )
  const refuse = (fields: ReadonlyMap<string, string>) =>
    fields.get('NewExternalPort') === String(first) ? 718 : undefined
  await busy.addRouter({ speaks: ['upnp'], refuse })
  await busy.run()
  assert.equal(busy.mapping.mappings()[0]?.externalPort, second)
  await using strict = new Home()
  await strict.addRouter({
    speaks: ['upnp'],
    refuse: (fields) => (fields.get('NewExternalPort') === '22000' ? undefined : 724),
  })
  await strict.run()
  assert.equal(strict.mapping.mappings()[0]?.externalPort, 22_000)
})

test('a router that refuses is shown with the reason, asked again, and does not hide another', async () => {
  await using home = new Home()
  await home.addRouter({ speaks: ['upnp'], refuse: () => 718 })
  const other = await home.addRouter({ host: '192.168.1.2', speaks: ['nat-pmp'] })
  home.gateways = [ROUTER, '192.168.1.2']
  await home.run()
  const states = home.mapping.mappings().map(({ gateway, error }) => [gateway, error])
  assert.deepEqual(states.toSorted(), [
    [ROUTER, 'UPnP: every tried external port is in use'],
    ['192.168.1.2', null],
  ])
  const asked = other.requests.length
  await home.run(6 * MINUTE_MS)
  assert.ok(other.requests.length > asked, 'all are asked again after five minutes')
})

test('no router: the reason is shown, and the search is repeated', async () => {
  await using home = new Home()
  await home.run()
  assert.equal(home.mapping.error, 'no router was found that maps ports')
  const router = await home.addRouter({ speaks: ['pcp'] })
  await home.run(6 * MINUTE_MS)
  assert.deepEqual([home.mapping.error, router.table.size], [null, 1])
  assert.equal(home.log.lines.filter((line) => line.includes('no router')).length, 1)
})

test('a router that fell silent: the address is withdrawn', async () => {
  await using home = new Home()
  const router = await home.addRouter({ speaks: ['pcp'] })
  await home.run()
  router.isSilent = true
  await home.run(32 * MINUTE_MS)
  assert.deepEqual(home.mapping.addressesOf(LISTENER.listener), [])
  assert.equal(home.mapping.mappings()[0]?.error, 'PCP: no reply')
  router.isSilent = false
  await home.run(6 * MINUTE_MS)
  assert.equal(home.mapping.addressesOf(LISTENER.listener).length, 2)
})

test('a stop does not wait for a silent router', async () => {
  await using home = new Home()
  const router = await home.addRouter({ speaks: ['upnp', 'pcp'] })
  await home.run()
  router.isSilent = true
  // Without the limit the stop would not end within the five seconds that `stop` advances, and hang.
  await home.stop()
  assert.ok(home.log.lines.some((line) => line.includes('could not be removed')))
})

test('listeners: one mapping each; one on a single address only at its router; removed with the listener', async () => {
  await using home = new Home()
  const router = await home.addRouter({ speaks: ['upnp'] })
  home.listeners = [
    LISTENER,
    { listener: 'tcp4://192.168.1.10:22001', scheme: 'tcp4', host: LOCAL_ADDRESS, port: 22_001, family: 4 },
    { listener: 'tcp://10.0.0.1:22002', scheme: 'tcp', host: '10.0.0.1', port: 22_002 },
    { listener: 'tcp6://:22003', scheme: 'tcp6', host: '', port: 22_003, family: 6 },
  ]
  await home.run()
  assert.deepEqual(
    [...router.table.values()].map(({ internalPort }) => internalPort),
    ['22000', '22001'],
  )
  home.listeners = [LISTENER]
  home.mapping.listenersChanged()
  await home.run()
  assert.deepEqual(
    [...router.table.values()].map(({ internalPort }) => internalPort),
    ['22000'],
  )
  const asked = router.requests.length
  home.mapping.listenersChanged()
  await home.run()
  assert.equal(router.requests.length, asked, 'the same listeners need no request')
})

test('without a listener no router is asked; the first listener is mapped at once', async () => {
  await using home = new Home()
  home.listeners = []
  const router = await home.addRouter({ speaks: ['pcp', 'upnp'] })
  await home.run(60 * MINUTE_MS)
  assert.deepEqual(router.requests, [])
  home.listeners = [LISTENER]
  home.mapping.listenersChanged()
  await home.run()
  assert.equal(router.table.size, 1)
})

test('another network: the mapping of the old one is given up without waiting for its router', async () => {
  await using home = new Home()
  await home.addRouter({ speaks: ['pcp'] })
  await home.run()
  home.networks = [{ address: '10.9.9.9', prefixLength: 24, interface: 'wlan0', isLoopback: false }]
  home.gateways = ['10.9.9.1']
  const cafe = await home.addRouter({ host: '10.9.9.1', speaks: ['nat-pmp'] })
  home.mapping.networkChanged()
  await home.run(30_000)
  assert.deepEqual(
    home.mapping.mappings().map(({ gateway }) => gateway),
    ['10.9.9.1'],
  )
  assert.equal(cafe.table.size, 1)
})

test('R-09 a forged reply leads to no request to another host', async () => {
  const other = '192.168.1.77'
  for (const forged of [
    { location: `http://${other}:5000/description.xml` },
    { location: 'http://127.0.0.1:8384/' },
    { location: `http://${LOCAL_ADDRESS}:8384/` },
    { location: `http://user:secret@${ROUTER}:5000/` },
    { location: 'file:///etc/passwd' },
    { location: 'http://router.example:5000/' },
    { description: descriptionOf('WANIPConnection:1', `http://${other}:5000/control`) },
    {
      description: descriptionOf('WANIPConnection:1').replace(
        '<device>',
        `<URLBase>http://${other}:5000/</URLBase><device>`,
      ),
    },
  ]) {
    await using home = new Home()
    const router = await home.addRouter({ speaks: ['upnp'], ...forged })
    const victims = [await home.addRouter({ host: other, speaks: [] })]
    await home.run()
    assert.deepEqual(
      victims.map(({ requests }) => requests),
      [[]],
      JSON.stringify(forged),
    )
    assert.equal(router.table.size, 0)
    assert.deepEqual(home.mapping.mappings(), [])
  }
})

test('R-09 hostile descriptions are refused: entities, nesting, size, no gateway', async () => {
  const bomb = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><root><device>&b;</device></root>`
  const file = `<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><root><device>&a;</device></root>`
  for (const description of [bomb, file, '<a>'.repeat(10_000), 'x'.repeat(1_000_000), '', '<root/>', '\0']) {
    await using home = new Home()
    const router = await home.addRouter({ speaks: ['upnp'], description })
    await home.run()
    assert.ok(router.requests.includes('description'))
    assert.deepEqual([router.table.size, home.mapping.error], [0, 'no router was found that maps ports'])
  }
})
