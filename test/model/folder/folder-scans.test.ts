import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { TwinfoldError } from '../../../src/core/errors.ts'
import { settle } from '../../support/model.ts'
import { HOUR_MS, start } from './fake-folder.ts'

test('a folder scans when it starts and emits its states', async () => {
  const { states, disk, end } = start()
  await settle()
  assert.deepEqual(states(), ['idle→scan-waiting', 'scan-waiting→scanning', 'scanning→idle'])
  assert.deepEqual(disk.scans, [{ atMs: 0, subs: [''] }])
  await end()
})

test('the rescan comes between ¾ and 1¼ of the interval after the last timed scan, with jitter', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 1e9 }),
      fc.integer({ min: 1, max: 100_000 }),
      async (seed, intervalS) => {
        const intervalMs = intervalS * 1_000
        const { clock, disk, end } = start({ seed, intervalMs })
        await clock.advance(intervalMs * 10, settle)
        const gaps = disk.scans.slice(1).map((scan, i) => scan.atMs - disk.scans[i]!.atMs)
        assert.ok(gaps.length >= 7 && gaps.length <= 13, `${gaps.length} rescans in ten intervals`)
        for (const gap of gaps)
          assert.ok(gap >= 0.75 * intervalMs && gap < 1.25 * intervalMs, `gap ${gap} of ${intervalMs}`)
        assert.ok(new Set(gaps).size > 1)
        await end()
      },
    ),
    { numRuns: 30 },
  )
})

test('a day of hourly rescans runs in simulated time', async () => {
  const { clock, disk, end } = start()
  await clock.advance(24 * HOUR_MS, settle)
  assert.ok(disk.scans.length >= 20 && disk.scans.length <= 33, String(disk.scans.length))
  await end()
})

test('an interval of 0 scans only once at the start', async () => {
  const { clock, disk, end } = start({ intervalMs: 0 })
  await clock.advance(400 * 24 * HOUR_MS, settle)
  assert.equal(disk.scans.length, 1)
  await end()
})

test('an interval above a year is limited to a year', async () => {
  const { clock, disk, end } = start({ intervalMs: 1e15 })
  await clock.advance(366 * 24 * HOUR_MS, settle)
  assert.equal(disk.scans.length, 2)
  await end()
})

for (const [name, nextMs, intervalMs, expectedMs] of [
  ['next sets the exact time of the rescan', 7_000, HOUR_MS, 7_000],
  ['next works with an interval of 0', 3_000, 0, 3_000],
  ['next of 0 makes the rescan due now', 0, HOUR_MS, 0],
] as const) {
  test(name, async () => {
    const { clock, disk, requests, end } = start({ intervalMs })
    await settle()
    await clock.advance(1_000, settle)
    await requests.scan(['a'], nextMs)
    await clock.advance(expectedMs + 1, settle)
    assert.deepEqual(disk.scans.map((scan) => scan.atMs - 1_000).slice(1), [0, expectedMs])
    assert.deepEqual(disk.scans.at(-1)?.subs, [''])
    await end()
  })
}

test('the interval applies again after the rescan set by next', async () => {
  const { clock, disk, requests, end } = start()
  await settle()
  await requests.scan(['a'], 5_000)
  await clock.advance(5_000 + 1.25 * HOUR_MS, settle)
  const [, , next, regular] = disk.scans
  assert.equal(next?.atMs, 5_000)
  assert.ok((regular?.atMs ?? 0) - 5_000 >= 0.75 * HOUR_MS)
  await end()
})

test('a requested scan does not reschedule the automatic one', async () => {
  const { clock, disk, requests, end } = start({ seed: 5 })
  const { clock: otherClock, disk: other, end: endOther } = start({ seed: 5 })
  await settle()
  await clock.advance(1_000, settle)
  await requests.scan(['x'], undefined)
  await clock.advance(2 * HOUR_MS, settle)
  await otherClock.advance(2 * HOUR_MS + 1_000, settle)
  const timed = disk.scans.filter((scan) => scan.subs[0] === '').map((scan) => scan.atMs)
  assert.deepEqual(
    timed,
    other.scans.map((scan) => scan.atMs),
  )
  await end()
  await endOther()
})

