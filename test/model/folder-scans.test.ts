import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TwinfoldError } from '../../src/core/errors.ts'
import type { FolderIndex, IndexStore } from '../../src/db/types.ts'
import { MARKER_MISSING, PATH_MISSING } from '../../src/core/folder-stop.ts'
import { reportRow } from '../support/effort.ts'
import { DOCS, folderId, simConfig, simFolder, SimHub } from '../support/model.ts'
import { ROOT, started, localNames } from './started-hub.ts'

test('a scan of a vanished path records its deletion and no other', async () => {
  await using hub = await started()
  await hub.platform.disk.removeFile(`${ROOT}/a.txt`)
  await hub.platform.disk.removeFile(`${ROOT}/b/c.txt`)
  await hub.while(hub.model.scan(DOCS, ['b/c.txt'], undefined))
  assert.deepEqual(await localNames(hub), ['a.txt', 'b', '-b/c.txt'])
  assert.equal(hub.deletions(), 1)
})

test('a marker that cannot be created is the error of the folder, and is tried again', async () => {
  await using hub = await SimHub.open(simConfig([simFolder('docs')]))
  hub.platform.disk.put(`${ROOT}/a.txt`, 'x')
  hub.platform.disk.fail({ call: 'mkdir', code: 'EROFS', under: ROOT })
  hub.run()
  const failed = { message: /^cannot create the folder marker: .*EROFS/ }
  await assert.rejects(hub.while(hub.model.scan(DOCS)), failed)
  await hub.pass(120_000)
  assert.equal((await hub.model.status(DOCS)).state, 'idle')
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
  test(`maxFolderConcurrency ${maxFolderConcurrency}: ${expected} of four folders scan at once, in order`, async () => {
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

test('the time of the last scan is kept, also of a scan of one path', async () => {
  await using hub = await started()
  await hub.pass(5_000)
  await hub.while(hub.model.scan(DOCS, ['a.txt'], undefined))
  const statistics = (await hub.model.folderStatistics()).get(DOCS)
  assert.ok(Math.abs((statistics?.lastScanMs ?? 0) - hub.platform.clock.nowMs()) < 1_000)
})

/** A store whose index of one folder is reported as damaged and replaced by an empty one, as in the real store. */
function damageable(store: IndexStore): IndexStore & { damage(): void } {
  let failing = false
  return {
    keyValue: store.keyValue,
    bases: store.bases,
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
  await hub.while(hub.model.scan(DOCS))
  damage()
  await assert.rejects(hub.while(hub.model.status(DOCS)), { code: 'database-damaged' })
  await hub.pass(10)
  assert.deepEqual(await localNames(hub), ['a.txt'])
  damage()
  await assert.rejects(hub.while(hub.model.scan(DOCS)), { code: 'database-damaged' })
  await hub.pass(10)
  assert.deepEqual(await localNames(hub), ['a.txt'])
  assert.equal((await hub.model.status(DOCS)).state, 'idle')
  assert.equal(hub.deletions(), 0)
})

test('C-10: a root that vanishes, is replaced or loses its marker at any call announces no deletion', async () => {
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
      const scan = hub.model.scan(DOCS)
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
  await assert.rejects(hub.while(hub.model.scan(DOCS)), { code: 'folder-error', message: PATH_MISSING })
  await hub.pass(3_600_000)
  hub.platform.disk.put('/data/away/new.txt', 'x')
  await hub.platform.disk.rename('/data/away', ROOT)
  await hub.pass(300_000)
  assert.equal((await hub.model.status(DOCS)).state, 'idle')
  assert.deepEqual(await localNames(hub), ['a.txt', 'b', 'b/c.txt', 'new.txt'])
  assert.equal(hub.deletions(), 0)
})
