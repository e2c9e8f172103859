import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FLAG_RECEIVE_ONLY } from '../../src/core/records/file-info.ts'
import { compareVersions } from '../../src/core/records/version-vector.ts'
import { DOCS, NEVER } from '../support/model.ts'
import { ROOT, SimPull } from './puller/sim-pull.ts'

const ALL = { page: 1, perPage: 100 }

async function changed(pull: SimPull, paging = ALL): Promise<readonly string[]> {
  const heads = await pull.hub.while(pull.hub.model.localChanged(DOCS, paging, NEVER))
  return heads.map(({ name, deleted }) => (deleted ? `-${name}` : name))
}

async function revert(pull: SimPull): Promise<void> {
  await pull.hub.while(pull.hub.model.revert(DOCS))
  await pull.rest()
}

test('receiveonly: local changes are listed, are not announced, and are reverted on request', async () => {
  await using pull = await SimPull.start({ folder: { type: 'receiveonly' } })
  pull.peer.directory('d')
  for (const name of ['edited', 'removed', 'd/same', 'untouched']) pull.peer.put(name, `${name} of theirs`)
  await pull.sync()
  assert.deepEqual(await changed(pull), [])
  pull.disk.put(`${ROOT}/edited`, 'mine, and longer than theirs')
  await pull.disk.removeFile(`${ROOT}/removed`)
  pull.disk.put(`${ROOT}/d/new/deep/mine`, 'mine')
  await pull.disk.makeSymlink('mine', `${ROOT}/d/new/link`)
  await pull.scan()
  assert.deepEqual(await pull.needed(), [])
  assert.deepEqual(await changed(pull), ['d/new', 'd/new/deep', 'd/new/deep/mine', 'd/new/link', 'edited', '-removed'])
  assert.deepEqual(await changed(pull, { page: 2, perPage: 4 }), ['edited', '-removed'])
  assert.deepEqual(await changed(pull, { page: 3, perPage: 4 }), [])
  const { receiveOnlyChanged } = await pull.index.needs.counts()
  assert.deepEqual({ ...receiveOnlyChanged, bytes: 0 }, { files: 2, directories: 2, symlinks: 1, deleted: 1, bytes: 0 })
  assert.equal(
    ((await pull.index.records.get('local', 'edited'))?.localFlags ?? 0) & FLAG_RECEIVE_ONLY,
    FLAG_RECEIVE_ONLY,
  )
  await revert(pull)
  assert.deepEqual(await pull.tree(), ['d/', 'd/same', 'edited', 'removed', 'untouched'])
  assert.equal(await pull.read('edited'), 'edited of theirs')
  assert.deepEqual(await changed(pull), [])
  await pull.assertSettled()
})

test('receiveonly: a local change in conflict with a remote one is kept as a copy; a revert removes it', async () => {
  await using pull = await SimPull.start({
    folder: {
      type: 'receiveonly',
      versioning: { type: 'trashcan', params: {}, cleanupIntervalS: 0, fsPath: '', fsType: 'basic' },
    },
  })
  pull.peer.put('f', 'first')
  await pull.sync()
  pull.disk.put(`${ROOT}/f`, 'mine, and longer')
  await pull.scan()
  pull.peer.put('f', 'second of theirs')
  await pull.sync()
  await pull.scan()
  assert.equal(await pull.read('f'), 'second of theirs')
  const [copy = ''] = await changed(pull)
  assert.match(copy, /^f\.sync-conflict-/)
  await revert(pull)
  assert.deepEqual(await pull.tree(), ['.stversions/', `.stversions/${copy}`, 'f'])
  assert.equal(await pull.read(`.stversions/${copy}`), 'mine, and longer')
  await pull.assertSettled()
})

test('receiveonly: a local change equal to the global version is not listed', async () => {
  await using pull = await SimPull.start({ folder: { type: 'receiveonly', ignorePerms: true } })
  pull.peer.put('f', 'same')
  await pull.sync()
  const { modifiedS, modifiedNs } = await pull.disk.lstat(`${ROOT}/f`)
  pull.disk.put(`${ROOT}/f`, 'else')
  await pull.scan()
  assert.deepEqual(await changed(pull), ['f'])
  pull.disk.put(`${ROOT}/f`, 'same')
  await pull.disk.setModified(`${ROOT}/f`, modifiedS, modifiedNs)
  await pull.scan()
  await revert(pull)
  assert.deepEqual(await changed(pull), [])
  await pull.assertSettled()
})

