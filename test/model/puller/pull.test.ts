import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FLAG_IGNORED } from '../../../src/core/records/file-info.ts'
import { bumpVersion } from '../../../src/core/records/version-vector.ts'
import type { SimDisk } from '../../../src/platform/sim/disk.ts'
import { PEER_SHORT } from './sim-peer.ts'
import { ROOT, SimPull, type Setup } from './sim-pull.ts'

test('the tree of another device is pulled, and a rescan finds no change', async () => {
  await using pull = await SimPull.start()
  const { peer, hub, disk } = pull
  peer.directory('d')
  peer.put('d/small.txt', 'hello', { permissions: 0o600 })
  peer.put('empty', '')
  peer.put('large.bin', Buffer.alloc(1_000_000, 'x'))
  peer.put('exec.sh', '#!', { permissions: 0o755 })
  peer.put('readonly', 'r', { permissions: 0o444 })
  peer.symlink('link', '../elsewhere')
  await pull.sync()
  assert.deepEqual(await pull.tree(), [
    'd/',
    'd/small.txt',
    'empty',
    'exec.sh',
    'large.bin',
    'link -> ../elsewhere',
    'readonly',
  ])
  assert.equal(await pull.read('d/small.txt'), 'hello')
  assert.equal((await pull.read('large.bin')).length, 1_000_000)
  const stat = await disk.lstat(`${ROOT}/d/small.txt`)
  assert.deepEqual([stat.mode & 0o777, stat.modifiedS, stat.modifiedNs], [0o600, 1_700_000_000, 123_456_789])
  assert.deepEqual(hub.states().slice(6), [
    'idle→sync-waiting',
    'sync-waiting→sync-preparing',
    'sync-preparing→syncing',
    'syncing→sync-preparing',
    'sync-preparing→idle',
  ])
  const started = hub
    .of('ItemStarted')
    .map(({ item, type, action }) => `${item} ${type} ${action}`)
    .sort()
  assert.deepEqual(started, [
    'd dir update',
    'd/small.txt file update',
    'empty file update',
    'exec.sh file update',
    'large.bin file update',
    'link symlink update',
    'readonly file update',
  ])
  assert.deepEqual(
    hub.of('ItemFinished').map(({ error }) => error),
    Array(7).fill(null),
  )
  assert.equal(hub.of('RemoteChangeDetected').length, 7)
  await pull.assertSettled()
})

test('on a disk with coarse times the record keeps the true time and version, and no change is announced', async () => {
  await using pull = await SimPull.start({ disk: { modifiedStepNs: 2_000_000_000n } })
  const record = pull.peer.put('f', 'x', { modifiedS: 1_700_000_001, modifiedNs: 5 })
  await pull.sync()
  const local = await pull.index.records.get('local', 'f')
  assert.deepEqual([local?.modifiedS, local?.modifiedNs, local?.version], [1_700_000_001, 5, record.version])
  await pull.assertSettled()
})

test('an edit replaces the file atomically', async () => {
  await using pull = await SimPull.start()
  pull.peer.put('f', 'one')
  await pull.sync()
  const removed: string[] = []
  using _listener = pull.disk.subscribe(
    ({ kind, path }) => void (kind === 'removed' && path === `${ROOT}/f` && removed.push(path)),
  )
  pull.peer.put('f', 'two')
  await pull.sync()
  assert.equal(await pull.read('f'), 'two')
  assert.deepEqual(removed, [])
  await pull.assertSettled()
})

