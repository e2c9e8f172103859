import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keptFileOf } from '../../../src/core/records/kept-file.ts'
import { compareVersions } from '../../../src/core/records/version-vector.ts'
import { KeptFiles } from '../../../src/model/state/kept-files.ts'
import { SimRandom } from '../../../src/platform/sim/random.ts'
import { DOCS, KEPT_DIRECTORY, SimHub } from '../../support/model.ts'
import { PEER, PEER_SHORT } from './sim-peer.ts'
import { ROOT, SimPull, type Setup } from './sim-pull.ts'

/** A folder that collects, with `d/a` and `b` from the other device. */
async function collecting(setup: Setup = {}): Promise<SimPull> {
  const pull = await SimPull.start({ collect: true, ...setup })
  pull.peer.directory('d')
  pull.peer.put('d/a', 'content of a')
  pull.peer.put('b', 'content of b')
  await pull.sync()
  return pull
}

async function isDeleted(pull: SimPull, name: string): Promise<boolean | undefined> {
  return (await pull.index.records.get('local', name))?.deleted
}

test('a file that another device deletes stays, with its directory, and the deletion is ours too', async () => {
  await using pull = await collecting()
  for (const name of ['d/a', 'd', 'b']) pull.peer.delete(name)
  await pull.sync()
  assert.deepEqual(await pull.tree(), ['b', 'd/', 'd/a'])
  for (const name of ['d/a', 'd', 'b']) {
    const ours = (await pull.index.records.get('local', name))!
    assert.equal(ours.deleted, true, name)
    assert.equal(compareVersions(ours.version, (await pull.index.records.get(PEER, name))!.version), 'equal', name)
  }
  await pull.assertSettled()
})

test('a symlink and an empty directory are removed', async () => {
  await using pull = await collecting()
  pull.peer.symlink('link', 'b')
  pull.peer.directory('empty')
  await pull.sync()
  for (const name of ['link', 'empty']) pull.peer.delete(name)
  await pull.sync()
  assert.deepEqual(await pull.tree(), ['b', 'd/', 'd/a'])
  await pull.assertSettled()
})

test('a kept file that is edited is announced like any other, with its directory', async () => {
  await using pull = await collecting()
  for (const name of ['d/a', 'd', 'b']) pull.peer.delete(name)
  await pull.sync()
  await pull.disk.removeFile(`${ROOT}/d/a`)
  await pull.write('d/a', 'edited')
  await pull.scan()
  assert.deepEqual(
    [await isDeleted(pull, 'd/a'), await isDeleted(pull, 'd'), await isDeleted(pull, 'b')],
    [false, false, true],
  )
  const global = (await pull.index.records.global('d/a'))!
  assert.equal(compareVersions(global.version, pull.peer.records.get('d/a')!.version), 'newer')
  await pull.assertSettled()
})

test('a new file beside a kept one is announced with its directory, also by a scan of that path', async () => {
  for (const scope of [[], ['d/new']]) {
    await using pull = await collecting()
    for (const name of ['d/a', 'd']) pull.peer.delete(name)
    await pull.sync()
    await pull.write('d/new', 'new')
    await pull.scan(...scope)
    assert.deepEqual(
      [await isDeleted(pull, 'd/new'), await isDeleted(pull, 'd'), await isDeleted(pull, 'd/a')],
      [false, false, true],
    )
    await pull.assertSettled()
  }
})

test('a kept file that was only touched by a backup program is compared and stays kept', async () => {
  await using pull = await collecting()
  pull.peer.delete('b')
  await pull.sync()
  const { modifiedS, modifiedNs } = await pull.disk.lstat(`${ROOT}/b`)
  await pull.disk.removeFile(`${ROOT}/b`)
  await pull.write('b', 'content of b')
  await pull.disk.setModified(`${ROOT}/b`, modifiedS, modifiedNs)
  await pull.scan()
  assert.equal(await isDeleted(pull, 'b'), true)
  // Other content with the same size and time is an edit.
  await pull.disk.removeFile(`${ROOT}/b`)
  await pull.write('b', 'CONTENT OF B')
  await pull.disk.setModified(`${ROOT}/b`, modifiedS, modifiedNs)
  await pull.scan()
  assert.equal(await isDeleted(pull, 'b'), false)
})

test('a kept file that the user removes is forgotten, and may return from elsewhere', async () => {
  await using pull = await collecting()
  pull.peer.delete('b')
  await pull.sync()
  await pull.disk.removeFile(`${ROOT}/b`)
  await pull.scan()
  assert.equal((await listed(pull)).includes('"b","gone":true'), true)
  pull.peer.put('b', 'again')
  await pull.sync()
  assert.equal(await pull.read('b'), 'again')
  await pull.assertSettled()
})

