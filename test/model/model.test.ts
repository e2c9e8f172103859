import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DOCS, NEVER, folderId, simConfig, simFolder, SimHub } from '../support/model.ts'
import { ROOT, started } from './started-hub.ts'

test('a status is cached after the first query, and is the same object until something changes', async () => {
  await using hub = await started()
  assert.equal(hub.model.statusNow(DOCS), undefined)
  const queried = await hub.model.status(DOCS)
  const known = hub.model.statusNow(DOCS)
  assert.deepEqual(known, queried)
  assert.equal(hub.model.statusNow(DOCS), known)
  hub.platform.disk.put(`${ROOT}/new.txt`, 'x')
  await hub.while(hub.model.scan(DOCS))
  const later = hub.model.statusNow(DOCS)
  assert.notEqual(later, known)
  assert.deepEqual(later, await hub.model.status(DOCS))
  assert.equal(later?.counts.local.files, 3)
  assert.throws(() => hub.model.statusNow(folderId('unknown')), { code: 'folder-missing' })
})

test('operations on a folder that is unknown, paused or not started report the reason', async () => {
  await using hub = await SimHub.open(simConfig([simFolder('docs'), simFolder('rest', { paused: true })]))
  const { model } = hub
  await assert.rejects(model.scan(folderId('nope')), {
    code: 'folder-missing',
    message: 'no such folder',
  })
  await assert.rejects(model.scan(folderId('rest')), {
    code: 'folder-paused',
    message: 'folder is paused',
  })
  await assert.rejects(model.scan(DOCS), {
    code: 'folder-not-running',
    message: 'folder is not running',
  })
  await assert.rejects(model.status(folderId('nope')), { code: 'folder-missing' })
  await assert.rejects(model.need(folderId('rest'), { page: 1, perPage: 10 }, NEVER), { code: 'folder-paused' })
  assert.equal((await model.status(folderId('rest'))).state, '')
  assert.equal((await model.status(folderId('rest'))).remoteSequences, undefined)
  assert.equal((await model.ignores(folderId('nope'))).error, 'folder nope does not exist')
  await assert.rejects(model.setIgnores(folderId('nope'), []), { code: 'folder-missing' })
})

test('ignore patterns are written and applied; an invalid one stops the folder until it is corrected', async () => {
  await using hub = await started({ 'a.txt': 'one', 'b.tmp': 'two' })
  await hub.while(hub.model.setIgnores(DOCS, ['*.tmp']))
  await hub.pass(10)
  assert.equal((await hub.model.status(DOCS)).ignorePatterns, true)
  assert.equal((await hub.model.status(DOCS)).counts.local.files, 1)
  const view = await hub.while(hub.model.setIgnores(DOCS, ['[abc']))
  assert.match(view.error ?? '', /^invalid pattern/)
  await assert.rejects(hub.while(hub.model.scan(DOCS)), {
    message: /^loading ignores: invalid pattern "\[abc" in ignore file/,
  })
  await hub.while(hub.model.setIgnores(DOCS, []))
  await hub.while(hub.model.scan(DOCS))
  assert.equal((await hub.model.status(DOCS)).counts.local.files, 2)
})

test('concurrent writes of an ignore file are serialized; a failed write is reported', async () => {
  await using hub = await started()
  const lists = Array.from({ length: 10 }, (_, i) => [`*.${i}`])
  await hub.while(Promise.all(lists.map((lines) => hub.model.setIgnores(DOCS, lines))))
  assert.deepEqual((await hub.model.ignores(DOCS)).ignore, ['*.9'])
  hub.platform.disk.fail({ call: 'rename', code: 'ENOSPC', under: ROOT })
  await assert.rejects(hub.while(hub.model.setIgnores(DOCS, ['new'])), {
    code: 'folder-error',
    message: /^writing ignores: .*ENOSPC/,
  })
  assert.deepEqual((await hub.model.ignores(DOCS)).ignore, ['*.9'])
})

test('a summary is published two seconds after a change, once for many changes', async () => {
  await using hub = await started()
  await hub.pass(60_000)
  const before = hub.of('FolderSummary').length
  for (let i = 0; i < 5; i++) {
    hub.platform.disk.put(`${ROOT}/n${i}`, 'x')
    await hub.while(hub.model.scan(DOCS, [`n${i}`], undefined))
  }
  assert.equal(hub.of('FolderSummary').length, before)
  await hub.pass(2_100)
  assert.equal(hub.of('FolderSummary').length, before + 1)
})

