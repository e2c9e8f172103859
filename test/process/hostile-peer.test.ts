import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { FileInfo } from '../../src/core/records/file-info.ts'
import type { BlockRequest } from '../../src/protocol/types.ts'
import { file, version } from '../db/records.ts'
import { startMember, type Member } from '../support/daemon-pair.ts'
import { effort, reportRow } from '../support/effort.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { newIdentity, ScriptedPeer } from '../support/scripted-peer.ts'
import { RSS_MIB_MAX } from './wire-scene.ts'

const NEVER = new AbortController().signal
const SECRET = Buffer.from('the canary outside of the folder')

function sha256(data: Uint8Array): Buffer {
  return createHash('sha256').update(data).digest()
}

function requestFor(name: string, content: Uint8Array, more: Partial<BlockRequest> = {}): BlockRequest {
  return {
    folder: 'docs',
    name,
    offsetBytes: 0,
    sizeBytes: content.length,
    hash: sha256(content),
    fromTemporary: false,
    blockNumber: 0,
    ...more,
  }
}

/** A daemon that shares `docs` with a device that a test plays, and a canary beside the folder. */
async function stage(
  directory: string,
): Promise<{ member: Member; dial: () => Promise<ScriptedPeer>; canary: string }> {
  const who = await newIdentity()
  const member = await startMember(directory, 'victim')
  mkdirSync(member.root)
  const canary = join(directory, 'canary')
  writeFileSync(canary, SECRET)
  await member.daemon.post('/rest/config/devices', { deviceID: who.id, name: 'script', addresses: ['dynamic'] })
  await member.daemon.addFolder('docs', member.root, { devices: [{ deviceID: who.id }], rescanIntervalS: 0 })
  await member.daemon.post('/rest/db/scan?folder=docs')
  const dial = () => eventually('the daemon to listen', () => ScriptedPeer.dial({ ...who, port: member.port }))
  return { member, dial, canary }
}

async function lag(member: Member): Promise<number> {
  const started = performance.now()
  await member.daemon.get('/rest/system/ping')
  return performance.now() - started
}

function rssMiB({ daemon }: Member): number {
  const status = readFileSync(`/proc/${daemon.child.pid}/status`, 'utf8')
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024)
}

const UNCLEAN = ['../canary', '/etc/passwd', '..', '.', 'a//b', 'a/./b', 'a/../../canary', '', '/', './a']

test('N-01, N-02: no name of a peer touches or reads anything outside of the folder', async () => {
  using scratch = scratchDirectory()
  const { member, dial, canary } = await stage(scratch.path)
  await using _daemon = member.daemon
  symlinkSync(scratch.path, join(member.root, 'linkdir'))
  symlinkSync(canary, join(member.root, 'link'))
  await member.daemon.post('/rest/db/scan?folder=docs')
  let [handled, leakedBytes] = [0, 0]
  for (const name of UNCLEAN) {
    await using peer = await dial()
    await peer.introduce(['docs'])
    const answer = await peer.connection.request(requestFor(name, SECRET), NEVER).catch(() => undefined)
    leakedBytes += answer?.length ?? 0
    await peer.whenEnded()
    handled++
  }
  for (const name of UNCLEAN) {
    await using peer = await dial()
    await peer.introduce(['docs'])
    await peer.connection.index({
      folder: 'docs',
      files: [file(name, { sequence: 1 })],
      lastSequence: 1,
      prevSequence: 0,
    })
    await peer.whenEnded()
    handled++
  }
  await using peer = await dial()
  await peer.introduce(['docs'])
  const odd = [
    'linkdir/canary',
    'link',
    'linkdir',
    '.stfolder',
    '.stignore',
    '.syncthing.x.tmp',
    'C:\\canary',
    'y'.repeat(300),
    'e\u0301',
    '\\..\\canary',
  ]
  for (const name of odd) {
    for (const fromTemporary of [false, true]) {
      const answer = await peer.connection
        .request(requestFor(name, SECRET, { fromTemporary }), NEVER)
        .catch(() => undefined)
      leakedBytes += answer?.length ?? 0
      handled++
    }
  }
  const files = odd.map((name, i): FileInfo =>
    file(name, { sequence: i + 1, sizeBytes: SECRET.length, blockHashes: sha256(SECRET), version: version(9) }),
  )
  await peer.connection.index({ folder: 'docs', files, lastSequence: files.length, prevSequence: 0 })
  await eventually('the index to arrive', async () => {
    const { remoteSequence } = (await member.daemon.get('/rest/db/status?folder=docs')) as {
      remoteSequence: Record<string, number>
    }
    return (remoteSequence[peer.id] ?? 0) > 0 || undefined
  })
  assert.equal(peer.ended, undefined)
  assert.equal(leakedBytes, 0)
  assert.deepEqual(readFileSync(canary), SECRET, 'the canary is unchanged')
  assert.deepEqual(readdirSync(scratch.path).sort(), ['canary', 'victim', 'victim-home'])
  reportRow({ id: 'N-01', tried: UNCLEAN.length + odd.length, handled: UNCLEAN.length + odd.length })
  reportRow({ id: 'N-02', tried: handled, where: 'requests to a daemon', leakedBytes })
})

