import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Client } from '../../src/client/client.ts'
import { nodeTransport, type NodeTransportOptions } from '../../src/client/node.ts'
import { EVENT_TYPES } from '../../src/events/types.ts'
import type { EventJson } from '../../src/rest/event-data.ts'
import { endOf, startCommand } from '../support/command.ts'
import { connect, inSync, startMember, type Member } from '../support/daemon-pair.ts'
import { freePort } from '../support/free-port.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { apiKeyOf } from '../support/syncthing.ts'

// Events of real daemons against the shapes that the client promises.

const ALL = EVENT_TYPES.join(',')

/** All events so far; `get` holds each of them against its declared shape, with no field more. */
async function eventsOf({ daemon }: Member): Promise<readonly EventJson[]> {
  return (await daemon.get(`/rest/events?events=${ALL}&since=0&timeout=0`)) as EventJson[]
}

test('events of syncs, pauses, failures and logins match the declarations of the client', async () => {
  using scratch = scratchDirectory()
  await using a = await startMember(scratch.path, 'a')
  await using b = await startMember(scratch.path, 'b')
  for (const member of [a, b]) await eventsOf(member) // from here on these events are kept
  for (const member of [a, b]) mkdirSync(member.root)
  writeFileSync(join(a.root, 'one.txt'), 'one')
  mkdirSync(join(a.root, 'sub'))
  writeFileSync(join(a.root, 'large.bin'), Buffer.alloc(3_000_000, 7))
  await connect(a, b)
  await inSync([a, b])
  rmSync(join(a.root, 'one.txt'))
  await a.daemon.post('/rest/db/scan?folder=docs')
  await inSync([a, b])
  for (const paused of [true, false]) {
    await a.daemon.request('PATCH', '/rest/config/folders/docs', { paused })
    await a.daemon.request('PATCH', `/rest/config/devices/${b.id}`, { paused })
  }
  await a.daemon.addFolder('offered', join(scratch.path, 'offered'), { devices: [{ deviceID: b.id }] })
  await eventually(
    'the offer to arrive',
    async () => (await eventsOf(b)).some(({ type }) => type === 'PendingFoldersChanged') || undefined,
  )
  await a.daemon.request('PATCH', '/rest/config/gui', { user: 'me', password: 'secret' })
  await fetch(`${a.daemon.url}/rest/noauth/auth/password`, {
    method: 'POST',
    body: '{"username":"me","password":"wrong"}',
  })

  const wanted: readonly EventJson['type'][] = [
    'ConfigSaved',
    'StateChanged',
    'LocalIndexUpdated',
    'LocalChangeDetected',
    'RemoteIndexUpdated',
    'RemoteChangeDetected',
    'ItemStarted',
    'ItemFinished',
    'FolderSummary',
    'FolderCompletion',
    'DeviceConnected',
    'DeviceDisconnected',
    'DevicePaused',
    'DeviceResumed',
    'FolderPaused',
    'FolderResumed',
    'ClusterConfigReceived',
    'PendingFoldersChanged',
    'FolderRejected',
    'LoginAttempt',
  ]
  await eventually('an event of each wanted type', async () => {
    const seen = new Set([...(await eventsOf(a)), ...(await eventsOf(b))].map(({ type }) => type))
    const missing = wanted.filter((type) => !seen.has(type))
    if (missing.length > 0) throw new Error(`none yet of ${missing.join(', ')}`)
    return true
  })
  for (const { daemon } of [a, b]) await daemon.get('/rest/events/disk?since=0&timeout=0')
})

test('a client in Node follows a daemon by UNIX socket and by TLS with a pinned certificate', async () => {
  using scratch = scratchDirectory()
  const home = join(scratch.path, 'home')
  const pem = join(home, 'https-cert.pem')
  const pinned = () => ({ trust: { certificatePem: readFileSync(pem, 'utf8') } })
  const places: readonly (readonly [address: string, options: () => NodeTransportOptions])[] = [
    [`unix://${join(scratch.path, 'gui.sock')}`, () => ({})],
    [`https://127.0.0.1:${await freePort()}`, pinned],
  ]
  for (const [address, options] of places) {
    const server = startCommand(['serve', '--home', home, '--gui-address', address])
    try {
      const client = await eventually(`the daemon at ${address}`, async () => {
        const found = new Client({ transport: nodeTransport(address, options()), apiKey: apiKeyOf(home) })
        await found.ping()
        return found
      })
      assert.ok(existsSync(pem), 'also where the page does not use it')
      const stop = new AbortController()
      const saved: number[] = []
      const following = (async () => {
        for await (const event of client.events({ types: ['ConfigSaved'] }, stop.signal)) {
          if (event.type === 'ConfigSaved') saved.push(event.data.options.maxSendKbps)
        }
      })()
      for (let rate = 1; rate <= 3; rate++) await client.changeOptions({ maxSendKbps: rate })
      await eventually('the events', () => saved.at(-1) === 3 || undefined)
      stop.abort(new Error('enough'))
      await following // ends without an error
      await assert.rejects(client.eventsSince({}, stop.signal), /^Error: enough$/)
    } finally {
      server.kill('SIGTERM')
      await endOf(server)
    }
  }
})
