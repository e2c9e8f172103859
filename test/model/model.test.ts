import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TwinfoldError } from '../../src/core/errors.ts'
import type { FolderIndex, IndexStore } from '../../src/db/types.ts'
import { MARKER_MISSING, PATH_MISSING } from '../../src/model/state/health.ts'
import { reportRow } from '../support/effort.ts'
import { DOCS, folderId, settle, simConfig, simFolder, SimHub } from '../support/model.ts'

const ROOT = '/data/docs'

async function started(
  files: Record<string, string> = { 'a.txt': 'one', 'b/c.txt': 'two' },
  config = simConfig([simFolder('docs')]),
): Promise<SimHub> {
  const hub = await SimHub.open(config)
  for (const [name, text] of Object.entries(files)) hub.platform.disk.put(`${ROOT}/${name}`, text)
  hub.run()
  await hub.while(hub.model.scan(DOCS, [], undefined))
  return hub
}

async function localNames(hub: SimHub, folder = DOCS): Promise<readonly string[]> {
  const index = await hub.store.folder(folder)
  const records = await index.page('local', { within: '', afterName: '', limit: 1_000 })
  return records.map((record) => `${record.deleted ? '-' : ''}${record.name}`)
}

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

test('a status is cached after the first query, and is the same object until something changes', async () => {
  await using hub = await started()
  assert.equal(hub.model.statusNow(DOCS), undefined)
  const queried = await hub.model.status(DOCS)
  const known = hub.model.statusNow(DOCS)
  assert.deepEqual(known, queried)
  assert.equal(hub.model.statusNow(DOCS), known)
  hub.platform.disk.put(`${ROOT}/new.txt`, 'x')
  await hub.while(hub.model.scan(DOCS, [], undefined))
  const later = hub.model.statusNow(DOCS)
  assert.notEqual(later, known)
  assert.deepEqual(later, await hub.model.status(DOCS))
  assert.equal(later?.counts.local.files, 3)
  assert.throws(() => hub.model.statusNow(folderId('unknown')), { code: 'folder-missing' })
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
  await assert.rejects(hub.while(hub.model.scan(DOCS, [], undefined)), { message: MARKER_MISSING })
  hub.platform.disk.put(`${ROOT}/sentinel`, '')
  await hub.while(hub.model.scan(DOCS, [], undefined))
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
  await hub.while(hub.model.scan(DOCS, [], undefined))
  assert.deepEqual(await localNames(hub), ['a.txt'])
})

test('a second start of a known folder makes no marker: an empty mount point stays untouched', async () => {
  await using hub = await started()
  await hub.change((config) => ({ ...config, folders: [simFolder('docs', { paused: true })] }))
  await hub.platform.disk.rename(ROOT, '/data/unmounted')
  await hub.platform.disk.makeDirectory(ROOT, 0o755)
  await hub.change((config) => ({ ...config, folders: [simFolder('docs')] }))
  await assert.rejects(hub.while(hub.model.scan(DOCS, [], undefined)), { message: MARKER_MISSING })
  assert.deepEqual(await hub.platform.disk.list(ROOT), [])
  assert.deepEqual(await localNames(hub), ['a.txt', 'b', 'b/c.txt'])
})

test('operations on a folder that is unknown, paused or not started report the reason', async () => {
  await using hub = await SimHub.open(simConfig([simFolder('docs'), simFolder('rest', { paused: true })]))
  const { model } = hub
  await assert.rejects(model.scan(folderId('nope'), [], undefined), {
    code: 'folder-missing',
    message: 'no such folder',
  })
  await assert.rejects(model.scan(folderId('rest'), [], undefined), {
    code: 'folder-paused',
    message: 'folder is paused',
  })
  await assert.rejects(model.scan(DOCS, [], undefined), {
    code: 'folder-not-running',
    message: 'folder is not running',
  })
  await assert.rejects(model.status(folderId('nope')), { code: 'folder-missing' })
  await assert.rejects(model.need(folderId('rest'), { page: 1, perPage: 10 }), { code: 'folder-paused' })
  assert.equal((await model.status(folderId('rest'))).state, '')
  assert.equal((await model.status(folderId('rest'))).remoteSequences, undefined)
  assert.equal((await model.ignores(folderId('nope'))).error, 'folder nope does not exist')
  await assert.rejects(model.setIgnores(folderId('nope'), []), { code: 'folder-missing' })
})