test('a remote rename is a local rename', async () => {
  await using pull = await SimPull.start()
  pull.peer.directory('d')
  pull.peer.put('old.bin', Buffer.alloc(300_000, 'm'))
  await pull.sync()
  const { inode } = await pull.disk.lstat(`${ROOT}/old.bin`)
  pull.peer.requests.length = 0
  pull.peer.delete('old.bin')
  pull.peer.put('d/new.bin', Buffer.alloc(300_000, 'm'), { permissions: 0o600, modifiedS: 1_700_000_500 })
  await pull.sync()
  assert.deepEqual(await pull.tree(), ['d/', 'd/new.bin'])
  const stat = await pull.disk.lstat(`${ROOT}/d/new.bin`)
  assert.deepEqual([stat.inode, stat.mode & 0o777, stat.modifiedS], [inode, 0o600, 1_700_000_500])
  assert.deepEqual(pull.peer.requests, [])
  await pull.assertSettled()
})

test('a change of mode or time transfers no bytes', async () => {
  await using pull = await SimPull.start()
  pull.peer.put('f', 'same')
  await pull.sync()
  pull.peer.requests.length = 0
  pull.peer.put('f', 'same', { permissions: 0o640, modifiedS: 1_600_000_000 })
  await pull.sync()
  const stat = await pull.disk.lstat(`${ROOT}/f`)
  assert.deepEqual([stat.mode & 0o777, stat.modifiedS, pull.peer.requests.length], [0o640, 1_600_000_000, 0])
  assert.deepEqual(
    pull.hub.of('ItemStarted').map(({ action }) => action),
    ['update', 'metadata'],
  )
  await pull.assertSettled()
})

test('deletions: files, symlinks and the directories around them, deepest first', async () => {
  await using pull = await SimPull.start()
  for (const name of ['a', 'a/b', 'a/b/c']) pull.peer.directory(name)
  pull.peer.put('a/b/c/f', 'x')
  pull.peer.symlink('a/link', 'nowhere')
  pull.peer.put('stays', 'y')
  await pull.sync()
  for (const name of ['a/b/c/f', 'a/link', 'a/b/c', 'a/b', 'a']) pull.peer.delete(name)
  await pull.sync()
  assert.deepEqual(await pull.tree(), ['stays'])
  await pull.assertSettled()
})

const local = (name: string, content: string): Setup => ({
  arrange: (disk: SimDisk) => disk.put(`${ROOT}/${name}`, content),
})

test('a remotely deleted file with an unscanned local edit is kept', async () => {
  await using pull = await SimPull.start()
  pull.peer.put('f', 'one')
  await pull.sync()
  pull.disk.put(`${ROOT}/f`, 'edited here')
  pull.peer.delete('f')
  await pull.sync()
  assert.equal(await pull.read('f'), 'edited here')
})

const directories: readonly [name: string, ignore: string, child: string, expected: string][] = [
  [
    'ignored',
    'i',
    'd/i',
    'd: syncing: delete dir: directory has been deleted on a remote device but contains ignored files ' +
      '(see ignore documentation for (?d) prefix)',
  ],
  ['temporary', '', 'd/.syncthing.left.tmp', ''],
  ['deletable', '(?d)i', 'd/i', ''],
  ['deletable below deletable', '(?d)i', 'd/i/deep/file', ''],
]
for (const [name, ignore, child, expected] of directories) {
  test(`a deleted directory with a child that is ${name}`, async () => {
    await using pull = await SimPull.start({ arrange: (disk) => disk.put(`${ROOT}/.stignore`, ignore) })
    pull.peer.directory('d')
    pull.peer.put('d/f', 'x')
    await pull.sync()
    pull.disk.put(`${ROOT}/${child}`, 'child')
    pull.peer.delete('d/f')
    pull.peer.delete('d')
    await pull.sync()
    assert.deepEqual(await pull.errors(), expected === '' ? [] : [expected])
    assert.deepEqual(
      (await pull.tree()).filter((path) => path !== '.stignore'),
      expected === '' ? [] : ['d/', child],
    )
  })
}

test('a deleted directory with a new file in it is restored on all devices', async () => {
  await using pull = await SimPull.start()
  pull.peer.directory('d')
  await pull.sync()
  pull.disk.put(`${ROOT}/d/new`, 'precious')
  pull.peer.delete('d')
  await pull.sync()
  assert.equal(await pull.read('d/new'), 'precious')
  assert.equal((await pull.index.records.global('d/new'))?.deleted, false)
})

