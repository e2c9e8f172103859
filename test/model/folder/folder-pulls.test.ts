import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TwinfoldError } from '../../../src/core/errors.ts'
import { IgnoreRules } from '../../../src/core/ignore/ignore.ts'
import { settle } from '../../support/model.ts'
import { HOUR_MS, start } from './fake-folder.ts'

test('the first pull starts after the first scan and only when items are needed', async () => {
  const { clock, disk, folder, states, end } = start({
    arrange: (each) => Object.assign(each, { durationMs: 1_000, needed: true }),
  })
  folder.pullSoon()
  await clock.advance(999, settle)
  assert.deepEqual(disk.pulls, [])
  await clock.advance(1, settle)
  await settle()
  assert.deepEqual(disk.pulls, [1_000])
  assert.deepEqual(states().slice(3), [
    'idle→sync-waiting',
    'sync-waiting→sync-preparing',
    'sync-preparing→syncing',
    'syncing→idle',
  ])
  await end()
})

test('a pull without needed items changes no state', async () => {
  const { clock, folder, states, end } = start()
  await clock.advance(0, settle)
  const before = states().length
  folder.pullSoon()
  await clock.advance(10, settle)
  assert.equal(states().length, before)
  await end()
})

test("a scan runs during a pull, and the pull's state shows again after the scan", async () => {
  const { clock, disk, requests, state, states, end } = start({
    arrange: (each) => Object.assign(each, { needed: true, pullMs: 60_000 }),
  })
  await clock.advance(10, settle)
  assert.equal(state.name, 'syncing')
  const scan = requests.scan(['a'], undefined)
  await clock.advance(1, settle)
  await scan
  assert.equal(disk.scans.length, 2)
  assert.deepEqual(states().slice(-3), ['syncing→scan-waiting', 'scan-waiting→scanning', 'scanning→syncing'])
  disk.needed = false
  await clock.advance(60_000, settle)
  assert.equal(state.name, 'idle')
  await end()
})

test('failed pulls are retried with backoff, and at once after an update', async () => {
  const failing = [{ path: 'f', error: 'syncing: no' }]
  const { clock, disk, folder, problems, events, end } = start({
    intervalMs: 0,
    arrange: (each) =>
      Object.assign(each, { needed: true, outcome: { problems: failing, rescan: [], complete: false } }),
  })
  await clock.advance(600_000, settle)
  assert.deepEqual(disk.pulls, [0, 60_000, 180_000, 420_000])
  assert.deepEqual([problems.list(), problems.count], [failing, 1])
  assert.equal(events.filter(([type]) => type === 'FolderErrors').length, 4)
  folder.pullSoon()
  await settle()
  await settle()
  assert.equal(disk.pulls.at(-1), 600_000)
  disk.outcome = { problems: [], rescan: [], complete: true }
  await clock.advance(10_000_000, settle)
  assert.equal(problems.count, 0)
  assert.equal(disk.pulls.length, 6)
  await end()
})

test('a requested scan retries failed items at once', async () => {
  const failing = [{ path: 'f', error: 'syncing: no' }]
  const { clock, disk, requests, problems, end } = start({
    intervalMs: 0,
    arrange: (each) =>
      Object.assign(each, { needed: true, outcome: { problems: failing, rescan: [], complete: false } }),
  })
  await clock.advance(10_000, settle)
  disk.outcome = { problems: [], rescan: [], complete: true }
  const scan = requests.scan([''], undefined)
  await clock.advance(1, settle)
  await scan
  await settle()
  assert.deepEqual([disk.pulls.length, problems.count], [2, 0])
  await end()
})

test('a pull requests scans of unexpected items, and a folder in error neither pulls nor spins', async () => {
  const { clock, disk, requests, end } = start({
    arrange: (each) =>
      Object.assign(each, { needed: true, outcome: { problems: [], rescan: ['met'], complete: false } }),
  })
  await clock.advance(10, settle)
  assert.deepEqual(
    disk.scans.map(({ subs }) => subs),
    [[''], ['met']],
  )
  disk.health = new TwinfoldError('folder-error', 'folder path missing')
  await assert.rejects(requests.scan([''], undefined), { message: 'folder path missing' })
  const pulls = disk.pulls.length
  await clock.advance(1_000_000, settle)
  assert.equal(disk.pulls.length, pulls)
  disk.health = undefined
  await clock.advance(1_000_000, settle)
  assert.ok(disk.pulls.length > pulls)
  await end()
})