test('a scan of a vanished path records its deletion and no other', async () => {
  await using hub = await started()
  await hub.platform.disk.removeFile(`${ROOT}/a.txt`)
  await hub.platform.disk.removeFile(`${ROOT}/b/c.txt`)
  await hub.while(hub.model.scan(DOCS, ['b/c.txt'], undefined))
  assert.deepEqual(await localNames(hub), ['a.txt', 'b', '-b/c.txt'])
  assert.equal(hub.deletions(), 1)
})

test('pausing ends a scan with context canceled, emits an event, and shows no counts; resuming scans', async () => {
  await using hub = await started()
  const scan = hub.model.scan(DOCS, [], undefined)
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
  await hub.while(hub.model.scan(DOCS, [], undefined))
  assert.equal(hub.of('LocalChangeDetected').at(-1)?.label, 'Papers')
})

test('pausing and resuming a device emits events', async () => {
  await using hub = await started()
  const pause = (paused: boolean) =>
    hub.change((config) => ({ ...config, devices: config.devices.map((device) => ({ ...device, paused })) }))
  await pause(true)
  await pause(false)
  assert.equal(hub.of('DevicePaused').length, hub.config.devices.length)
  assert.deepEqual(hub.of('DeviceResumed'), hub.of('DevicePaused'))
})

test('removing a folder removes its index and its marker; its files stay', async () => {
  await using hub = await started()
  await hub.change((config) => ({ ...config, folders: [] }))
  assert.deepEqual(await hub.store.folders(), [])
  assert.deepEqual((await hub.platform.disk.list(ROOT)).map(({ name }) => name).sort(), ['a.txt', 'b'])
  await assert.rejects(hub.model.scan(DOCS, [], undefined), { code: 'folder-missing' })
  await hub.change((config) => ({ ...config, folders: [simFolder('docs')] }))
  await hub.while(hub.model.scan(DOCS, [], undefined))
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
  await hub.while(hub.model.scan(DOCS, [], undefined))
})

test('the index of a folder that was removed from the configuration is dropped at the start', async () => {
  await using hub = await SimHub.open(simConfig([simFolder('docs')]))
  await hub.store.folder(folderId('removed'))
  hub.run()
  await hub.while(hub.model.scan(DOCS, [], undefined))
  assert.deepEqual(await hub.store.folders(), ['docs'])
})

test('scanning all folders scans those that can be, skips the paused, and names those that failed', async () => {
  await using hub = await SimHub.open(
    simConfig([simFolder('docs'), simFolder('bad'), simFolder('off', { paused: true })]),
  )
  hub.platform.disk.put(`${ROOT}/a.txt`, 'x')
  hub.run()
  assert.deepEqual(await hub.while(hub.model.scanAll()), new Map())
  await hub.platform.disk.removeFile(
    '/data/bad/.stfolder/' + (await hub.platform.disk.list('/data/bad/.stfolder'))[0]?.name,
  )
  await hub.platform.disk.removeDirectory('/data/bad/.stfolder')
  assert.deepEqual(await hub.while(hub.model.scanAll()), new Map([['bad', MARKER_MISSING]]))
  assert.equal((await hub.model.status(folderId('bad'))).state, 'error')
})

for (const [maxFolderConcurrency, expected] of [
  [1, 1],
  [2, 2],
  [-1, 4],
] as const) {
  test(`with maxFolderConcurrency ${maxFolderConcurrency} at most ${expected} of four folders scan at once, in the order of the configuration`, async () => {
    const names = ['d', 'b', 'c', 'a']
    const config = simConfig(names.map((name) => simFolder(name)))
    await using hub = await SimHub.open({ ...config, options: { ...config.options, maxFolderConcurrency } })
    hub.run()
    await hub.while(hub.model.scanAll())
    let scanning = 0
    let most = 0
    for (const { to, from } of hub.of('StateChanged')) {
      if (to === 'scanning') most = Math.max(most, ++scanning)
      if (from === 'scanning') scanning--
    }
    assert.equal(most, expected)
    const first = hub
      .of('StateChanged')
      .filter(({ to }) => to === 'scanning')
      .map(({ folder }) => folder)
    assert.deepEqual(first.slice(0, 4), names)
  })
}

