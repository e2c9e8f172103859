import { hash as digestOf } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { shortIdOf } from '../src/core/device-id.ts'
import type { FileInfo } from '../src/core/records/file-info.ts'
import { newIdentity, ScriptedPeer } from '../test/support/scripted-peer.ts'
import type { Bench } from './bench-options.ts'
import { largeIndex, type LargeIndex } from './large-index.ts'
import { loopFigures, patient, quantile, withListening, type Listening, type PeerIdentity } from './light-peers.ts'
import { field, FOLDER, pingDuring } from './measure.ts'
import { twinfold } from './twinfold.ts'

/** As Syncthing sends them. */
const RECORDS_PER_MESSAGE = 1_000
const PING_INTERVAL_MS = 20
const POLL_MS = 250
const LIMIT_MS = 1_800_000
const SETTLE_MS = 3_000
const REST_MS = 20_000
const START_S = 1_790_000_000

/** A device connects that has many files. The folder is send-only here: what is measured is the index alone. */
export async function peerIndex(bench: Bench): Promise<void> {
  if (!bench.programs.includes(twinfold)) return
  for (const records of bench.sizes.peerRecords) {
    const peer = await newIdentity()
    await withListening(bench, `peer-${records}`, [peer], (daemon) => receive(bench, daemon, peer, records))
  }
}

async function receive(bench: Bench, daemon: Listening, peer: PeerIdentity, records: number): Promise<void> {
  const { running, home, port } = daemon
  const root = join(home, 'root')
  mkdirSync(root)
  const folder = { id: FOLDER, path: root, type: 'sendonly', fsWatcherEnabled: false, rescanIntervalS: 0 }
  await running.call('POST', '/rest/config/folders', { ...folder, devices: [{ deviceID: peer.id }] })
  await new Promise((done) => setTimeout(done, SETTLE_MS))
  writeFileSync(`/proc/${running.pid}/clear_refs`, '5') // the peak counts from here on
  const idle = running.memoryMib().now
  await loopFigures(daemon)
  const cpuBefore = running.cpuSeconds()
  const startedMs = performance.now()
  await using talk = await ScriptedPeer.dial({ ...peer, port })
  await talk.introduce([FOLDER], { maxSequence: records })
  const pings = await pingDuring(patient(running), PING_INTERVAL_MS, send(daemon, talk, largeIndex(records)))
  const elapsedMs = performance.now() - startedMs
  const cpuS = running.cpuSeconds() - cpuBefore
  const loop = await loopFigures(daemon)
  const { peak } = running.memoryMib()
  await new Promise((done) => setTimeout(done, REST_MS))
  const figures = {
    cpu: (cpuS * 1e6) / records,
    rate: (records * 1_000) / elapsedMs,
    'delay-p99': loop.delayP99Ms,
    'delay-max': loop.delayMaxMs,
    'turn-p99': loop.turnP99Ms,
    'turn-max': loop.turnMaxMs,
    'ping-p99': quantile(pings, 0.99),
    idle,
    peak,
    rested: running.memoryMib().now,
  }
  for (const [name, value] of Object.entries(figures))
    bench.record({ row: `peer-${records}-${name}`, subject: 'twinfold', value })
}

/** Resolves when all records are stored. */
async function send({ running }: Listening, talk: ScriptedPeer, index: LargeIndex): Promise<void> {
  const author = shortIdOf(talk.id)
  for (let first = 0; first < index.files; first += RECORDS_PER_MESSAGE) {
    const count = Math.min(RECORDS_PER_MESSAGE, index.files - first)
    const files = Array.from({ length: count }, (_none, place) => recordOf(index, first + place, author))
    const data = { folder: FOLDER, files, lastSequence: first + count, prevSequence: first }
    if (first === 0) await talk.connection.index(data)
    else await talk.connection.indexUpdate(data)
  }
  const deadlineMs = performance.now() + LIMIT_MS
  for (;;) {
    const status = await running.call('GET', `/rest/db/status?folder=${FOLDER}`)
    if (field(status, 'globalFiles') === index.files) return
    if (talk.ended !== undefined) throw new Error(`the connection ended: ${talk.ended}`)
    if (performance.now() > deadlineMs) throw new Error('not all records are stored')
    await new Promise((done) => setTimeout(done, POLL_MS))
  }
}

function recordOf(index: LargeIndex, file: number, author: FileInfo['modifiedBy']): FileInfo {
  const name = index.nameOf(file)
  const hash = digestOf('sha256', name, 'buffer')
  return {
    name,
    type: 'file',
    deleted: false,
    sizeBytes: 1_000,
    modifiedS: START_S + (file % 1_000),
    modifiedNs: 0,
    permissions: 0o644,
    noPermissions: false,
    version: [{ device: author, value: BigInt(START_S) }],
    modifiedBy: author,
    sequence: file + 1,
    localFlags: 0,
    blockSizeBytes: 131_072,
    blocksHash: digestOf('sha256', hash, 'buffer'),
    symlinkTarget: '',
    blockHashes: hash,
  }
}