async function listed(pull: SimPull): Promise<string> {
  const [list] = await pull.disk.list(KEPT_DIRECTORY)
  await using file = await pull.disk.open(`${KEPT_DIRECTORY}/${list!.name}`, 'read')
  const data = Buffer.alloc((await file.stat()).sizeBytes)
  return data.toString('utf8', 0, await file.read(data, 0))
}

test('the name of a kept file is used again: the other content arrives and ours becomes a conflict copy', async () => {
  for (const maxConflicts of [10, 0]) {
    await using pull = await collecting({ folder: { maxConflicts } })
    pull.peer.delete('b')
    await pull.sync()
    pull.peer.put('b', 'a new file')
    await pull.sync()
    const copy = (await pull.tree()).find((path) => path.startsWith('b.sync-conflict'))
    assert.ok(copy !== undefined)
    assert.equal(await pull.read('b'), 'a new file')
    assert.equal(await pull.read(copy), 'content of b')
    await pull.assertSettled()
  }
})

test('the name of a kept file is used again: with old versions ours becomes one of them', async () => {
  const versioning = { type: 'simple', params: { keep: '5' }, cleanupIntervalS: 3_600, fsPath: '', fsType: 'basic' }
  await using pull = await collecting({ folder: { versioning } })
  pull.peer.delete('b')
  await pull.sync()
  pull.peer.put('b', 'a new file')
  await pull.sync()
  assert.equal(await pull.read('b'), 'a new file')
  const kept = (await pull.tree()).filter((path) => path.startsWith('.stversions/b~'))
  assert.equal(kept.length, 1)
  assert.equal(await pull.read(kept[0]!), 'content of b')
  await pull.assertSettled()
})

test('a kept file whose content returns is not fetched', async () => {
  await using pull = await collecting()
  pull.peer.delete('b')
  await pull.sync()
  pull.peer.requests.length = 0
  pull.peer.put('b', 'content of b', { permissions: 0o600 })
  await pull.sync()
  assert.deepEqual([pull.peer.requests.length, await pull.tree()], [0, ['b', 'd/', 'd/a']])
  assert.equal(await isDeleted(pull, 'b'), false)
  await pull.assertSettled()
})

test('a kept file and a directory in each other’s place: both stay', async () => {
  await using pull = await collecting()
  for (const name of ['d/a', 'd', 'b']) pull.peer.delete(name)
  await pull.sync()
  pull.peer.directory('b')
  pull.peer.put('b/c', 'below b')
  pull.peer.put('d', 'a file now')
  await pull.sync()
  assert.equal(await pull.read('b/c'), 'below b')
  assert.equal(await pull.read('d'), 'a file now')
  const tree = await pull.tree()
  assert.equal(await pull.read(tree.find((path) => path.startsWith('b.sync-conflict'))!), 'content of b')
  assert.equal(await pull.read(tree.find((path) => /^d\.sync-conflict.*\/a$/.test(path))!), 'content of a')
  await pull.assertSettled()
})

test('a rename on another device is followed, with old versions too: no file is kept under the old name', async () => {
  const versioning = { type: 'simple', params: { keep: '5' }, cleanupIntervalS: 3_600, fsPath: '', fsType: 'basic' }
  for (const folder of [{}, { versioning }]) {
    await using pull = await collecting({ folder })
    pull.peer.delete('b')
    pull.peer.put('c', 'content of b')
    await pull.sync()
    const tree = (await pull.tree()).filter((path) => !path.startsWith('.stversions'))
    assert.deepEqual(tree, ['c', 'd/', 'd/a'])
    await pull.assertSettled()
  }
})

test('names that differ in case, on a disk that does not distinguish them', async () => {
  await using pull = await collecting({ disk: { caseInsensitive: true } })
  pull.peer.delete('b')
  pull.peer.put('B', 'content of b')
  await pull.sync()
  assert.deepEqual(await pull.tree(), ['B', 'd/', 'd/a'], 'a rename')
  pull.peer.delete('B')
  await pull.sync()
  pull.peer.put('b', 'another file')
  await pull.sync()
  assert.equal(await pull.read('b'), 'another file')
  const copy = (await pull.tree()).find((path) => path.includes('.sync-conflict'))
  assert.equal(await pull.read(copy!), 'content of b')
  await pull.assertSettled()
})

