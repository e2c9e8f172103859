/** A relay that loses, swaps or repeats bytes of sessions, between two real devices. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { deviceIdFromCertificate } from '../../src/core/device-id.ts'
import { reportRow } from '../support/effort.ts'
import { killOnExit } from '../support/kill-on-exit.ts'
import { Lan, missingLan, type Host } from '../support/lan.ts'
import { LanDevice } from '../support/lan-device.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { testSeed } from '../support/seed.ts'
import { generateSyncthingHome, missingSyncthing, quietConfig } from '../support/syncthing.ts'

const skip = missingSyncthing() ?? missingLan() ?? false
const PROGRAM = join(import.meta.dirname, '..', 'support', 'hostile-relay.ts')
const PORT = 22_067
const FOLDER = 'shared'
const FILES = 60
const FILE_BYTES = 100_000

interface HostileRelay extends AsyncDisposable {
  readonly address: string
  /** The faults so far. */
  faults(): readonly string[]
}

async function startRelay(host: Host, directory: string): Promise<HostileRelay> {
  mkdirSync(directory, { mode: 0o700 })
  generateSyncthingHome(directory) // for its certificate
  const id = deviceIdFromCertificate(new X509Certificate(readFileSync(join(directory, 'cert.pem'))).raw)
  const words = [host.address, String(PORT), directory, String(testSeed())]
  const [program, ...args] = [...host.inside, process.execPath, PROGRAM, ...words]
  const child = spawn(program!, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  killOnExit(child)
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  await once(child.stdout, 'data')
  return {
    address: `relay://${host.address}:${PORT}/?id=${id}`,
    faults: () => [...output.matchAll(/"fault":"(\w+)"/g)].map(([, fault = '']) => fault),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

test('R-03 a relay that spoils sessions: both devices reach equal trees, and no file is torn', { skip }, async () => {
  using scratch = scratchDirectory()
  await using lan = await Lan.make('10.78.8')
  const [hostA, hostB, relayHost] = [await lan.addHost(), await lan.addHost(), await lan.addHost()]
  await using relay = await startRelay(relayHost, join(scratch.path, 'relay'))
  await using a = new LanDevice('twinfold', hostA, join(scratch.path, 'a'))
  await using b = new LanDevice('twinfold', hostB, join(scratch.path, 'b'))
  const common = { relaysEnabled: 'true', reconnectionIntervalS: '1', relayReconnectIntervalM: '1' }
  quietConfig(a.home, { ...common, listenAddress: 'tcp://127.0.0.1:22000' })
  quietConfig(b.home, { ...common, listenAddress: relay.address })
  a.addDevice(b.id, relay.address)
  b.addDevice(a.id)
  for (const device of [a, b]) device.start()
  for (const device of [a, b]) await device.ready()
  const contents = Array.from({ length: FILES }, (_, i) => ({ name: `file-${i}`, data: randomBytes(FILE_BYTES) }))
  const [from, to] = [join(scratch.path, 'from'), join(scratch.path, 'to')]
  for (const path of [from, to]) mkdirSync(path)
  for (const { name, data } of contents) writeFileSync(join(from, name), data)
  const folder = { id: FOLDER, fsWatcherEnabled: false }
  await b.call('POST', '/rest/config/folders', { ...folder, path: from, devices: [{ deviceID: a.id }] })
  await a.call('POST', '/rest/config/folders', { ...folder, path: to, devices: [{ deviceID: b.id }] })
  await a.until(
    'all files',
    async () => {
      const { state, needTotalItems, localFiles } = (await a.get(`/rest/db/status?folder=${FOLDER}`)) as Status
      return (state === 'idle' && needTotalItems === 0 && localFiles === FILES) || undefined
    },
    240_000,
  )
  const faults = relay.faults()
  reportRow({ id: 'R-03', tried: faults.length })
  assert.deepEqual(faults, ['lose', 'swap', 'repeat'])
  assert.match(a.output + b.output, /ended: EPROTO: TLS: /)
  assert.doesNotMatch(a.output + b.output, /SSL routines/, 'in plain words')
  for (const { name, data } of contents) assert.ok(readFileSync(join(to, name)).equals(data), name)
})

interface Status {
  readonly state: string
  readonly needTotalItems: number
  readonly localFiles: number
}
