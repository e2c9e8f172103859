/** Two whole devices in simulation: one behind a router with port mapping, the other finds it by a discovery server. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimNetwork } from '../../src/platform/sim/net.ts'
import { settle } from '../support/sim-daemon.ts'
import { SimRouter } from '../upnp/sim-router.ts'
import { idOf, identityOf, WholeDevice } from './whole-device.ts'

const [ROUTER, INSIDE, OUTSIDE] = ['192.168.1.1', '192.168.1.10', '198.51.100.20']
const MINUTE_MS = 60_000

test('a device behind a router is reached at its mapped port, and no longer after it has stopped', async () => {
  const clock = new SimClock()
  const network = new SimNetwork(clock)
  network.partition(INSIDE, OUTSIDE) // without the router nothing passes
  await using router = await SimRouter.start(network, { host: ROUTER, speaks: ['pcp', 'nat-pmp', 'upnp'] })
  const server = await identityOf('disco', 3)
  let announced = '{"addresses":[]}'
  await network.web.listen({ address: 'disco:443', tls: server }, async (incoming) => {
    if (incoming.method === 'GET') return { status: 200, headers: {}, body: announced }
    const body = Buffer.from(await incoming.body(10_000)).toString()
    if (body.includes('44.1.2.3')) announced = body // the other device announces itself, too
    return { status: 204, headers: {} }
  })
  const discovery = { globalAnnounceEnabled: true, globalAnnounceServers: [`https://disco/?id=${idOf(server)}`] }
  await using outside = new WholeDevice({ clock, network }, OUTSIDE, await identityOf('syncthing', 2))
  {
    await using inside = new WholeDevice({ clock, network }, INSIDE, await identityOf('syncthing', 1), [ROUTER])
    await inside.start({ ...discovery, natEnabled: true }, outside.id)
    await outside.start(discovery, inside.id)
    await clock.advance(3 * MINUTE_MS, settle)
    const [port] = router.table.keys()
    const wan = `tcp://44.1.2.3:${port}`
    assert.match(await inside.call('GET', '/rest/system/status'), new RegExp(`"${wan}"`))
    assert.match(announced, new RegExp(`"${wan}"`))
    const way = await outside.wayTo(inside.id)
    assert.deepEqual([way?.connected, way?.address, way?.type], [true, `44.1.2.3:${port}`, 'tcp-client'])
    assert.equal((await inside.wayTo(outside.id))?.type, 'tcp-server')
  }
  assert.equal(router.table.size, 0)
  await clock.advance(MINUTE_MS, settle)
  assert.equal((await outside.wayTo(idOf(server)))?.connected ?? false, false)
  assert.equal(network.forwards.size, 0)
})
