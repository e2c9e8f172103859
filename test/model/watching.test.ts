import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DOCS, settle, simConfig, simFolder, SimHub } from '../support/model.ts'
import { ROOT, started, localNames } from './started-hub.ts'

test('a watched file is scanned after the delay; lost events cause a full scan', async () => {
  await using hub = await started(
    { 'a.txt': 'x' },
    simConfig([simFolder('docs', { fsWatcherEnabled: true, fsWatcherDelayS: 1 })]),
  )
  hub.platform.disk.put(`${ROOT}/seen.txt`, 'x')
  await hub.pass(3_000)
  assert.ok((await localNames(hub)).includes('seen.txt'))
  hub.platform.watcher.deaf = true
  hub.platform.disk.put(`${ROOT}/missed.txt`, 'x')
  hub.platform.watcher.deaf = false
  await hub.pass(3_000)
  assert.ok(!(await localNames(hub)).includes('missed.txt'))
  hub.platform.watcher.overflow()
  await hub.pass(3_000)
  assert.ok((await localNames(hub)).includes('missed.txt'))
})

test('one event for a directory covers everything in it, in either Unicode form of its name', async () => {
  for (const named of ['caf\u00e9', 'cafe\u0301']) {
    const folder = simFolder('docs', { fsWatcherEnabled: true, fsWatcherDelayS: 1, rescanIntervalS: 0 })
    await using hub = await started({ 'a.txt': 'x' }, simConfig([folder]))
    hub.platform.watcher.deaf = true
    hub.platform.disk.put(`${ROOT}/${named}/deep/one.txt`, 'x')
    hub.platform.disk.put(`${ROOT}/elsewhere.txt`, 'x')
    hub.platform.watcher.deaf = false
    await hub.platform.disk.chmod(`${ROOT}/${named}`, 0o700)
    await hub.pass(3_000)
    const names = await localNames(hub)
    assert.ok(names.includes('caf\u00e9/deep/one.txt'), names.join(' '))
  }
})

test('a watcher that cannot start is reported, retried after a minute, and followed by a scan', async () => {
  await using hub = await SimHub.open(
    simConfig([simFolder('docs', { fsWatcherEnabled: true, fsWatcherDelayS: 1, rescanIntervalS: 0 })]),
  )
  hub.platform.watcher.refusal = new Error('needs 10 watches, 5 allowed')
  hub.run()
  await hub.while(hub.model.scan(DOCS))
  assert.equal((await hub.model.status(DOCS)).watchError, 'needs 10 watches, 5 allowed')
  assert.deepEqual(hub.of('FolderWatchStateChanged'), [{ folder: 'docs', to: 'needs 10 watches, 5 allowed' }])
  assert.equal((await hub.model.status(DOCS)).state, 'idle')
  hub.platform.disk.put(`${ROOT}/gap.txt`, 'x')
  hub.platform.watcher.refusal = undefined
  await hub.pass(61_000)
  assert.equal((await hub.model.status(DOCS)).watchError, '')
  assert.ok((await localNames(hub)).includes('gap.txt'))
  hub.platform.watcher.breakDown(new Error('gone'))
  await hub.pass(10)
  assert.equal((await hub.model.status(DOCS)).watchError, 'gone')
})

test('a watcher that does not start delays neither a scan for long nor a stop', async () => {
  await using hub = await SimHub.open(simConfig([simFolder('docs', { fsWatcherEnabled: true })]))
  let closed = 0
  const opening = Promise.withResolvers<AsyncDisposable>()
  hub.platform.watcher.watch = () => opening.promise
  hub.platform.disk.put(`${ROOT}/a.txt`, 'x')
  hub.run()
  await hub.pass(5_000)
  assert.deepEqual(await localNames(hub), ['a.txt'])
  await hub.change(() => simConfig([simFolder('docs', { paused: true })]))
  opening.resolve({ [Symbol.asyncDispose]: async () => void closed++ })
  await settle()
  assert.equal(closed, 1, 'a watcher that starts too late is closed')
})

test('a changed ignore file restarts the watcher with the new patterns', async () => {
  await using hub = await started(
    { 'a.txt': 'x' },
    simConfig([simFolder('docs', { fsWatcherEnabled: true, fsWatcherDelayS: 1 })]),
  )
  await hub.while(hub.model.setIgnores(DOCS, ['*.tmp']))
  await hub.pass(2_000)
  const before = hub.states().length
  hub.platform.disk.put(`${ROOT}/x.tmp`, 'x')
  await hub.pass(10_000)
  assert.equal(hub.states().length, before, 'an ignored file causes no scan')
})
