/** a daemon whose discovery server, relay pool and relay accept connections and never answer. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addPeer, startMember, type Member } from '../support/daemon-pair.ts'
import { reportRow } from '../support/effort.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { BEHAVIOURS, silentServer } from '../support/silent-server.ts'

async function isConnected({ daemon }: Member, id: string): Promise<boolean> {
  const { connections } = (await daemon.get('/rest/system/connections')) as {
    connections: Readonly<Record<string, { readonly connected: boolean }>>
  }
  return connections[id]?.connected === true
}

for (const behaviour of ['accepts and stays silent', 'stays silent after the handshake', 'answers 101']) {
  test(`R-20 a server that ${behaviour} delays neither a dial nor the end of the daemon`, async () => {
    using scratch = scratchDirectory()
    await using server = await silentServer(BEHAVIOURS[behaviour]!)
    const place = `127.0.0.1:${server.port}`
    await using near = await startMember(scratch.path, 'near')
    await using far = await startMember(scratch.path, 'far')
    const options = {
      globalAnnounceEnabled: true,
      globalAnnounceServers: [`https://${place}/?insecure`],
      relaysEnabled: true,
      listenAddresses: [`dynamic+https://${place}/`, `relay://${place}/`],
    }
    const reply = await near.daemon.request('PATCH', '/rest/config/options', options)
    assert.equal(reply.status, 200)
    await server.reached
    const startedMs = performance.now()
    await addPeer(far, near, { addresses: ['dynamic'] })
    await addPeer(near, far, { addresses: ['dynamic', `tcp://127.0.0.1:${far.port}`] })
    await eventually('the connection', async () => (await isConnected(near, far.id)) || undefined)
    const connectedMs = Math.round(performance.now() - startedMs)
    const stoppedMs = performance.now()
    assert.equal(await near.daemon.signal('SIGTERM'), 0)
    reportRow({ id: 'R-20', tried: 1, behaviour, connectedMs, stoppedMs: Math.round(performance.now() - stoppedMs) })
  })
}