test('an edit that is not scanned yet wins against the deletion', async () => {
  await using pull = await collecting()
  await pull.disk.removeFile(`${ROOT}/b`)
  await pull.write('b', 'edited here')
  pull.peer.delete('b')
  await pull.sync()
  await pull.rest()
  assert.equal(await isDeleted(pull, 'b'), false)
  assert.equal(await pull.read('b'), 'edited here')
})

test('with the index lost, kept files stay kept, and a file that others have is theirs again', async () => {
  const first = await collecting()
  for (const name of ['d/a', 'd', 'b']) first.peer.delete(name)
  await first.sync()
  const { platform } = first.hub
  await first[Symbol.asyncDispose]()
  const { peer } = first
  await using hub = await SimHub.open(first.hub.config, { platform, sources: peer })
  hub.run()
  await hub.while(hub.model.scan(DOCS))
  const index = await hub.store.folder(DOCS)
  assert.deepEqual(await index.records.page('local', { within: '', afterName: '', limit: 9 }), [])
  peer.put('b', 'content of b')
  await peer.announce(index)
  hub.pullSoon(DOCS)
  await hub.pass(5_000)
  assert.equal((await index.records.get('local', 'b'))?.deleted, false)
  assert.equal((await index.records.get('local', 'd/a'))?.deleted, undefined)
  assert.deepEqual(await index.needs.need({ offset: 0, limit: 9 }), [])
})

test('after the setting is switched off the kept files stay, and the next deletion removes its file', async () => {
  await using pull = await collecting()
  pull.peer.delete('b')
  await pull.sync()
  pull.hub.extensions = { ...pull.hub.extensions, collect: false }
  for (const name of ['d/a', 'd']) pull.peer.delete(name)
  await pull.sync()
  assert.deepEqual(await pull.tree(), ['b'])
  await pull.assertSettled()
})

for (const type of ['receiveonly', 'sendonly'] as const) {
  test(`${type}: the deletion is accepted and the file stays`, async () => {
    await using pull = await collecting({
      folder: { type },
      arrange: async (disk) => {
        if (type === 'receiveonly') return
        await disk.makeDirectory(`${ROOT}/d`, 0o755)
        for (const name of ['d/a', 'b']) {
          await using file = await disk.open(`${ROOT}/${name}`, 'create', 0o644)
          await file.write(Buffer.from(`content of ${name.at(-1)}`), 0)
          await disk.setModified(`${ROOT}/${name}`, 1_700_000_000, 123_456_789)
        }
      },
    })
    assert.deepEqual(await pull.needed(), [])
    pull.peer.delete('b', { basedOn: (await pull.index.records.global('b'))!.version })
    await pull.sync()
    assert.deepEqual(await pull.tree(), ['b', 'd/', 'd/a'])
    assert.equal(await isDeleted(pull, 'b'), true)
    await pull.assertSettled()
  })
}

test('kept files are listed, explained, brought back on all devices and deleted here', async () => {
  await using pull = await collecting()
  const { model } = pull.hub
  pull.peer.put('d/c', 'content of c')
  await pull.sync()
  for (const name of ['d/a', 'd/c', 'd', 'b']) pull.peer.delete(name)
  await pull.sync()
  const page = await model.kept(DOCS, { page: 1, perPage: 2 })
  assert.deepEqual([page.total, page.bytes, page.items.map(({ file }) => file.name)], [3, 36, ['b', 'd/a']])
  assert.deepEqual(page.items[0]?.deletedBy, PEER_SHORT)
  assert.equal((await (await model.explorer()).file(DOCS, 'b')).deletedBy, PEER_SHORT)

  const back = await pull.hub.while(model.changeKept(DOCS, 'bring-back', ['d/a', 'unknown']))
  assert.deepEqual([...back], [['unknown', 'it is not kept']])
  assert.deepEqual(
    [await isDeleted(pull, 'd'), await isDeleted(pull, 'd/a'), await isDeleted(pull, 'd/c')],
    [false, false, true],
  )
  const global = (await pull.index.records.global('d/a'))!
  assert.equal(compareVersions(global.version, pull.peer.records.get('d/a')!.version), 'newer')
  assert.equal((await (await model.explorer()).file(DOCS, 'd/a')).deletedBy, undefined)

  assert.deepEqual([...(await pull.hub.while(model.changeKept(DOCS, 'delete', undefined)))], [])
  assert.deepEqual(await pull.tree(), ['d/', 'd/a'])
  assert.equal((await model.kept(DOCS, { page: 1, perPage: 2 })).total, 0)
  await pull.assertSettled()
})

