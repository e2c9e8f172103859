/** Whole simulated devices, set up by one file that is the same on all of them. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runDaemon } from '../../src/main/daemon.ts'
import { loadOrMakeIdentity } from '../../src/main/home/identity.ts'
import { readFileOfHome } from '../../src/platform/files/json-file.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimNetwork } from '../../src/platform/sim/net.ts'
import { createSimPlatform, type SimPlatform } from '../../src/platform/sim/platform.ts'
import { effort, reportRow } from '../support/effort.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { SIM_KEY, SIM_OPTIONS } from '../support/sim-daemon.ts'

const DEVICES = Math.min(50, effort(5))
const FOLDERS = ['docs', 'photos']
const SECONDS_MAX = 600
const STEP_SECONDS = 10
const STOP_SECONDS = 30
const START_MS_MAX = 600_000

interface Machine {
  readonly platform: SimPlatform
  readonly id: string
  readonly name: string
}

/** One turn for each deadline: `settle` has twenty, which take minutes where fifty devices are connected in pairs. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

async function makeMachines(clock: SimClock): Promise<readonly Machine[]> {
  const network = new SimNetwork(clock, { delayMs: 2 })
  const made: Machine[] = []
  for (let i = 0; i < DEVICES; i++) {
    const name = `host${i}`
    const platform = createSimPlatform(i + 1, { clock, network, hostName: name })
    made.push({ platform, name, id: (await loadOrMakeIdentity(platform, SIM_OPTIONS.locations)).deviceId })
  }
  return made
}

function fileFor(machines: readonly Machine[]) {
  const devices = machines.map(({ name }) => name)
  return {
    devices: machines.map(({ id, name }) => ({ id, name, addresses: [`tcp://${name}:22000`] })),
    folders: FOLDERS.map((id) => ({ id, path: `/srv/${id}`, devices, ignores: ['*.tmp'] })),
    options: { listenAddresses: ['tcp://0.0.0.0:22000'], globalAnnounceEnabled: false, localAnnounceEnabled: false },
  }
}

async function call(clock: SimClock, { platform }: Machine, method: string, target: string, body?: unknown) {
  const text = body === undefined ? '' : JSON.stringify(body)
  const reply = platform.http.call('127.0.0.1:8384', { method, target, body: text, headers: { 'x-api-key': SIM_KEY } })
  const pending = new Set([reply])
  const end = () => pending.clear()
  reply.then(end, end)
  for (let ms = 0; ms < 1_000 && pending.size > 0; ms++) await clock.advance(1, turn)
  const { status, body: replied } = await reply
  assert.equal(status, 200, replied)
  return JSON.parse(replied) as Record<string, unknown>
}

/** Files and keys of a start take real time, and a few timers of the device. */
async function isUp(clock: SimClock, machines: readonly Machine[]): Promise<true> {
  await clock.advance(1, turn)
  for (const machine of machines) await call(clock, machine, 'GET', '/rest/system/ping')
  return true
}

const isConnected = (value: unknown) => (value as { connected: boolean }).connected

/** Whether a device is connected to all others, and has both files of each folder. */
async function isComplete(clock: SimClock, machine: Machine): Promise<boolean> {
  const { connections } = await call(clock, machine, 'GET', '/rest/system/connections')
  if (Object.values(connections as object).filter(isConnected).length < DEVICES - 1) return false
  for (const folder of FOLDERS) {
    const status = await call(clock, machine, 'GET', `/rest/db/status?folder=${folder}`)
    const { state, localFiles, globalFiles, needTotalItems } = status
    if (state !== 'idle' || localFiles !== 2 || globalFiles !== 2 || needTotalItems !== 0) return false
  }
  return true
}

async function checkFiles({ platform, name }: Machine, origins: readonly Machine[]): Promise<void> {
  const own = origins.some((origin) => origin.name === name) ? [`${name}.tmp`] : []
  for (const folder of FOLDERS) {
    const listed = (await platform.disk.list(`/srv/${folder}`)).map((entry) => entry.name)
    const found = listed.filter((entry) => !entry.startsWith('.'))
    assert.deepEqual(found.sort(), [...origins.map((origin) => `${origin.name}.txt`), ...own].sort(), name)
    for (const origin of origins) {
      const read = await readFileOfHome(platform.disk, `/srv/${folder}/${origin.name}.txt`)
      assert.equal(Buffer.from(read ?? []).toString(), `${folder} of ${origin.name}`)
    }
  }
}

test(`${DEVICES} devices that apply one file share its folders; a second time changes nothing`, async () => {
  using scratch = scratchDirectory()
  const clock = new SimClock()
  const machines = await makeMachines(clock)
  const document = fileFor(machines)
  const applyFile = join(scratch.path, 'twinfold.yaml')
  writeFileSync(applyFile, JSON.stringify(document))
  const origins = [machines[0]!, machines.at(-1)!]
  for (const { platform, name } of origins)
    for (const folder of FOLDERS) {
      platform.disk.put(`/srv/${folder}/${name}.txt`, `${folder} of ${name}`)
      platform.disk.put(`/srv/${folder}/${name}.tmp`, 'ignored')
    }

  const stop = new AbortController()
  const options = { ...SIM_OPTIONS, guiApiKey: SIM_KEY, applyFile }
  const done = machines.map(({ platform }) => runDaemon(platform, options, stop.signal))
  await eventually('all have started', () => isUp(clock, machines), START_MS_MAX)
  const incomplete = new Set(machines)
  let seconds = 0
  for (; seconds < SECONDS_MAX && incomplete.size > 0; seconds += STEP_SECONDS) {
    await clock.advance(STEP_SECONDS * 1_000, turn)
    for (const machine of incomplete) if (await isComplete(clock, machine)) incomplete.delete(machine)
  }
  assert.deepEqual(
    [...incomplete].map(({ name }) => name),
    [],
    `complete after ${SECONDS_MAX} seconds`,
  )
  for (const machine of machines) await checkFiles(machine, origins)

  for (const machine of machines) {
    const body = { document, check: false, prune: true }
    assert.deepEqual(await call(clock, machine, 'POST', '/rest/twinfold/setup', body), {
      changes: [],
      drift: [],
      leftovers: [],
    })
  }
  stop.abort()
  await clock.advance(STOP_SECONDS * 1_000, turn)
  assert.deepEqual(new Set(await Promise.all(done)), new Set([0]))
  reportRow({ id: 'one set-up file', tried: DEVICES, connections: (DEVICES * (DEVICES - 1)) / 2, seconds })
})