test('ignored items are recorded as such and not needed', async () => {
  await using pull = await SimPull.start({ arrange: (disk) => disk.put(`${ROOT}/.stignore`, '*.tmp') })
  pull.peer.put('a.tmp', 'x')
  pull.peer.put('b', 'y')
  await pull.sync()
  assert.deepEqual(await pull.tree(), ['.stignore', 'b'])
  assert.equal((await pull.index.records.get('local', 'a.tmp'))?.localFlags, FLAG_IGNORED)
  await pull.assertSettled()
})

test('a send-only folder writes nothing and adopts versions of identical items', async () => {
  await using pull = await SimPull.start({ folder: { type: 'sendonly' }, ...local('same', 's') })
  const ours = (await pull.index.records.get('local', 'same'))!
  const { modifiedS, modifiedNs } = ours
  pull.peer.put('same', 's', { modifiedS, modifiedNs, basedOn: bumpVersion(ours.version, PEER_SHORT, 1) })
  pull.peer.put('new', 'x')
  await pull.sync()
  assert.deepEqual(await pull.tree(), ['same'])
  assert.deepEqual(await pull.needed(), ['new'])
  assert.deepEqual(await pull.errors(), [])
})

test('a receive-only folder pulls files, and its local edit becomes a conflict copy', async () => {
  await using pull = await SimPull.start({ folder: { type: 'receiveonly' } })
  pull.peer.put('f', 'one')
  await pull.sync()
  assert.equal(await pull.read('f'), 'one')
  pull.disk.put(`${ROOT}/f`, 'ours')
  await pull.scan()
  assert.deepEqual(await pull.needed(), [])
  pull.peer.put('f', 'two', { modifiedS: 4_000_000_000 })
  await pull.sync()
  assert.equal(await pull.read('f'), 'two')
  const copy = (await pull.tree()).find((name) => name.includes('sync-conflict'))!
  assert.equal(await pull.read(copy), 'ours')
})

test('files in a read-only directory are replaced, added and removed, and the directory stays read-only', async () => {
  await using pull = await SimPull.start()
  pull.peer.directory('d', { permissions: 0o555 })
  pull.peer.put('d/a', 'one')
  pull.peer.put('d/b', 'one')
  await pull.sync()
  pull.peer.put('d/a', 'two')
  pull.peer.put('d/c', 'new')
  pull.peer.delete('d/b')
  await pull.sync()
  assert.deepEqual(await pull.tree(), ['d/', 'd/a', 'd/c'])
  assert.equal((await pull.disk.lstat(`${ROOT}/d`)).mode & 0o777, 0o555)
  await pull.assertSettled()
})

test('a new file in a locally deleted directory restores the directory', async () => {
  await using pull = await SimPull.start()
  pull.peer.directory('d')
  await pull.sync()
  await pull.disk.removeDirectory(`${ROOT}/d`)
  await pull.scan()
  pull.peer.put('d/f', 'x')
  await pull.sync()
  assert.deepEqual(await pull.tree(), ['d/', 'd/f'])
  assert.equal((await pull.index.records.global('d'))?.deleted, false)
  await pull.assertSettled()
})

test('items change their type: file, directory and symlink', async () => {
  await using pull = await SimPull.start()
  pull.peer.put('a', 'file')
  pull.peer.directory('b')
  pull.peer.put('b/inside', 'x')
  pull.peer.symlink('c', 'target')
  await pull.sync()
  pull.peer.directory('a')
  pull.peer.put('a/inside', 'y')
  pull.peer.delete('b/inside')
  pull.peer.symlink('b', 'elsewhere')
  pull.peer.put('c', 'a file now')
  await pull.sync()
  assert.deepEqual(await pull.tree(), ['a/', 'a/inside', 'b -> elsewhere', 'c'])
  await pull.assertSettled()
})