test('ignore patterns are written and applied; an invalid one stops the folder until it is corrected', async () => {
  await using hub = await started({ 'a.txt': 'one', 'b.tmp': 'two' })
  await hub.while(hub.model.setIgnores(DOCS, ['*.tmp']))
  await hub.pass(10)
  assert.equal((await hub.model.status(DOCS)).ignorePatterns, true)
  assert.equal((await hub.model.status(DOCS)).counts.local.files, 1)
  const view = await hub.while(hub.model.setIgnores(DOCS, ['[abc']))
  assert.match(view.error ?? '', /^invalid pattern/)
  await assert.rejects(hub.while(hub.model.scan(DOCS, [], undefined)), {
    message: /^loading ignores: invalid pattern "\[abc" in ignore file/,
  })
  await hub.while(hub.model.setIgnores(DOCS, []))
  await hub.while(hub.model.scan(DOCS, [], undefined))
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

test('the time of the last scan is kept, also of a scan of one path', async () => {
  await using hub = await started()
  await hub.pass(5_000)
  await hub.while(hub.model.scan(DOCS, ['a.txt'], undefined))
  const statistics = (await hub.model.folderStatistics()).get(DOCS)
  assert.ok(Math.abs((statistics?.lastScanMs ?? 0) - hub.platform.clock.nowMs()) < 1_000)
})

test('needed items are paged once over all lists; prio of a file outside of the queue has no effect', async () => {
  await using hub = await started({})
  const index = await hub.store.folder(DOCS)
  const { LAPTOP } = await import('../support/config.ts')
  const { shortIdOf } = await import('../../src/core/device-id.ts')
  const blocks = new Uint8Array(32)
  await index.updateRemote(
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
  await hub.model.bringToFront(DOCS, 'z5')
  const pages = await Promise.all([1, 2, 3, 4, 5].map((page) => hub.model.need(DOCS, { page, perPage: 2 })))
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

test('a watcher that cannot start is reported, retried after a minute, and followed by a scan', async () => {
  await using hub = await SimHub.open(
    simConfig([simFolder('docs', { fsWatcherEnabled: true, fsWatcherDelayS: 1, rescanIntervalS: 0 })]),
  )
  hub.platform.watcher.refusal = new Error('needs 10 watches, 5 allowed')
  hub.run()
  await hub.while(hub.model.scan(DOCS, [], undefined))
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

test('one folder that cannot be removed does not keep the others from changing', async () => {
  const config = simConfig([simFolder('docs'), simFolder('bad')])
  await using hub = await SimHub.open(config, {
    wrap: (store) => ({
      keyValue: store.keyValue,
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
  await hub.while(hub.model.scan(folderId('new'), [], undefined))
  assert.ok(hub.lines.some((line) => line.includes('remove-folder') && line.includes('disk full')))
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

/** A store whose index of one folder is reported as damaged and replaced by an empty one, as in the real store. */
function damageable(store: IndexStore): IndexStore & { damage(): void } {
  let failing = false
  return {
    keyValue: store.keyValue,
    recoveries: [],
    damage: () => (failing = true),
    folders: () => store.folders(),
    dropFolder: (id) => store.dropFolder(id),
    folder: async (id): Promise<FolderIndex> => {
      if (failing) {
        failing = false
        await store.dropFolder(id)
        throw new TwinfoldError('database-damaged', 'database disk image is malformed')
      }
      return await store.folder(id)
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

test('an index damaged at run time is filled again by a scan, and nothing is announced as deleted', async () => {
  let damage = () => {}
  await using hub = await SimHub.open(simConfig([simFolder('docs')]), {
    wrap: (store) => {
      const wrapped = damageable(store)
      damage = wrapped.damage
      return wrapped
    },
  })
  hub.platform.disk.put(`${ROOT}/a.txt`, 'x')
  hub.run()
  await hub.while(hub.model.scan(DOCS, [], undefined))
  damage()
  await assert.rejects(hub.while(hub.model.status(DOCS)), { code: 'database-damaged' })
  await hub.pass(10)
  assert.deepEqual(await localNames(hub), ['a.txt'])
  damage()
  await assert.rejects(hub.while(hub.model.scan(DOCS, [], undefined)), { code: 'database-damaged' })
  await hub.pass(10)
  assert.deepEqual(await localNames(hub), ['a.txt'])
  assert.equal((await hub.model.status(DOCS)).state, 'idle')
  assert.equal(hub.deletions(), 0)
})

test('C-10: a root that vanishes, is replaced or loses its marker, before or at any call of a scan, announces no deletion', async () => {
  const files = Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`d${i % 2}/f${i}`, `content ${i}`]))
  const faults: Record<string, (hub: SimHub) => void | Promise<void>> = {
    'root vanishes': async (hub) => await hub.platform.disk.rename(ROOT, '/data/away'),
    'root is replaced by an empty directory': async (hub) => {
      await hub.platform.disk.rename(ROOT, '/data/away')
      await hub.platform.disk.makeDirectory(ROOT, 0o755)
    },
    'root is replaced by an empty directory with a marker': async (hub) => {
      await hub.platform.disk.rename(ROOT, '/data/away')
      await hub.platform.disk.makeDirectories(`${ROOT}/.stfolder`, 0o755)
    },
    'root becomes a file': async (hub) => {
      await hub.platform.disk.rename(ROOT, '/data/away')
      hub.platform.disk.put(ROOT, 'x')
    },
    'marker goes and the files with it': async (hub) => {
      await hub.platform.disk.rename(`${ROOT}/.stfolder`, '/data/marker')
      await hub.platform.disk.rename(`${ROOT}/d0`, '/data/d0')
    },
  }
  let tried = 0
  let deletes = 0
  let stopped = 0
  for (const [name, fault] of Object.entries(faults)) {
    for (let tick = 0; tick < 40; tick++) {
      await using hub = await started(files)
      const scan = hub.model.scan(DOCS, [], undefined)
      const ended = scan.then(
        () => 'ok',
        (error: Error) => error.message,
      )
      // A directory with a marker that is swapped in between two scans is a valid new root; during a scan it is not.
      const deliberate = name.endsWith('with a marker')
      if (deliberate) while (hub.states().at(-1) !== 'scan-waiting→scanning') await Promise.resolve()
      for (let i = 0; i < tick; i++) await Promise.resolve()
      await fault(hub)
      await hub.while(ended)
      tried++
      if (!deliberate) await hub.while(hub.model.scanAll())
      deletes += hub.deletions()
      if (deliberate) continue
      assert.notEqual((await hub.model.status(DOCS)).error, '', `${name} at ${tick}`)
      assert.equal((await hub.model.status(DOCS)).counts.local.deleted, 0)
      stopped++
    }
  }
  reportRow({ id: 'C-10', tried, deletesAnnounced: deletes, stoppedWithError: stopped })
  assert.equal(deletes, 0)
})

test('C-10: a root that returns is scanned automatically and nothing was lost', async () => {
  await using hub = await started()
  await hub.platform.disk.rename(ROOT, '/data/away')
  await assert.rejects(hub.while(hub.model.scan(DOCS, [], undefined)), { code: 'folder-error', message: PATH_MISSING })
  await hub.pass(3_600_000)
  hub.platform.disk.put('/data/away/new.txt', 'x')
  await hub.platform.disk.rename('/data/away', ROOT)
  await hub.pass(300_000)
  assert.equal((await hub.model.status(DOCS)).state, 'idle')
  assert.deepEqual(await localNames(hub), ['a.txt', 'b', 'b/c.txt', 'new.txt'])
  assert.equal(hub.deletions(), 0)
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
  await hub.while(hub.model.scan(DOCS, [], undefined))
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