test('B-08: a flood of records is stored with backpressure and does not block others', async () => {
  using scratch = scratchDirectory()
  const { member, dial } = await stage(scratch.path)
  await using _daemon = member.daemon
  await using peer = await dial()
  await peer.introduce(['docs'])
  await member.daemon.request('PATCH', '/rest/config/folders/docs', { type: 'sendonly' })
  const lags: number[] = []
  const done = new AbortController()
  const probing = (async () => {
    while (!done.signal.aborted) {
      lags.push(await lag(member))
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })()
  const total = effort(20_000)
  const started = performance.now()
  let sequence = 0
  const send = async (files: FileInfo[], more: { prevSequence?: number; lastSequence?: number } = {}) =>
    peer.connection.indexUpdate({
      folder: 'docs',
      files,
      prevSequence: Math.max(0, sequence - files.length),
      lastSequence: sequence,
      ...more,
    })
  const record = (name: string, at: number) => file(name, { sequence: at, version: version(2) })
  for (let batch = 0; batch < total / 1_000; batch++) {
    await send(Array.from({ length: 1_000 }, () => record(`d${sequence % 50}/f${++sequence}`, sequence)))
  }
  await send(Array.from({ length: 1_000 }, (_, i) => record('again', sequence + i)))
  await send(Array.from({ length: 1_000 }, (_, i) => record(`down${i}`, Math.max(1, sequence - i))))
  await send(Array.from({ length: 1_000 }, (_, i) => record(`same${i}`, 5)))
  await send([record('far', Number.MAX_SAFE_INTEGER)], { lastSequence: Number.MAX_SAFE_INTEGER })
  const expected = total + 1 + 1_000 + 1_000 + 1
  await eventually(
    'all of it to arrive',
    async () => {
      if (peer.ended !== undefined) throw new Error(`the connection ended: ${peer.ended}`)
      const { globalFiles } = (await member.daemon.get('/rest/db/status?folder=docs')) as { globalFiles: number }
      return globalFiles === expected || undefined
    },
    60_000,
  )
  done.abort()
  await probing
  const entriesPerSecond = Math.round(expected / ((performance.now() - started) / 1_000))
  assert.equal(peer.ended, undefined, 'wrong numbers are no reason to hang up')
  assert.ok(lags.length > 0, 'others are served meanwhile')
  const peakRssMiB = rssMiB(member)
  assert.ok(peakRssMiB < RSS_MIB_MAX, `${peakRssMiB} MiB`)
  const pingMaxMs = Math.round(Math.max(...lags))
  reportRow({ id: 'B-08', tried: expected, entriesPerSecond, peakRssMiB, pingMaxMs })
})

test('B-10: a flood of requests is served or rejected, within bounds', async () => {
  using scratch = scratchDirectory()
  const { member, dial } = await stage(scratch.path)
  await using _daemon = member.daemon
  const block = Buffer.alloc(131_072, 'b')
  writeFileSync(join(member.root, 'a'), block)
  await member.daemon.post('/rest/db/scan?folder=docs')
  await using peer = await dial()
  await peer.introduce(['docs'])
  const count = effort(3_000)
  const answers = await Promise.allSettled(
    Array.from({ length: count }, (_, i) => {
      const more = [
        {},
        { offsetBytes: 2 ** 52 },
        { sizeBytes: 0, hash: sha256(Buffer.alloc(0)) },
        { folder: 'unknown' },
      ][i % 4]!
      return peer.connection.request(requestFor('a', block, more), NEVER)
    }),
  )
  assert.equal(peer.ended, undefined)
  const good = answers.filter((answer) => answer.status === 'fulfilled' && answer.value.length === block.length).length
  assert.equal(good, count / 4)
  await member.daemon.request('PATCH', '/rest/config/folders/docs', { paused: true })
  await assert.rejects(peer.connection.request(requestFor('a', block), NEVER), /generic/)
  reportRow({ id: 'B-10', tried: count + 1, answered: good, refused: count + 1 - good, peakRssMiB: rssMiB(member) })
  assert.ok(existsSync(join(member.root, 'a')))
})
