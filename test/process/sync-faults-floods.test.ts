import assert from 'node:assert/strict'
import { lstatSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { connect } from '../support/daemon-pair.ts'
import { Device } from '../support/device-pair.ts'
import { effort, reportRow } from '../support/effort.ts'
import { HostilePeer } from '../support/hostile-peer.ts'
import { ResourceLaw, startWatched } from '../support/resource-law.ts'
import { DIRECTORY, frame, request, sha256, type WireRecord } from '../support/wire-frames.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { BLOCK, RSS_MIB_MAX, startScene } from './wire-scene.ts'

test('B-08: a flood of records is processed with bounded memory, and other folders continue', async () => {
  using directory = scratchDirectory()
  await using a = await startWatched(directory.path, 'a')
  await using b = await Device.start(directory.path, 'b')
  await connect(a, b)
  const peer = await HostilePeer.make()
  await peer.introduce(a, { flood: join(directory.path, 'flood') })
  const law = new ResourceLaw(a, peer)
  await Promise.all([a.whenConnectedTo(b.id), b.whenConnectedTo(a.id)])
  const count = effort(20_000)
  const floods: readonly (readonly [what: string, record: (i: number) => WireRecord])[] = [
    ['so many', (i) => ({ name: `many/${i}`, deleted: true, sequence: i + 1 })],
    ['all of one sequence number', (i) => ({ name: `same/${i}`, deleted: true, sequence: 7 })],
    ['decreasing sequence numbers', (i) => ({ name: `down/${i}`, deleted: true, sequence: count - i })],
    ['one name', (i) => ({ name: 'one', type: DIRECTORY, counter: i + 1, sequence: i + 1 })],
  ]
  let entries = 0
  let otherFiles = 0
  let worstLagMs = 0
  const startedMs = performance.now()
  for (const [what, record] of floods) {
    await using talk = await peer.join(a.port, a.id, 'flood')
    await talk.index([], 'flood')
    for (let start = 0; start < count; start += 1_000) {
      await talk.update(
        Array.from({ length: 1_000 }, (_, i) => record(start + i)),
        'flood',
      )
      entries += 1_000
    }
    const name = `during-${otherFiles}`
    writeFileSync(join(a.root, name), what)
    await a.scan()
    const askedMs = performance.now()
    await a.daemon.get('/rest/system/ping')
    worstLagMs = Math.max(worstLagMs, performance.now() - askedMs)
    await eventually(
      'a file of another folder',
      () => lstatSync(join(b.root, name), { throwIfNoEntry: false })?.isFile() || undefined,
    )
    otherFiles++
    assert.equal(await talk.isAlive(), true, what)
  }
  const secs = (performance.now() - startedMs) / 1_000
  const huge = [2n ** 63n - 1n, 2n ** 63n, -1n, 2n ** 53n]
  for (const sequence of huge) {
    await using talk = await peer.join(a.port, a.id, 'flood')
    await talk.index([{ name: 'huge', deleted: true, sequence }], 'flood')
    await talk.isAlive()
    assert.ok(a.isRunning)
  }
  const peakRssMiB = a.peakRssMib()
  reportRow({
    id: 'B-08',
    tried: floods.length + huge.length,
    entries,
    otherFiles,
    entriesPerSec: Math.round(entries / secs),
    worstLagMs: Math.round(worstLagMs),
    peakRssMiB,
  })
  assert.equal(otherFiles, floods.length)
  assert.ok(peakRssMiB < RSS_MIB_MAX, `${peakRssMiB} MiB`)
  law.check()
})

test('B-10: a flood of requests is served completely, within bounds', async () => {
  using directory = scratchDirectory()
  const content = Buffer.alloc(BLOCK, 'b')
  await using scene = await startScene(directory.path, (root) => writeFileSync(join(root, 'f'), content))
  const { device } = scene
  const hash = sha256(content)
  const count = effort(2_000)
  const figures = { answered: 0, dataBytes: 0, refused: 0, wrong: 0 }
  {
    await using talk = await scene.join()
    talk.onAnswer = ({ data, code }) => {
      figures.answered++
      figures.dataBytes += data.length
      figures.wrong += Number(code !== 0 || Buffer.compare(data, content) !== 0)
    }
    // All at once: they are on the way before the first answer is.
    await talk.raw(
      Buffer.concat(
        Array.from({ length: count }, (_, id) => frame('Request', request({ id, name: 'f', size: BLOCK, hash }))),
      ),
    )
    await talk.until('every answer', () => figures.answered === count)
  }
  const odd: readonly (readonly [what: string, body: Uint8Array])[] = [
    ...Array.from({ length: 100 }, () => ['the same id', request({ id: 5, name: 'f', size: BLOCK, hash })] as const),
    ...[BLOCK, BLOCK + 1, 2n ** 31n, 2n ** 40n, 2n ** 53n, 2n ** 62n, -1n].map(
      (offset) => ['an offset beyond the end', request({ id: 6, name: 'f', offset, size: BLOCK, hash })] as const,
    ),
    ['a negative id', request({ id: -1, name: 'f', size: BLOCK, hash })],
  ]
  await using talk = await scene.join()
  let answers = 0
  talk.onAnswer = ({ id, code }) => {
    answers++
    figures.refused += Number(code !== 0)
    figures.wrong += Number((code === 0) !== (id !== 6))
  }
  for (const [, body] of odd) await talk.send('Request', body)
  await talk.until('every answer', () => answers === odd.length)
  await device.daemon.request('PATCH', '/rest/config/folders/docs', { paused: true })
  let codes: readonly number[] = []
  talk.onAnswer = ({ code }) => void (codes = [...codes, code])
  await talk.send('Request', request({ id: 9, name: 'f', size: BLOCK, hash }))
  await talk.until('an answer about a paused folder', () => codes.length > 0)
  assert.deepEqual(codes, [1])
  const peakRssMiB = device.peakRssMib()
  reportRow({ id: 'B-10', tried: count + odd.length + 1, ...figures, peakRssMiB })
  assert.equal(figures.wrong, 0)
  assert.ok(peakRssMiB < RSS_MIB_MAX, `${peakRssMiB} MiB`)
})