test('receiveonly: a revert leaves ignored items, and files written since the last scan', async () => {
  await using pull = await SimPull.start({ folder: { type: 'receiveonly' } })
  pull.disk.put(`${ROOT}/a`, 'mine')
  pull.disk.put(`${ROOT}/dir/keep`, 'mine')
  pull.disk.put(`${ROOT}/dir/junk`, 'mine')
  pull.disk.put(`${ROOT}/other/junk`, 'mine')
  await pull.scan()
  pull.disk.put(`${ROOT}/a`, 'mine, and new')
  await pull.disk.makeDirectories(`${ROOT}/dir`, 0o755)
  await pull.hub.while(pull.hub.model.setIgnores(DOCS, ['/dir/keep', '(?d)junk']))
  await pull.rest()
  pull.disk.put(`${ROOT}/a`, 'mine, and newer still')
  await revert(pull)
  assert.deepEqual(await pull.tree(), ['.stignore', 'a', 'dir/', 'dir/junk', 'dir/keep'])
})

test('other folders have nothing to revert or to override', async () => {
  for (const type of ['sendreceive', 'sendonly', 'receiveonly'] as const) {
    await using pull = await SimPull.start({ folder: { type } })
    pull.disk.put(`${ROOT}/f`, 'mine')
    await pull.scan()
    const before = await pull.index.exchange.sequence('local')
    if (type !== 'receiveonly') await revert(pull)
    if (type !== 'sendonly') await pull.hub.while(pull.hub.model.override(DOCS))
    assert.deepEqual(await pull.tree(), ['f'])
    assert.equal(await pull.index.exchange.sequence('local'), before)
  }
})

test('sendonly: remote changes are needed, change no local file, and are overridden on request', async () => {
  await using pull = await SimPull.start({ folder: { type: 'sendonly' } })
  for (const name of ['edited', 'removed', 'kept']) pull.disk.put(`${ROOT}/${name}`, `${name} of ours`)
  await pull.scan()
  pull.peer.put('edited', 'theirs', { basedOn: (await pull.index.records.get('local', 'edited'))?.version ?? [] })
  pull.peer.delete('removed', { basedOn: (await pull.index.records.get('local', 'removed'))?.version ?? [] })
  pull.peer.put('new', 'theirs')
  await pull.sync()
  assert.deepEqual(await pull.needed(), ['edited', 'new', 'removed'])
  assert.deepEqual(await pull.tree(), ['edited', 'kept', 'removed'])
  await pull.hub.while(pull.hub.model.override(DOCS))
  await pull.rest()
  assert.deepEqual(await pull.needed(), [])
  assert.deepEqual(await pull.tree(), ['edited', 'kept', 'removed'])
  for (const [name, deleted] of [
    ['edited', false],
    ['removed', false],
    ['new', true],
  ] as const) {
    const [ours, theirs] = [await pull.index.records.get('local', name), pull.peer.records.get(name)]
    assert.ok(ours !== undefined && theirs !== undefined)
    assert.equal(compareVersions(ours.version, theirs.version), 'newer')
    assert.equal(ours.deleted, deleted)
  }
  assert.ok(pull.hub.states().includes('scan-waiting→scanning'))
  await pull.assertSettled()
})

test('ignoreDelete: remote deletions are not applied', async () => {
  await using pull = await SimPull.start({ folder: { ignoreDelete: true } })
  pull.peer.put('f', 'x')
  await pull.sync()
  pull.peer.delete('f')
  await pull.sync()
  assert.equal(await pull.read('f'), 'x')
  assert.deepEqual(await pull.errors(), [])
})

for (const [maxConflicts, expected] of [
  [0, 0],
  [1, 1],
  [3, 3],
  [-1, 4],
] as const) {
  test(`maxConflicts ${maxConflicts}: of four lost edits ${expected} stay`, async () => {
    await using pull = await SimPull.start({ folder: { maxConflicts } })
    pull.peer.put('f', 'start')
    await pull.sync()
    for (let i = 0; i < 4; i++) {
      await pull.hub.pass(2_000)
      pull.disk.put(`${ROOT}/f`, `mine ${i}, never seen by them`)
      await pull.scan()
      await pull.hub.pass(2_000)
      pull.peer.put('f', `theirs ${i}`, { modifiedS: Math.floor(pull.hub.platform.clock.nowMs() / 1_000) + 1 })
      await pull.sync()
      assert.equal(await pull.read('f'), `theirs ${i}`)
    }
    await pull.scan()
    const copies = (await pull.tree()).filter((name) => name.includes('sync-conflict'))
    assert.equal(copies.length, expected)
    const contents = await Promise.all(copies.map((name) => pull.read(name)))
    assert.deepEqual(
      contents.sort(),
      [0, 1, 2, 3].slice(4 - expected).map((i) => `mine ${i}, never seen by them`),
    )
  })
}
