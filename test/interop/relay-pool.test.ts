/** A device that takes its relay from a pool over HTTPS, as `default` does. The relay server is the real one. */
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeCertificate } from '../../src/main/home/certificate.ts'
import { killOnExit } from '../support/kill-on-exit.ts'
import { Lan, missingLan, type Host } from '../support/lan.ts'
import { LanDevice } from '../support/lan-device.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { RelayServer } from '../support/strelaysrv.ts'
import { missingSyncthing, quietConfig } from '../support/syncthing.ts'

const skip = missingSyncthing() ?? missingLan() ?? false
const PROGRAM = join(import.meta.dirname, '..', 'support', 'pool-server.ts')
const PORT = 8_443
const POOL = `dynamic+https://localhost:${PORT}/endpoint`

/** The pool on a host, for that host only; ends with the scope that holds it. */
async function startPool(host: Host, directory: string, relays: readonly string[]): Promise<AsyncDisposable> {
  const [program, ...args] = [...host.inside, process.execPath, PROGRAM, directory, String(PORT), ...relays]
  const child: ChildProcess = spawn(program!, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  killOnExit(child)
  await once(child.stdout!, 'data')
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

async function makeIdentity(directory: string): Promise<string> {
  mkdirSync(directory)
  const options = { commonName: 'localhost', keyType: 'P-256', lifetimeDays: 10, nowMs: Date.now() } as const
  const { certificatePem, keyPem } = await makeCertificate({ ...options, serial: new Uint8Array(8) })
  writeFileSync(join(directory, 'key.pem'), keyPem)
  writeFileSync(join(directory, 'cert.pem'), certificatePem)
  return join(directory, 'cert.pem')
}

interface Status {
  readonly connectionServiceStatus: Readonly<
    Record<string, { readonly error: string | null; readonly wanAddresses: readonly string[] | null }>
  >
}

async function poolStatus(device: LanDevice): Promise<Status['connectionServiceStatus'][string] | undefined> {
  const { connectionServiceStatus } = (await device.get('/rest/system/status')) as Status
  return connectionServiceStatus[POOL]
}

test('a pool over HTTPS: the relay that answers is joined, and devices connect through it', { skip }, async () => {
  using scratch = scratchDirectory()
  await using lan = await Lan.make('10.78.5')
  const [hostA, hostB, relayHost] = [await lan.addHost(), await lan.addHost(), await lan.addHost()]
  await using relay = new RelayServer(relayHost, scratch.path)
  const address = await relay.start()
  const authority = await makeIdentity(join(scratch.path, 'pool'))
  const dead = address.replace(/:22067/, ':1') // nothing listens there
  await using _pool = await startPool(hostB, join(scratch.path, 'pool'), [dead, address])
  await using a = new LanDevice('twinfold', hostA, join(scratch.path, 'a'))
  await using b = new LanDevice('twinfold', hostB, join(scratch.path, 'b'))
  const common = { relaysEnabled: 'true', reconnectionIntervalS: '5', relayReconnectIntervalM: '1' }
  quietConfig(a.home, { ...common, listenAddress: 'tcp://127.0.0.1:22000' })
  quietConfig(b.home, { ...common, listenAddress: POOL })
  a.addDevice(b.id, address)
  b.addDevice(a.id)
  b.start({ NODE_EXTRA_CA_CERTS: authority })
  await b.ready()
  const joined = await b.until('the relay', async () => (await poolStatus(b))?.wanAddresses?.[0])
  assert.ok(joined.startsWith(`relay://${relayHost.address}:22067/?id=`), joined)
  a.start()
  await a.ready()
  const [idA, idB] = [a.id, b.id]
  await a.until('the connection', async () => (await a.isConnectedTo(idB)) || undefined)
  await b.until('the connection', async () => (await b.isConnectedTo(idA)) || undefined)
})

test('a pool whose certificate no authority of the system has signed is not used', { skip }, async () => {
  using scratch = scratchDirectory()
  await using lan = await Lan.make('10.78.6')
  const host = await lan.addHost()
  await makeIdentity(join(scratch.path, 'pool'))
  await using _pool = await startPool(host, join(scratch.path, 'pool'), ['relay://127.0.0.1:22067/'])
  await using device = new LanDevice('twinfold', host, join(scratch.path, 'a'))
  quietConfig(device.home, { relaysEnabled: 'true', listenAddress: POOL })
  device.start()
  await device.ready()
  const error = await device.until('the error', async () => {
    const text = (await poolStatus(device))?.error
    return text === null || text === undefined || !/certificate/.test(text) ? undefined : text
  })
  assert.match(error, /self-signed certificate/)
})
