import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FLAG_IGNORED } from '../../../src/core/records/file-info.ts'
import { bumpVersion } from '../../../src/core/records/version-vector.ts'
import type { SimDisk } from '../../../src/platform/sim/disk.ts'
import { DOCS, settle } from '../../support/model.ts'
import { PEER_SHORT } from './sim-peer.ts'
import { ROOT, SimPull, type Setup } from './sim-pull.ts'

const BLOCK = 131_072

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
  const local = await pull.index.get('local', 'f')
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

test('small files: where the fast path never works, the slow path is soon used alone', async () => {
  await using pull = await SimPull.start()
  const { fileMaker } = pull.hub.platform
  let requested = 0
  fileMaker.make = async () => {
    requested++
    return { kind: 'failed', code: 'ELOOP', message: 'ELOOP: not here, open' }
  }
  for (let i = 0; i < 200; i++) pull.peer.put(`f${i}`, `content ${i}`)
  await pull.sync()
  assert.equal((await pull.tree()).length, 200)
  assert.equal(await pull.read('f123'), 'content 123')
  assert.ok(requested >= 8 && requested < 200, `${requested} tries`)
  assert.equal(pull.peer.requests.length, 200 + requested)
  await pull.assertSettled()
})

test('small files: very many at a time on a fast network, few on a slow one', async () => {
  for (const [sizeBytes, isFast] of [
    [10, true],
    [31_000, false],
  ] as const) {
    await using pull = await SimPull.start()
    let most = 0
    pull.peer.serve = async (_request, data) => {
      for (let tick = 0; tick < 40; tick++) await settle()
      const { progress } = await pull.hub.model.need(DOCS, { page: 1, perPage: 1_000 })
      most = Math.max(most, progress.length)
      return data
    }
    for (let i = 0; i < 700; i++) pull.peer.put(`f${i}`, `${i}`.padEnd(sizeBytes))
    await pull.sync()
    assert.ok(isFast ? most > 96 && most <= 192 : most > 1 && most <= 96, `${most} at a time`)
    assert.equal((await pull.tree()).length, 700)
    await pull.assertSettled()
  }
})

test('directories: several at a time, parents first', async () => {
  await using pull = await SimPull.start()
  const make = pull.disk.makeDirectory.bind(pull.disk)
  let [open, most] = [0, 0]
  pull.disk.makeDirectory = async (path, mode) => {
    open++
    most = Math.max(most, open)
    for (let tick = 0; tick < 5; tick++) await settle()
    await make(path, mode)
    open--
  }
  for (let i = 0; i < 20; i++) for (const name of [`d${i}`, `d${i}/e`, `d${i}/e/f`]) pull.peer.directory(name)
  await pull.sync()
  assert.ok(most > 1, `${most} at a time`)
  assert.equal((await pull.tree()).length, 60)
  await pull.assertSettled()
})

test('small files: an edit takes the fast path too, and a local change made meanwhile is kept', async () => {
  await using pull = await SimPull.start()
  pull.peer.put('f', 'first')
  pull.peer.put('g', 'first')
  await pull.sync()
  const { fileMaker } = pull.hub.platform
  const make = fileMaker.make.bind(fileMaker)
  const replaced: string[] = []
  fileMaker.make = async (order) => {
    if (order.replaces !== undefined) replaced.push(order.path)
    if (order.path === `${ROOT}/g`) {
      await using file = await pull.disk.open(order.path, 'write')
      await file.write(Buffer.from('of the user'), 0)
    }
    return await make(order)
  }
  pull.peer.put('f', 'other')
  pull.peer.put('g', 'other')
  await pull.sync()
  assert.ok(replaced.includes(`${ROOT}/f`))
  assert.equal(await pull.read('f'), 'other')
  const contents = await Promise.all((await pull.tree()).map((path) => pull.read(path)))
  assert.ok(contents.includes('of the user'), contents.join())
})