test('needed items are paged once over all lists; prio of a file outside of the queue has no effect', async () => {
  await using hub = await started({})
  const index = await hub.store.folder(DOCS)
  const nothing = await hub.model.need(DOCS, { page: 1, perPage: 2 }, NEVER)
  assert.deepEqual(hub.model.needNow(DOCS), nothing)
  const { LAPTOP } = await import('../support/config.ts')
  const { shortIdOf } = await import('../../src/core/device-id.ts')
  const blocks = new Uint8Array(32)
  await index.records.updateRemote(
    LAPTOP,
    Array.from(
      { length: 7 },
      (_, i) =>
        ({
          name: `z${i}`,
          type: 'file',
          deleted: false,
          sizeBytes: 1,
          modifiedS: 1,
          modifiedNs: 0,
          permissions: 0o644,
          noPermissions: false,
          version: [{ device: shortIdOf(LAPTOP), value: 1n }],
          modifiedBy: shortIdOf(LAPTOP),
          sequence: i + 1,
          localFlags: 0,
          blockSizeBytes: 131_072,
          blocksHash: blocks,
          symlinkTarget: '',
          blockHashes: blocks,
        }) as const,
    ),
  )
  assert.equal(hub.model.needNow(DOCS), undefined)
  hub.model.bringToFront(DOCS, 'z5')
  const pages = await Promise.all([1, 2, 3, 4, 5].map((page) => hub.model.need(DOCS, { page, perPage: 2 }, NEVER)))
  assert.deepEqual(
    pages.map((page) => page.rest.map((record) => record.name)),
    [['z0', 'z1'], ['z2', 'z3'], ['z4', 'z5'], ['z6'], []],
  )
  assert.ok(pages.every((page) => page.progress.length === 0 && page.queued.length === 0))
})

test('files and trees are read from the index; an unknown name is missing', async () => {
  await using hub = await started()
  const view = await hub.model.file(DOCS, 'b/c.txt')
  assert.equal(view.local?.sizeBytes, 3)
  await assert.rejects(hub.model.file(DOCS, 'b/nope'), { code: 'file-missing', message: 'No such object in the index' })
  const tree = await hub.model.browse(DOCS, { prefix: '', levels: undefined, directoriesOnly: false })
  assert.deepEqual(
    tree.map((entry) => entry.name),
    ['a.txt', 'b'],
  )
})

test('each active facility has debug lines, and none when its switch is off', async () => {
  await using hub = await started(
    { 'a.txt': 'x' },
    simConfig([simFolder('docs', { fsWatcherEnabled: true, fsWatcherDelayS: 1 })]),
  )
  await hub.pass(5_000)
  for (const facility of ['model', 'scanner', 'stats', 'events']) {
    assert.ok(
      hub.lines.some((line) => line.includes(` DBG ${facility}: `)),
      facility,
    )
  }
  for (const facility of ['model', 'scanner', 'stats', 'events'] as const) hub.log.setLevel(facility, 'INFO')
  const before = hub.lines.length
  await hub.while(hub.model.scan(DOCS))
  assert.equal(hub.lines.slice(before).filter((line) => line.includes(' DBG ')).length, 0)
})

test('the same seed gives the same events in two simulations', async () => {
  const traceOf = async (seed: number) => {
    const folders = [simFolder('docs', { fsWatcherEnabled: true }), simFolder('more', { rescanIntervalS: 60 })]
    const hub = await SimHub.open(simConfig(folders), { seed })
    hub.platform.disk.put(`${ROOT}/a.txt`, 'x')
    hub.run()
    await hub.pass(10 * 60_000)
    hub.platform.disk.put(`${ROOT}/later.txt`, 'x')
    await hub.pass(10 * 60_000)
    await hub[Symbol.asyncDispose]()
    return JSON.stringify(hub.events)
  }
  assert.equal(await traceOf(7), await traceOf(7))
  assert.notEqual(await traceOf(7), await traceOf(8))
})
