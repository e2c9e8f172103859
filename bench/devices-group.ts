import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../test/support/scratch.ts'
import { newIdentity, ScriptedPeer } from '../test/support/scripted-peer.ts'
import type { Bench } from './bench-options.ts'
import { loopFigures, patient, quantile, withListening, type Listening, type PeerIdentity } from './light-peers.ts'
import { field, FOLDER, pingDuring } from './measure.ts'
import { twinfold } from './twinfold.ts'

/** Files that all devices have. */
const FILES = 1_000
const DIALS_AT_ONCE = 8
const PING_INTERVAL_MS = 20
const POLL_MS = 20
const LIMIT_MS = 600_000
const IDLE_MS = 20_000
const NEW_FILE = 'the new file'

/** One daemon, and many devices that are a connection each, in the process of the bench. */
export async function manyDevices(bench: Bench): Promise<void> {
  if (!bench.programs.includes(twinfold)) return
  for (const devices of bench.sizes.devices) {
    const peers: PeerIdentity[] = []
    for (let place = 1; place < devices; place++) peers.push(await newIdentity())
    await withListening(bench, `devices-${devices}`, peers, (daemon) => measure(bench, daemon, peers))
  }
}

async function measure(bench: Bench, daemon: Listening, peers: readonly PeerIdentity[]): Promise<void> {
  const { running, home } = daemon
  const record = (name: string, value: number) =>
    bench.record({ row: `devices-${peers.length + 1}-${name}`, subject: 'twinfold', value })
  const root = join(home, 'root')
  mkdirSync(root)
  for (let file = 0; file < FILES; file++) writeFileSync(join(root, `file ${file}`), `content ${file}`)
  const folder = { id: FOLDER, path: root, fsWatcherEnabled: false, rescanIntervalS: 0 }
  await running.call('POST', '/rest/config/folders', { ...folder, devices: peers.map(({ id }) => ({ deviceID: id })) })
  await until('the scan', async () => field(await status(daemon), 'localFiles') === FILES)
  await new Promise((done) => setTimeout(done, IDLE_MS))
  record('rss-before', running.memoryMib().now)

  await using talks = new AsyncDisposableStack()
  const all: ScriptedPeer[] = []
  const phase = async (name: string, work: Promise<void>) => {
    const cpuBefore = running.cpuSeconds()
    const startedMs = performance.now()
    const pings = await pingDuring(patient(running), PING_INTERVAL_MS, work)
    await work
    record(`${name}-time`, performance.now() - startedMs)
    record(`${name}-cpu`, (running.cpuSeconds() - cpuBefore) * 1_000)
    record(`${name}-ping-p99`, quantile(pings, 0.99))
    record(`${name}-turn-max`, (await loopFigures(daemon)).turnMaxMs)
  }
  await loopFigures(daemon)
  await phase('connect', connectAll(daemon, peers, all, talks))
  await phase('answer', announceSame(daemon, all))
  record('peak', running.memoryMib().peak)

  await new Promise((done) => setTimeout(done, IDLE_MS))
  const idleBefore = running.cpuSeconds()
  await new Promise((done) => setTimeout(done, IDLE_MS))
  record('idle-cpu', ((running.cpuSeconds() - idleBefore) * 1_000_000) / IDLE_MS)
  record('idle-rss', running.memoryMib().now)

  await loopFigures(daemon)
  writeFileSync(join(root, NEW_FILE), 'new')
  await phase('announce', announceNew(daemon, all))
}

/** All are connected, and have received our records. */
async function connectAll(
  daemon: Listening,
  peers: readonly PeerIdentity[],
  all: ScriptedPeer[],
  talks: AsyncDisposableStack,
): Promise<void> {
  const { port } = daemon
  const waiting = [...peers]
  const dialSome = async () => {
    for (let peer = waiting.pop(); peer !== undefined; peer = waiting.pop()) {
      const { id, identity } = peer
      // A daemon refuses handshakes beyond a limit for an address; devices dial again.
      const talk = talks.use(
        await eventually('a connection', () => ScriptedPeer.dial({ id, identity, port }), LIMIT_MS),
      )
      all.push(talk)
      await talk.introduce([FOLDER])
    }
  }
  await Promise.all(Array.from({ length: DIALS_AT_ONCE }, dialSome))
  await until('our index at all devices', async () => all.every((talk) => namesOf(talk) === FILES))
}

/** Each announces that it has what it received. */
async function announceSame(daemon: Listening, all: readonly ScriptedPeer[]): Promise<void> {
  for (const talk of all) {
    const files = talk.received.indexes.flatMap((data) => data.files)
    const own = files.map((file, place) => ({ ...file, sequence: place + 1 }))
    await talk.connection.index({ folder: FOLDER, files: own, lastSequence: own.length, prevSequence: 0 })
  }
  await until('the completion of all devices', async () => {
    for (const { id } of all) {
      const completion = await daemon.running.call('GET', `/rest/db/completion?folder=${FOLDER}&device=${id}`)
      if (field(completion, 'completion') !== 100) return false
    }
    return true
  })
}

/** From the request for a scan until the last device has the record of a new file. */
async function announceNew({ running }: Listening, all: readonly ScriptedPeer[]): Promise<void> {
  await running.call('POST', `/rest/db/scan?folder=${FOLDER}&sub=${encodeURIComponent(NEW_FILE)}`)
  await until('the new file at all devices', async () => all.every((talk) => namesOf(talk) === FILES + 1))
}

function namesOf({ received, ended }: ScriptedPeer): number {
  if (ended !== undefined) throw new Error(`a connection ended: ${ended}`)
  return received.indexes.reduce((sum, { files }) => sum + files.length, 0)
}

async function status({ running }: Listening): Promise<unknown> {
  return await running.call('GET', `/rest/db/status?folder=${FOLDER}`)
}

async function until(what: string, isDone: () => Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + LIMIT_MS
  while (!(await isDone())) {
    if (performance.now() > deadlineMs) throw new Error(`${what}: not within ${LIMIT_MS} ms`)
    await new Promise((done) => setTimeout(done, POLL_MS))
  }
}
