import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DOCS, simFolder } from '../support/model.ts'
import { ROOT, started, localNames } from './started-hub.ts'

test('pausing ends a scan with context canceled, emits an event, and shows no counts; resuming scans', async () => {
  await using hub = await started()
  const scan = hub.model.scan(DOCS)
  const refused = assert.rejects(scan, { code: 'stopped', message: 'context canceled' })
  await hub.change((config) => ({ ...config, folders: [simFolder('docs', { paused: true })] }))
  await hub.while(refused)
  assert.deepEqual(hub.of('FolderPaused'), [{ id: 'docs', label: 'The docs' }])
  assert.equal((await hub.model.status(DOCS)).state, '')
  hub.platform.disk.put(`${ROOT}/new.txt`, 'x')
  await hub.change((config) => ({ ...config, folders: [simFolder('docs')] }))
  assert.deepEqual(hub.of('FolderResumed'), [{ id: 'docs', label: 'The docs' }])
  await hub.while(hub.model.scan(DOCS, ['a.txt'], undefined))
  assert.ok((await localNames(hub)).includes('new.txt'), 'the scan waited for the first one, which scans everything')
})

test('a folder whose settings change is restarted with the new ones', async () => {
  await using hub = await started()
  await hub.change((config) => ({ ...config, folders: [simFolder('docs', { rescanIntervalS: 10 })] }))
  await hub.pass(1_000)
  const before = hub.states().length
  await hub.pass(60_000)
  assert.ok(hub.states().length >= before + 3 * 4)
  assert.equal(hub.of('FolderPaused').length, 0)
})

test('a change of other settings does not restart the folder', async () => {
  await using hub = await started()
  const before = hub.states().length
  await hub.change((config) => ({ ...config, gui: { ...config.gui, theme: 'dark' } }))
  await hub.pass(1_000)
  assert.equal(hub.states().length, before)
})

test('a new label is used in later events, without a new scan', async () => {
  await using hub = await started()
  const before = hub.states().length
  await hub.change((config) => ({ ...config, folders: [simFolder('docs', { label: 'Papers' })] }))
  await hub.pass(1_000)
  assert.equal(hub.states().length, before)
  hub.platform.disk.put(`${ROOT}/new.txt`, 'x')
  await hub.while(hub.model.scan(DOCS))
  assert.equal(hub.of('LocalChangeDetected').at(-1)?.label, 'Papers')
})