for (const clones of [true, false]) {
  test(`a large file reuses blocks in place, on a disk ${clones ? 'with' : 'without'} clones`, async () => {
    await using pull = await SimPull.start({ disk: { clones } })
    const content = Buffer.alloc(80 * BLOCK)
    for (let i = 0; i < 80; i++) content.fill(i + 1, i * BLOCK, (i + 1) * BLOCK)
    pull.peer.put('f', content)
    await pull.sync()
    pull.peer.requests.length = 0
    const edited = Buffer.from(content.subarray(0, 79 * BLOCK + 7))
    edited.write('changed', 5 * BLOCK + 100)
    pull.peer.put('f', edited)
    await pull.sync()
    assert.deepEqual(pull.peer.requests.map(({ blockNumber }) => blockNumber).sort(), [5, 79])
    assert.ok((await pull.read('f')) === edited.toString('latin1'))
    await pull.assertSettled()
  })
}

test('a large file is copied by the system, unless it is sparse', async () => {
  await using pull = await SimPull.start({ disk: { clones: false } })
  const copied: string[] = []
  const copyNew = pull.disk.copyNew.bind(pull.disk)
  pull.disk.copyNew = async (from, to, permissions) => {
    copied.push(from)
    await copyNew(from, to, permissions)
  }
  const dense = Buffer.alloc(80 * BLOCK)
  for (let i = 0; i < 80; i++) dense.fill(i + 1, i * BLOCK, (i + 1) * BLOCK)
  const sparse = Buffer.from(dense).fill(0, 10 * BLOCK, 20 * BLOCK)
  for (const text of ['before', 'after']) {
    dense.write(text)
    sparse.write(text)
    pull.peer.put('dense', Buffer.from(dense))
    pull.peer.put('sparse', Buffer.from(sparse))
    await pull.sync()
  }
  assert.deepEqual(copied, [`${ROOT}/dense`])
  assert.ok((await pull.read('dense')) === dense.toString('latin1'))
  assert.ok((await pull.read('sparse')) === sparse.toString('latin1'))
  await pull.assertSettled()
})

test('only changed blocks are requested', async () => {
  await using pull = await SimPull.start()
  const content = Buffer.alloc(10 * BLOCK)
  for (let i = 0; i < 10; i++) content.fill(65 + i, i * BLOCK, (i + 1) * BLOCK)
  pull.peer.put('f', content)
  await pull.sync()
  pull.peer.requests.length = 0
  const edited = Buffer.from(content)
  edited.write('changed', 5 * BLOCK + 100)
  pull.peer.put('f', edited)
  await pull.sync()
  assert.deepEqual(
    pull.peer.requests.map(({ blockNumber }) => blockNumber),
    [5],
  )
  assert.equal(await pull.read('f'), edited.toString('latin1'))
  pull.peer.requests.length = 0
  const shifted = Buffer.concat([Buffer.alloc(BLOCK, 'n'), edited])
  pull.peer.put('f', shifted)
  await pull.sync()
  assert.deepEqual(
    pull.peer.requests.map(({ blockNumber }) => blockNumber),
    [0],
    'blocks at another offset are found by their hash',
  )
  assert.equal(await pull.read('f'), shifted.toString('latin1'))
  await pull.assertSettled()
})