test('a failed scan does not apply next', async () => {
  const { clock, disk, requests, end } = start({ intervalMs: 0 })
  await settle()
  disk.scanError = new Error('broken')
  await assert.rejects(requests.scan(['a'], 1_000), /broken/)
  await clock.advance(4_000, settle) // before the automatic recheck
  assert.equal(disk.scans.length, 2)
  await end()
})

test('a scan requested before the first one has ended waits for it', async () => {
  const { clock, disk, requests, end } = start({ arrange: (each) => (each.durationMs = 10_000) })
  const answered: number[] = []
  const request = requests.scan(['a'], undefined).then(() => answered.push(clock.monotonicMs()))
  await clock.advance(10_000, settle)
  assert.deepEqual(answered, [])
  await clock.advance(10_000, settle)
  await request
  assert.deepEqual(
    disk.scans.map((scan) => scan.subs),
    [[''], ['a']],
  )
  assert.deepEqual(answered, [20_000])
  await end()
})

test('scans run in the order of their requests and never overlap', async () => {
  const { clock, disk, requests, end } = start({ arrange: (each) => (each.durationMs = 1_000) })
  const order: string[] = []
  const scans = ['c', 'a', 'b'].map((sub) => requests.scan([sub], undefined).then(() => order.push(sub)))
  await clock.advance(10_000, settle)
  await Promise.all(scans)
  assert.deepEqual(order, ['c', 'a', 'b'])
  assert.deepEqual(
    disk.scans.map((scan) => scan.atMs),
    [0, 1_000, 2_000, 3_000],
  )
  await end()
})

test('equal requests share a scan that starts after all of them, never one already running', async () => {
  const { clock, disk, requests, end } = start({ arrange: (each) => (each.durationMs = 1_000) })
  await clock.advance(1_000, settle)
  const first = requests.scan(['a'], undefined)
  await settle() // it runs now
  const later = [requests.scan(['a'], undefined), requests.scan(['a'], undefined)]
  await clock.advance(5_000, settle)
  await Promise.all([first, ...later])
  assert.deepEqual(
    disk.scans.map((scan) => scan.atMs),
    [0, 1_000, 2_000],
  )
  await end()
})

test('each of many requests gets its own result', async () => {
  const { disk, requests, end } = start()
  await settle()
  disk.health = new TwinfoldError('folder-error', 'folder path missing')
  const bad = requests.scan(['a'], undefined)
  await assert.rejects(bad, { message: 'folder path missing' })
  disk.health = undefined
  await requests.scan(['a'], undefined)
  await end()
})

test('a running requested scan is canceled by a stop', async () => {
  const { disk, requests, stop, done } = start()
  await settle()
  disk.durationMs = HOUR_MS
  const request = requests.scan(['a'], undefined)
  await settle()
  stop.abort()
  await assert.rejects(request, { message: 'context canceled' })
  await done
})

test('paths from the watcher are scanned as received; too many become one full scan', async () => {
  const { clock, disk, requests, end } = start({ arrange: (each) => (each.durationMs = 1_000) })
  await clock.advance(1_000, settle)
  requests.scanPaths(['a', 'b'])
  requests.scanPaths(['gone'])
  await clock.advance(5_000, settle)
  assert.deepEqual(
    disk.scans.slice(1).map((scan) => scan.subs),
    [['a', 'b'], ['gone']],
  )
  for (let i = 0; i < 100; i++) requests.scanPaths([String(i)])
  await clock.advance(30_000, settle)
  const rest = disk.scans.slice(3).map((scan) => scan.subs)
  assert.ok(rest.length < 20, `${rest.length} scans`)
  assert.ok(rest.some((subs) => subs[0] === ''))
  await end()
})
