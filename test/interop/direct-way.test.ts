/** Two devices that are connected through a real relay while a file is transferred, and a direct way appears. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { missingProgram } from '../support/debian.ts'
import { Lan, missingLan, run, type Host } from '../support/lan.ts'
import { LanDevice } from '../support/lan-device.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { RelayServer } from '../support/strelaysrv.ts'
import { missingSyncthing, quietConfig } from '../support/syncthing.ts'

const skip = missingSyncthing() ?? missingLan() ?? missingProgram('nft', 'nftables') ?? false
const FOLDER = 'shared'
const FILE_BYTES = 24 * 1024 * 1024
/** So that the transfer takes longer than the next attempt at the direct address. */
const SEND_KIB_S = '1024'
const RULES = `
table inet closed {
  chain input { type filter hook input priority 0; tcp dport 22000 drop; }
}
`

/** No device reaches its listener until the returned function is called. */
function closeListener(host: Host, directory: string): () => void {
  const rules = join(directory, 'closed.nft')
  writeFileSync(rules, RULES)
  run(...host.inside, 'nft', '-f', rules)
  return () => run(...host.inside, 'nft', 'delete', 'table', 'inet', 'closed')
}

async function wayTo(device: LanDevice, id: string): Promise<string | undefined> {
  const { connections } = (await device.get('/rest/system/connections')) as {
    connections: Readonly<Record<string, { readonly connected: boolean; readonly type: string }>>
  }
  return connections[id]?.connected === true ? connections[id].type : undefined
}

async function share(device: LanDevice, path: string, other: string): Promise<void> {
  mkdirSync(path, { recursive: true })
  await device.call('POST', '/rest/config/folders', { id: FOLDER, path, devices: [{ deviceID: other }] })
}

const hashOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex')

test('a direct way replaces the relay in the middle of a transfer: no request fails', { skip }, async () => {
  using scratch = scratchDirectory()
  await using lan = await Lan.make('10.78.7')
  const [hostA, hostB, relayHost] = [await lan.addHost(), await lan.addHost(), await lan.addHost()]
  await using relay = new RelayServer(relayHost, scratch.path)
  const address = await relay.start()
  const openListener = closeListener(hostB, scratch.path)
  await using a = new LanDevice('twinfold', hostA, join(scratch.path, 'a'))
  await using b = new LanDevice('twinfold', hostB, join(scratch.path, 'b'))
  const common = { relaysEnabled: 'true', reconnectionIntervalS: '5', relayReconnectIntervalM: '1' }
  quietConfig(a.home, { ...common, listenAddress: 'tcp://127.0.0.1:22000' })
  quietConfig(b.home, { ...common, listenAddress: address, maxSendKbps: SEND_KIB_S, limitBandwidthInLan: 'true' })
  a.addDevice(b.id, address)
  b.addDevice(a.id)
  for (const device of [a, b]) device.start({ STTRACE: 'model,protocol' })
  for (const device of [a, b]) await device.ready()
  const [idA, idB] = [a.id, b.id]
  const [from, to] = [join(scratch.path, 'from'), join(scratch.path, 'to')]
  await share(a, to, idB)
  await share(b, from, idA)
  await a.until('the relayed connection', async () => (await wayTo(a, idB)) === 'relay-client' || undefined)
  writeFileSync(join(from, 'large.bin'), randomBytes(FILE_BYTES))
  await b.call('POST', `/rest/db/scan?folder=${FOLDER}`)
  const receivedOf = async () =>
    ((await a.get('/rest/system/connections')) as { total: { inBytesTotal: number } }).total.inBytesTotal
  await a.until('some blocks', async () => (await receivedOf()) > 2 * 1024 * 1024 || undefined)
  assert.equal(await wayTo(a, idB), 'relay-client')
  openListener()
  await b.patch('/rest/config/options', { listenAddresses: [address, 'tcp://0.0.0.0:22000'] })
  await a.patch(`/rest/config/devices/${idB}`, { addresses: [`tcp://${hostB.address}:22000`, address] })
  await a.until('the direct connection', async () => (await wayTo(a, idB)) === 'tcp-client' || undefined)
  const { needBytes } = (await a.get(`/rest/db/status?folder=${FOLDER}`)) as { needBytes: number }
  await a.until('the file', async () => {
    const { state, needTotalItems } = (await a.get(`/rest/db/status?folder=${FOLDER}`)) as {
      state: string
      needTotalItems: number
    }
    return (state === 'idle' && needTotalItems === 0) || undefined
  })
  console.log(JSON.stringify({ id: 'direct-way', needBytesAtSwitch: needBytes }))
  assert.ok(needBytes > 0, 'the transfer was under way when the connection was replaced')
  assert.equal(hashOf(join(to, 'large.bin')), hashOf(join(from, 'large.bin')))
  const { errors } = (await a.get(`/rest/folder/errors?folder=${FOLDER}`)) as { errors: unknown[] | null }
  assert.deepEqual(errors ?? [], [])
  assert.doesNotMatch(a.output, /pull: |large\.bin.*(fail|error)/i)
})