test('zeros and content present under another name are not transferred', async () => {
  await using pull = await SimPull.start()
  pull.peer.put('original', Buffer.alloc(3 * BLOCK, 'o'))
  await pull.sync()
  pull.peer.requests.length = 0
  pull.peer.put('copy', Buffer.alloc(3 * BLOCK, 'o'))
  pull.peer.put('sparse', Buffer.alloc(5 * BLOCK))
  await pull.sync()
  assert.deepEqual(pull.peer.requests, [])
  assert.equal(await pull.read('copy'), 'o'.repeat(3 * BLOCK))
  assert.equal(await pull.read('sparse'), '\0'.repeat(5 * BLOCK))
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

test('concurrent edits: the loser is kept as a conflict copy and announced as a new file', async () => {
  await using pull = await SimPull.start(local('d/photo.jpg', 'ours'))
  pull.peer.directory('d')
  pull.peer.put('d/photo.jpg', 'theirs', { modifiedS: 4_000_000_000 })
  await pull.sync()
  const tree = await pull.tree()
  assert.equal(tree.length, 3)
  assert.match(tree[2] ?? '', /^d\/photo\.sync-conflict-\d{8}-\d{6}-BEEQSCI\.jpg$/)
  assert.equal(pull.hub.statistics.work.all().get(DOCS)?.conflicts, 1)
  assert.equal(await pull.read('d/photo.jpg'), 'theirs')
  assert.equal(await pull.read(tree[2]!), 'ours')
  assert.equal((await pull.index.get('local', tree[2]!))?.deleted, false, 'the copy was not scanned')
  await pull.assertSettled()
})

test('identical content on both sides is no conflict', async () => {
  await using pull = await SimPull.start(local('f', 'same'))
  const record = pull.peer.put('f', 'same', { modifiedS: 4_000_000_000 })
  await pull.sync()
  assert.deepEqual(await pull.tree(), ['f'])
  assert.deepEqual((await pull.index.get('local', 'f'))?.version, record.version)
  await pull.assertSettled()
})

test('conflict copies: disabled, or limited to the newest', async () => {
  for (const [maxConflicts, copies] of [
    [0, 0],
    [1, 1],
    [-1, 3],
  ] as const) {
    await using pull = await SimPull.start({ folder: { maxConflicts }, ...local('f.txt', 'ours 0') })
    for (let round = 0; round < 3; round++) {
      pull.peer.put('f.txt', `theirs ${round}`, {
        modifiedS: 4_000_000_000 + round,
        basedOn: round === 0 ? [] : (await pull.index.get('local', 'f.txt'))!.version,
      })
      if (round > 0) {
        // A local edit with the same base as the remote one.
        pull.disk.put(`${ROOT}/f.txt`, `ours ${round}`)
        await pull.hub.while(pull.hub.model.scan(DOCS, [], undefined))
      }
      await pull.sync()
      await pull.hub.pass(2_000)
    }
    assert.equal(await pull.read('f.txt'), 'theirs 2')
    const kept = (await pull.tree()).filter((name) => name.includes('sync-conflict'))
    assert.equal(kept.length, copies, `maxConflicts ${maxConflicts}`)
    if (copies === 1) assert.equal(await pull.read(kept[0]!), 'ours 2')
  }
})

test('a file that loses against a directory of the same name is kept', async () => {
  await using pull = await SimPull.start(local('x', 'ours'))
  pull.peer.directory('x', { modifiedS: 4_000_000_000 })
  pull.peer.put('x/f', 'inside')
  await pull.sync()
  const tree = await pull.tree()
  const copy = tree.find((name) => name.startsWith('x.sync-conflict-'))
  assert.deepEqual(tree, [copy, 'x/', 'x/f'])
  assert.equal(await pull.read(copy!), 'ours')
  await pull.assertSettled()
})

test('an unscanned local edit is not overwritten: it is scanned and becomes a conflict copy', async () => {
  await using pull = await SimPull.start()
  pull.peer.put('f', 'one')
  await pull.sync()
  pull.disk.put(`${ROOT}/f`, 'edited here')
  pull.peer.put('f', 'two', { modifiedS: 4_000_000_000 })
  await pull.sync()
  const tree = await pull.tree()
  assert.equal(await pull.read('f'), 'two')
  assert.equal(await pull.read(tree.find((name) => name.includes('sync-conflict'))!), 'edited here')
  const failed = pull.hub
    .of('ItemFinished')
    .map(({ error }) => error)
    .filter((error) => error !== null)
  assert.ok(
    failed.includes('checking existing file: file modified but not rescanned; will try again later'),
    String(failed),
  )
  await pull.assertSettled()
})

test('C-11: a file that changes during the download of its new version keeps the change', async () => {
  await using pull = await SimPull.start()
  pull.peer.put('f', Buffer.alloc(3 * BLOCK, 'a'))
  await pull.sync()
  pull.peer.serve = async (request, data) => {
    if (request.blockNumber === 1) pull.disk.put(`${ROOT}/f`, 'edited meanwhile')
    return data
  }
  pull.peer.put('f', Buffer.alloc(3 * BLOCK, 'b'), { modifiedS: 4_000_000_000 })
  await pull.sync()
  const tree = await pull.tree()
  assert.equal(await pull.read('f'), 'b'.repeat(3 * BLOCK))
  const copies = tree.filter((name) => name.includes('sync-conflict'))
  assert.deepEqual([copies.length, await pull.read(copies[0]!)], [1, 'edited meanwhile'])
  console.log(JSON.stringify({ id: 'C-11', tried: 1, mixedContent: 0, kept: copies.length }))
  await pull.assertSettled()
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
    'd: syncing: delete dir: directory has been deleted on a remote device but contains ignored files (see ignore documentation for (?d) prefix)',
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
  assert.equal((await pull.index.global('d/new'))?.deleted, false)
})

test('ignored items are recorded as such and not needed', async () => {
  await using pull = await SimPull.start({ arrange: (disk) => disk.put(`${ROOT}/.stignore`, '*.tmp') })
  pull.peer.put('a.tmp', 'x')
  pull.peer.put('b', 'y')
  await pull.sync()
  assert.deepEqual(await pull.tree(), ['.stignore', 'b'])
  assert.equal((await pull.index.get('local', 'a.tmp'))?.localFlags, FLAG_IGNORED)
  await pull.assertSettled()
})

test('a send-only folder writes nothing and adopts versions of identical items', async () => {
  await using pull = await SimPull.start({ folder: { type: 'sendonly' }, ...local('same', 's') })
  const ours = (await pull.index.get('local', 'same'))!
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
  assert.equal((await pull.index.global('d'))?.deleted, false)
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

test('the progress and the completion of a large file are reported to clients and other devices', async () => {
  await using pull = await SimPull.start({ folder: { blockPullOrder: 'inOrder' } })
  const gate = Promise.withResolvers<void>()
  pull.peer.serve = async ({ blockNumber }, data) => {
    if (blockNumber >= 12) await gate.promise
    return data
  }
  const content = Buffer.alloc(20 * BLOCK)
  for (let i = 0; i < 20; i++) content.fill(i + 1, i * BLOCK, (i + 1) * BLOCK)
  pull.peer.put('large', content)
  pull.peer.put('small', 's')
  await pull.announce()
  await pull.hub.pass(6_000)
  const [first] = pull.hub.of('DownloadProgress')
  const view = first?.['docs']?.['large']
  assert.deepEqual([view?.total, view?.pulled, view?.pulling, view?.bytesDone], [20, 12, 8, 12 * BLOCK])
  assert.deepEqual(
    pull.peer.downloadUpdates.map(({ kind, name, blockIndexes }) => [kind, name, blockIndexes.length]),
    [['append', 'large', 12]],
  )
  gate.resolve()
  await pull.rest()
  await pull.hub.pass(6_000)
  assert.deepEqual({ ...pull.hub.of('DownloadProgress').at(-1) }, {})
  assert.deepEqual(pull.peer.downloadUpdates.at(-1)?.kind, 'forget')
})

test('no timer runs without a pull, and enabling progress during a pull takes effect', async () => {
  await using pull = await SimPull.start()
  const wakeupsIn = async (ms: number) => {
    let wakeups = -1 // the first check comes before any time has passed
    await pull.hub.platform.clock.advance(ms, async () => {
      wakeups++
      await settle()
    })
    return wakeups
  }
  pull.peer.put('first', 'x')
  await pull.sync()
  await pull.hub.pass(10_000)
  assert.equal(await wakeupsIn(60_000), 0)
  const setInterval = (progressUpdateIntervalS: number) =>
    pull.hub.change((config) => ({ ...config, options: { ...config.options, progressUpdateIntervalS } }))
  await setInterval(-1)
  const gate = Promise.withResolvers<void>()
  pull.peer.serve = async (_request, data) => {
    await gate.promise
    return data
  }
  pull.peer.put('second', Buffer.alloc(3 * BLOCK, 1))
  await pull.announce()
  await pull.hub.pass(6_000)
  assert.deepEqual(pull.hub.of('DownloadProgress'), [])
  await setInterval(5)
  await pull.hub.pass(6_000)
  assert.deepEqual(Object.keys(pull.hub.of('DownloadProgress')[0]?.['docs'] ?? {}), ['second'])
  gate.resolve()
  await pull.rest()
})

test('completed files are stored and announced while the next one is in progress', async () => {
  await using pull = await SimPull.start()
  const held = Promise.withResolvers<void>()
  pull.peer.serve = async ({ name }, data) => {
    if (name === 'slow') await held.promise
    return data
  }
  pull.peer.put('quick', 'here at once')
  pull.peer.put('slow', Buffer.alloc(3 * BLOCK, 's'))
  await pull.announce()
  for (let tick = 0; tick < 1_000 && (await pull.needed()).length > 1; tick++) await pull.hub.pass(10)
  assert.deepEqual(await pull.needed(), ['slow'])
  assert.equal((await pull.hub.model.status(DOCS)).state, 'syncing')
  held.resolve()
  await pull.rest()
  await pull.assertSettled()
})
