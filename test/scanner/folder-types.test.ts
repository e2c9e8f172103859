import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FLAG_IGNORED, FLAG_MUST_RESCAN, FLAG_RECEIVE_ONLY } from '../../src/core/records/file-info.ts'
import { OTHER_SHORT_ID, LOCAL_SHORT_ID, SimFolder } from './sim-folder.ts'

test('scan: items become ignored, and not ignored again', async () => {
  const folder = new SimFolder()
  folder.put('x')
  await folder.scan()
  const version = folder.index.records.get('x')!.version
  folder.index.records.set('x', {
    ...folder.index.records.get('x')!,
    version: [...version, { device: OTHER_SHORT_ID, value: 3n }],
  })
  assert.equal((await folder.scan({ lines: ['x'] })).changed, 1)
  const ignored = folder.index.records.get('x')!
  assert.equal(ignored.localFlags, FLAG_IGNORED)
  assert.equal(ignored.deleted, false)
  assert.equal(ignored.blockHashes, undefined)
  assert.equal((await folder.scan({ lines: ['x'] })).changed, 0)
  await folder.scan()
  const back = folder.index.records.get('x')!
  assert.equal(back.localFlags, 0)
  assert.deepEqual(
    back.version.map(({ device }) => device),
    [LOCAL_SHORT_ID],
  )
})

test('scan: an ignored item that is missing when un-ignored is fetched again, not deleted everywhere', async () => {
  const folder = new SimFolder()
  folder.put('x')
  await folder.scan()
  await folder.scan({ lines: ['x'] })
  await folder.disk.removeFile('/f/x')
  await folder.scan()
  const record = folder.index.records.get('x')!
  assert.equal(record.deleted, true)
  assert.deepEqual(record.version, [])
})

test('scan: a record that must be rescanned is hashed again, and keeps its version where nothing changed', async () => {
  const folder = new SimFolder()
  folder.put('x')
  await folder.scan()
  const before = folder.index.records.get('x')!
  folder.index.records.set('x', { ...before, localFlags: FLAG_MUST_RESCAN })
  assert.equal((await folder.scan()).changed, 1)
  const after = folder.index.records.get('x')!
  assert.deepEqual([after.localFlags, after.version], [0, before.version])
})

test('scan: changes in a receive-only folder are flagged once', async () => {
  const folder = new SimFolder()
  folder.put('x')
  await folder.scan({ receiveOnly: true })
  assert.equal(folder.index.records.get('x')!.localFlags, FLAG_RECEIVE_ONLY)
  assert.equal((await folder.scan({ receiveOnly: true })).changed, 0)
})

test('scan: a folder that is not receive-only any more announces its changes against the global state', async () => {
  const folder = new SimFolder()
  folder.put('x')
  await folder.scan({ receiveOnly: true })
  folder.index.records.set('x', {
    ...folder.index.records.get('x')!,
    version: [
      { device: LOCAL_SHORT_ID, value: 3n },
      { device: OTHER_SHORT_ID, value: 4n },
    ],
  })
  assert.equal((await folder.scan()).changed, 1)
  const record = folder.index.records.get('x')!
  assert.equal(record.localFlags, 0)
  assert.deepEqual(
    record.version.map(({ device }) => device),
    [LOCAL_SHORT_ID],
  )
  assert.equal((await folder.scan()).changed, 0)
})

/** An item deleted in a receive-only folder, with `global` as the state of others. */
async function ownDeletion(global: 'missing' | 'live' | 'deleted'): Promise<SimFolder> {
  const folder = new SimFolder()
  folder.put('x')
  await folder.scan()
  const record = folder.index.records.get('x')!
  if (global !== 'missing')
    folder.index.others.set('x', {
      ...record,
      deleted: global === 'deleted',
      version: [{ device: OTHER_SHORT_ID, value: 4n }],
    })
  await folder.disk.removeFile('/f/x')
  await folder.scan({ receiveOnly: true })
  assert.deepEqual(
    [folder.index.records.get('x')?.deleted, folder.index.records.get('x')?.localFlags],
    [true, FLAG_RECEIVE_ONLY],
  )
  return folder
}

test('scan: a receive-only deletion is announced without a version when no other device has the item', async () => {
  const folder = await ownDeletion('missing')
  const before = folder.index.records.get('x')!
  await folder.scan({ receiveOnly: true })
  const { deleted, localFlags, version, sequence } = folder.index.records.get('x')!
  assert.deepEqual({ deleted, localFlags, version }, { deleted: true, localFlags: 0, version: [] })
  assert.ok(sequence > before.sequence, 'devices that have an older record get this one')
  assert.equal((await folder.scan({ receiveOnly: true })).changed, 0)
})

test('scan: the deletion of a local change that only this device has is no local change', async () => {
  const folder = new SimFolder()
  folder.put('x')
  await folder.scan({ receiveOnly: true })
  assert.equal(folder.index.records.get('x')?.localFlags, FLAG_RECEIVE_ONLY)
  await folder.disk.removeFile('/f/x')
  await folder.scan({ receiveOnly: true })
  const { deleted, localFlags, version } = folder.index.records.get('x')!
  assert.deepEqual({ deleted, localFlags, version }, { deleted: true, localFlags: 0, version: [] })
  assert.equal((await folder.scan({ receiveOnly: true })).changed, 0)
})

test('scan: a receive-only deletion keeps its flag while others have the item', async () => {
  const folder = await ownDeletion('live')
  assert.equal((await folder.scan({ receiveOnly: true })).changed, 0)
  assert.equal(folder.index.records.get('x')?.localFlags, FLAG_RECEIVE_ONLY)
})

for (const [why, global, receiveOnly] of [
  ['others have deleted it too', 'deleted', true],
  ['the folder is another type now', 'live', false],
] as const) {
  test(`scan: a receive-only deletion loses its flag when ${why}`, async () => {
    const folder = await ownDeletion(global)
    const before = folder.index.records.get('x')!
    assert.equal((await folder.scan({ receiveOnly })).changed, 1)
    assert.deepEqual({ ...folder.index.records.get('x')!, sequence: 0 }, { ...before, sequence: 0, localFlags: 0 })
    assert.equal((await folder.scan({ receiveOnly })).changed, 0)
  })
}

test('scan: a deletion that becomes ignored is flagged, and returns with an empty version', async () => {
  const folder = new SimFolder()
  folder.put('x')
  await folder.scan()
  await folder.disk.removeFile('/f/x')
  await folder.scan()
  const deletion = folder.index.records.get('x')!
  assert.equal((await folder.scan({ lines: ['x'] })).changed, 1)
  const ignored = folder.index.records.get('x')!
  assert.deepEqual([ignored.deleted, ignored.localFlags, ignored.version], [true, FLAG_IGNORED, deletion.version])
  assert.equal((await folder.scan({ lines: ['x'] })).changed, 0)
  assert.equal((await folder.scan()).changed, 1)
  const again = folder.index.records.get('x')!
  assert.deepEqual([again.deleted, again.localFlags, again.version], [true, 0, []])
  assert.equal((await folder.scan()).changed, 0)
})
