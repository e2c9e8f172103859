import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MARKER_MISSING } from '../../src/core/folder-stop.ts'
import { DOCS, folderId, simConfig, simFolder, SimHub } from '../support/model.ts'
import { ROOT, started, localNames } from './started-hub.ts'

test('a new folder gets its root and marker, is scanned, and emits events for its items', async () => {
  await using hub = await started()
  assert.equal((await hub.platform.disk.lstat(`${ROOT}/.stfolder`)).type, 'directory')
  assert.deepEqual(await localNames(hub), ['a.txt', 'b', 'b/c.txt'])
  const [update] = hub.of('LocalIndexUpdated')
  assert.deepEqual(
    { ...update, filenames: [...(update?.filenames ?? [])].sort() },
    {
      folder: 'docs',
      items: 3,
      filenames: ['a.txt', 'b', 'b/c.txt'],
      sequence: 3,
      version: 3,
    },
  )
  const change = hub.of('LocalChangeDetected').find((data) => data.path === 'b')
  assert.deepEqual(change, {
    folder: 'docs',
    folderID: 'docs',
    label: 'The docs',
    path: 'b',
    type: 'dir',
    action: 'modified',
    modifiedBy: 'AXH5OLU',
  })
  const status = await hub.model.status(DOCS)
  assert.deepEqual([status.state, status.sequence, status.counts.local.files], ['idle', 3, 2])
})

test('a folder without a root gets one', async () => {
  await using hub = await started({})
  assert.deepEqual(
    (await hub.platform.disk.list(ROOT)).map(({ name }) => name),
    ['.stfolder'],
  )
})

test('a marker with another name is never created', async () => {
  await using hub = await SimHub.open(simConfig([simFolder('docs', { markerName: 'sentinel' })]))
  hub.platform.disk.put(`${ROOT}/x`, '')
  hub.run()
  await assert.rejects(hub.while(hub.model.scan(DOCS)), { message: MARKER_MISSING })
  hub.platform.disk.put(`${ROOT}/sentinel`, '')
  await hub.while(hub.model.scan(DOCS))
  assert.deepEqual((await hub.platform.disk.list(ROOT)).map(({ name }) => name).sort(), ['sentinel', 'x'])
})

test('a folder that is added paused gets its directory, so that patterns can be set before its start', async () => {
  await using hub = await SimHub.open(simConfig([]))
  hub.run()
  await hub.change(() => simConfig([simFolder('docs', { paused: true })]))
  await hub.while(hub.model.setIgnores(DOCS, ['*.tmp']))
  hub.platform.disk.put(`${ROOT}/a.tmp`, '')
  hub.platform.disk.put(`${ROOT}/a.txt`, '')
  await hub.change(() => simConfig([simFolder('docs')]))
  await hub.while(hub.model.scan(DOCS))
  assert.deepEqual(await localNames(hub), ['a.txt'])
})

test('a second start of a known folder makes no marker: an empty mount point stays untouched', async () => {
  await using hub = await started()
  await hub.change((config) => ({ ...config, folders: [simFolder('docs', { paused: true })] }))
  await hub.platform.disk.rename(ROOT, '/data/unmounted')
  await hub.platform.disk.makeDirectory(ROOT, 0o755)
  await hub.change((config) => ({ ...config, folders: [simFolder('docs')] }))
  await assert.rejects(hub.while(hub.model.scan(DOCS)), { message: MARKER_MISSING })
  assert.deepEqual(await hub.platform.disk.list(ROOT), [])
  assert.deepEqual(await localNames(hub), ['a.txt', 'b', 'b/c.txt'])
})

test('removing a folder removes its index and its marker; its files stay', async () => {
  await using hub = await started()
  await hub.change((config) => ({ ...config, folders: [] }))
  assert.deepEqual(await hub.store.folders(), [])
  assert.deepEqual((await hub.platform.disk.list(ROOT)).map(({ name }) => name).sort(), ['a.txt', 'b'])
  await assert.rejects(hub.model.scan(DOCS), { code: 'folder-missing' })
  await hub.change((config) => ({ ...config, folders: [simFolder('docs')] }))
  await hub.while(hub.model.scan(DOCS))
  assert.deepEqual(
    await localNames(hub),
    ['a.txt', 'b', 'b/c.txt'],
    'added again at once, it starts with an empty index and finds everything',
  )
})

test('removing one of two folders with the same path leaves the marker to the other', async () => {
  const twin = simFolder('twin', { path: ROOT })
  await using hub = await started({ 'a.txt': 'x' }, simConfig([simFolder('docs'), twin]))
  await hub.change((config) => ({ ...config, folders: [simFolder('docs')] }))
  await hub.while(hub.model.scan(DOCS))
})

test('the index of a folder that was removed from the configuration is dropped at the start', async () => {
  await using hub = await SimHub.open(simConfig([simFolder('docs')]))
  await hub.store.folder(folderId('removed'))
  hub.run()
  await hub.while(hub.model.scan(DOCS))
  assert.deepEqual(await hub.store.folders(), ['docs'])
})

test('one folder that cannot be removed does not keep the others from changing', async () => {
  const config = simConfig([simFolder('docs'), simFolder('bad')])
  await using hub = await SimHub.open(config, {
    wrap: (store) => ({
      keyValue: store.keyValue,
      bases: store.bases,
      recoveries: [],
      folders: () => store.folders(),
      folder: (id) => store.folder(id),
      dropFolder: async () => {
        throw new Error('disk full')
      },
      [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
    }),
  })
  hub.run()
  await hub.while(hub.model.scanAll())
  await hub.change(() => simConfig([simFolder('docs'), simFolder('new')]))
  await hub.while(hub.model.scan(folderId('new')))
  assert.ok(hub.lines.some((line) => line.includes('remove-folder') && line.includes('disk full')))
})