test('deleting the last kept file of a directory removes the directory, and an edited one is not deleted', async () => {
  await using pull = await collecting()
  for (const name of ['d/a', 'd', 'b']) pull.peer.delete(name)
  await pull.sync()
  await pull.disk.removeFile(`${ROOT}/b`)
  await pull.write('b', 'edited here')
  const failures = await pull.hub.while(pull.hub.model.changeKept(DOCS, 'delete', ['d/a', 'b']))
  assert.match(failures.get('b') ?? '', /modified/)
  await pull.rest()
  assert.deepEqual(await pull.tree(), ['b'])
  assert.equal(await isDeleted(pull, 'b'), false)
})

test('an entry that a crash left of a file that is live again is not deleted, and gone after a scan', async () => {
  await using pull = await collecting()
  const { platform, store, config, log } = pull.hub
  await pull.hub.stop()
  const list = new KeptFiles(
    { disk: platform.disk, log: log.logger('model') },
    { folder: DOCS, directory: KEPT_DIRECTORY },
  )
  await list.load()
  for (const name of ['b', 'd/a'])
    list.set(keptFileOf((await pull.index.records.get('local', name))!, pull.peer.records.get(name)!))
  await list.store()
  await using hub = await SimHub.open(config, { platform, sources: pull.peer, wrap: () => store })
  hub.run()
  const failures = await hub.while(hub.model.changeKept(DOCS, 'delete', ['b']))
  assert.deepEqual([...failures], [['b', 'it is not kept']])
  assert.equal(await pull.read('b'), 'content of b')
  await hub.while(hub.model.scan(DOCS))
  assert.equal((await hub.model.kept(DOCS, { page: 1, perPage: 9 })).total, 0)
  assert.equal(await isDeleted(pull, 'd/a'), false)
})

test('a receive-only folder brings nothing back', async () => {
  await using pull = await collecting({ folder: { type: 'receiveonly' } })
  await assert.rejects(pull.hub.model.changeKept(DOCS, 'bring-back', ['b']), /receive-only folder sends nothing/)
})

test('with the index lost, a file that is brought back is above its deletion, which is announced later', async () => {
  const first = await collecting()
  const { content, ...deletion } = { content: first.peer.records.get('b')!.blocksHash, ...first.peer.delete('b') }
  first.peer.records.set('b', { ...deletion, previousBlocksHash: content })
  await first.sync()
  const { platform, config } = first.hub
  await first[Symbol.asyncDispose]()
  await using hub = await SimHub.open(config, { platform, sources: first.peer })
  hub.run()
  await hub.while(hub.model.scan(DOCS))
  assert.deepEqual([...(await hub.while(hub.model.changeKept(DOCS, 'bring-back', undefined)))], [])
  const index = await hub.store.folder(DOCS)
  await first.peer.announce(index)
  assert.equal((await index.records.global('b'))?.deleted, false)
})

test('an encrypted folder collects nothing', async () => {
  const { FOLDER_POLICIES } = await import('../../../src/model/state/folder-policy.ts')
  assert.equal(FOLDER_POLICIES.receiveencrypted.mayCollect, false)
})

/** Power is lost at the nth call of a pull that keeps two files; a random part of unsynced data survives. */
async function crashAt(nth: number): Promise<number> {
  await using pull = await collecting({ seed: nth })
  pull.disk.syncAll()
  for (const name of ['d/a', 'd', 'b']) pull.peer.delete(name)
  const before = pull.disk.faults.callCount
  pull.disk.faults.powerOffAt(nth)
  await pull.sync()
  const calls = pull.disk.faults.callCount - before
  // The index of the test survives as it is: the worst case, as it has every deletion that was recorded.
  pull.disk.crash(new SimRandom(nth))
  const { platform, store, config } = pull.hub
  await pull.hub.stop()
  await using hub = await SimHub.open(config, { platform, sources: pull.peer, wrap: () => store })
  hub.extensions = { ...hub.extensions, collect: true }
  hub.run()
  await hub.while(hub.model.scan(DOCS))
  hub.pullSoon(DOCS)
  await hub.pass(120_000)
  for (const name of ['d/a', 'b']) {
    assert.equal(
      (await pull.index.records.get('local', name))?.deleted,
      true,
      `${name} was announced again, call ${nth}`,
    )
    assert.equal(await pull.read(name), `content of ${name.at(-1)}`)
  }
  return calls
}

test('a power loss at any call of a pull that keeps files: none is lost, and none is announced again', async () => {
  const calls = await crashAt(1_000_000)
  for (let nth = 1; nth <= calls; nth++) await crashAt(nth)
  assert.ok(calls > 10, `only ${calls} calls`)
})