test('stopping aborts a running pull', async () => {
  const { clock, state, end } = start({ arrange: (each) => Object.assign(each, { needed: true, pullMs: 1_000_000 }) })
  await clock.advance(10, settle)
  assert.equal(state.name, 'syncing')
  await end()
})

test('old versions are cleaned up every interval, except in error; a failure is not fatal', async () => {
  const { clock, disk, states, warnings, end } = start({ intervalMs: 0, cleanMs: HOUR_MS })
  await clock.advance(3.5 * HOUR_MS, settle)
  assert.deepEqual(disk.cleanings, [HOUR_MS, 2 * HOUR_MS, 3 * HOUR_MS])
  assert.deepEqual(states().slice(-3), ['idle→clean-waiting', 'clean-waiting→cleaning', 'cleaning→idle'])
  disk.cleanError = new Error('no room')
  await clock.advance(HOUR_MS, settle)
  assert.equal(disk.cleanings.length, 4)
  assert.match(warnings.at(-1) ?? '', /could not be cleaned up: no room$/)
  disk.health = new TwinfoldError('folder-error', 'folder path missing')
  await clock.advance(5 * HOUR_MS, settle)
  assert.equal(disk.cleanings.length, 4)
  assert.equal(states().at(-1), 'idle→error')
  await end()
})

test('tasks run between scans, one at a time, and report their result to the caller', async () => {
  const { clock, disk, requests, states, end } = start({ arrange: (each) => void (each.durationMs = 1_000) })
  const states3 = { waiting: 'scan-waiting', working: 'scanning' } as const
  const done: string[] = []
  const task = (name: string, error?: Error) =>
    requests.perform({
      states: states3,
      run: async (_check, signal) => {
        await clock.sleep(500, signal)
        done.push(name)
        if (error !== undefined) throw error
      },
    })
  const first = task('first')
  const second = assert.rejects(task('second', new Error('refused')), { message: 'refused' })
  await clock.advance(500, settle)
  assert.deepEqual(done, []) // the first scan comes first
  await clock.advance(2_000, settle)
  await Promise.all([first, second])
  assert.deepEqual(done, ['first', 'second'])
  assert.equal(states().at(-1), 'scanning→idle')
  disk.health = new TwinfoldError('folder-error', 'folder path missing')
  const failed = assert.rejects(task('third'), { code: 'folder-error' })
  await clock.advance(1, settle)
  await failed
  const waiting = assert.rejects(task('never'), { code: 'folder-error' })
  await clock.advance(1, settle)
  await waiting
  await end()
  await assert.rejects(task('too late'), { code: 'stopped' })
})

test('a failing pull puts the folder in error, which a later check clears', async () => {
  const { clock, disk, state, states, watched, end } = start({
    arrange: (each) =>
      Object.assign(each, { needed: true, pullError: new TwinfoldError('folder-error', 'disk is gone') }),
  })
  await clock.advance(10, settle)
  assert.deepEqual([state.name, state.error], ['error', 'disk is gone'])
  assert.equal(states().at(-1), 'syncing→error')
  assert.equal(watched.at(-1), 'stop')
  Object.assign(disk, { pullError: undefined, needed: false })
  await clock.advance(10_000, settle)
  assert.equal(state.name, 'idle')
  await end()
})

test('a scan with other ignore patterns ends a pull that has the old ones, and it begins again', async () => {
  const { clock, disk, pulls, end } = start({
    arrange: (each) => Object.assign(each, { needed: true, pullMs: 60_000 }),
  })
  await clock.advance(10, settle)
  const { signal } = new AbortController()
  const { ignore } = await disk.check()
  const same = await pulls.exclude(signal, new IgnoreRules(ignore.lines))
  same[Symbol.dispose]()
  await clock.advance(10, settle)
  assert.equal(disk.pulls.length, 1)
  const other = await pulls.exclude(signal, new IgnoreRules([...ignore.lines, '!/kept', '/dropped']))
  assert.equal(pulls.isPulling, false)
  other[Symbol.dispose]()
  await clock.advance(60_000, settle)
  assert.equal(disk.pulls.length, 2)
  disk.needed = false
  await clock.advance(60_000, settle)
  await end()
})
