import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TwinfoldError } from '../../../src/core/errors.ts'
import type { EventMap } from '../../../src/events/types.ts'
import { Semaphore } from '../../../src/sync/semaphore.ts'
import { SimClock } from '../../../src/platform/sim/clock.ts'
import { settle } from '../../support/model.ts'
import { HOUR_MS, start, type FakeDisk } from './fake-folder.ts'

test('a stop rejects queued and running scans with context canceled at once', async () => {
  const { clock, requests, stop, done } = start({ arrange: (each) => (each.durationMs = HOUR_MS) })
  await settle()
  const scans = [requests.scan(['a'], undefined), requests.scan(['b'], undefined)]
  const failures = Promise.all(
    scans.map((request) => assert.rejects(request, { code: 'stopped', message: 'context canceled' })),
  )
  stop.abort()
  await done
  await failures
  await assert.rejects(requests.scan(['c'], undefined), { message: 'context canceled' })
  assert.equal(clock.monotonicMs(), 0)
})

test('a folder that fails its check is in error with the reason and does not access the disk', async () => {
  const { disk, requests, state, states, events, watched, end } = start()
  await settle()
  disk.health = new TwinfoldError('folder-error', 'folder marker missing')
  await assert.rejects(requests.scan([''], undefined), { code: 'folder-error', message: 'folder marker missing' })
  assert.equal(disk.scans.length, 1)
  assert.deepEqual(states().slice(3), ['idle→error'])
  assert.deepEqual(events.at(-1), [
    'StateChanged',
    { folder: 'docs', from: 'idle', to: 'error', duration: 0, error: 'folder marker missing' },
  ])
  assert.equal(state.error, 'folder marker missing')
  assert.deepEqual(watched, ['follow', 'stop'])
  await end()
})

test('the same error is reported once, a different one again', async () => {
  const { disk, requests, states, end } = start()
  await settle()
  disk.health = new TwinfoldError('folder-error', 'one')
  await assert.rejects(requests.scan([''], undefined))
  await assert.rejects(requests.scan([''], undefined))
  disk.health = new TwinfoldError('folder-error', 'two')
  await assert.rejects(requests.scan([''], undefined))
  assert.deepEqual(states().slice(3), ['idle→error', 'error→error'])
  await end()
})

test('the next successful scan clears the error and scans everything, whatever was requested', async () => {
  const { disk, requests, state, states, watched, end } = start()
  await settle()
  disk.health = new TwinfoldError('folder-error', 'one')
  await assert.rejects(requests.scan(['a'], undefined))
  disk.health = undefined
  await requests.scan(['a'], undefined)
  assert.deepEqual(states().slice(4), ['error→idle', 'idle→scan-waiting', 'scan-waiting→scanning', 'scanning→idle'])
  assert.deepEqual(disk.scans.at(-1)?.subs, [''])
  assert.equal(state.error, '')
  assert.deepEqual(watched, ['follow', 'stop', 'follow'])
  await end()
})

test('a folder in error recovers when its disk is back, also with an interval of 0', async () => {
  const { clock, disk, state, end } = start({
    intervalMs: 0,
    arrange: (each) => (each.health = new TwinfoldError('folder-error', 'folder path missing')),
  })
  await clock.advance(HOUR_MS, settle)
  assert.equal(state.name, 'error')
  assert.equal(disk.scans.length, 0)
  disk.health = undefined
  await clock.advance(300_000, settle)
  assert.equal(state.name, 'idle')
  assert.equal(disk.scans.length, 1)
  await end()
})

test('a damaged index triggers a full scan at once; repeated damage delays it', async () => {
  const { clock, disk, state, end } = start({
    arrange: (each) => (each.scanError = new TwinfoldError('database-damaged', 'malformed')),
  })
  await clock.advance(1, settle)
  assert.equal(state.name, 'error')
  assert.deepEqual(
    disk.scans.map((scan) => scan.subs),
    [[''], ['']],
  )
  disk.scanError = undefined
  await clock.advance(1_000, settle)
  assert.equal(disk.scans.length, 2)
  await clock.advance(60_000, settle)
  assert.equal(state.name, 'idle')
  assert.equal(disk.scans.length, 3)
  await end()
})

test('durations count from the full second of the last change; the first change has none', async () => {
  const { clock, events, state, end } = start({
    clock: new SimClock(1_700_000_000_700),
    arrange: (each) => (each.durationMs = 500),
  })
  await clock.advance(500, settle)
  const durations = events.map(([, data]) => (data as EventMap['StateChanged']).duration)
  assert.deepEqual(durations, [undefined, 0.7, 1.2])
  assert.equal(state.changedMs, 1_700_000_001_000)
  await end()
})

test('two folders share one slot alternately', async () => {
  const clock = new SimClock()
  const slots = new Semaphore(1)
  const arrange = (each: FakeDisk) => void (each.durationMs = 1_000)
  const one = start({ clock, slots, arrange })
  const two = start({ clock, slots, arrange })
  await settle()
  assert.deepEqual([one.state.name, two.state.name], ['scanning', 'scan-waiting'])
  await clock.advance(1_000, settle)
  assert.deepEqual([one.state.name, two.state.name], ['idle', 'scanning'])
  await clock.advance(1_000, settle)
  one.stop.abort()
  await one.done
  await two.end()
})

test('a stop while waiting for a slot does not consume the slot', async () => {
  const clock = new SimClock()
  const slots = new Semaphore(1)
  const arrange = (each: FakeDisk) => void (each.durationMs = 1_000)
  const one = start({ clock, slots, arrange })
  const two = start({ clock, slots, arrange })
  await settle()
  two.stop.abort()
  await two.done
  await clock.advance(1_000, settle)
  assert.deepEqual([slots.heldCount, slots.waitingCount], [0, 0])
  await one.end()
})

test('problems of items are listed, reported and replaced by the next scan of their path', async () => {
  const { disk, requests, state, problems, events, end } = start({
    arrange: (each) =>
      (each.problems = [
        { path: 'a/x', error: 'scan: e' },
        { path: 'b', error: 'scan: f' },
      ]),
  })
  await settle()
  assert.equal(problems.count, 2)
  assert.equal(state.name, 'idle')
  assert.equal(events.filter(([type]) => type === 'FolderErrors').length, 1)
  disk.problems = []
  await requests.scan(['a'], undefined)
  assert.deepEqual(
    problems.list().map((each) => each.path),
    ['b'],
  )
  await requests.scan([''], undefined)
  assert.equal(problems.count, 0)
  await end()
})

test('the same seed gives the same trace of events, another seed a different one', async () => {
  const traceOf = async (seed: number) => {
    const { clock, disk, requests, trace, end } = start({ seed, arrange: (each) => (each.durationMs = 1_234) })
    for (let i = 0; i < 20; i++) {
      await clock.advance(HOUR_MS / 3, settle)
      if (i % 4 === 0) requests.scanPaths([`p${i}`])
      if (i % 7 === 3) disk.health = new TwinfoldError('folder-error', 'folder path missing')
      else disk.health = undefined
      if (i % 5 === 2) requests.scan([`s${i}`], 60_000).catch(() => {})
    }
    await end()
    return trace.join('\n')
  }
  const first = await traceOf(42)
  assert.equal(await traceOf(42), first)
  assert.notEqual(await traceOf(43), first)
})
