import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SimDisk } from '../../../src/platform/sim/disk.ts'
import { DOCS } from '../../support/model.ts'
import { ROOT, SimPull, type Setup } from './sim-pull.ts'

const BLOCK = 131_072

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
  assert.equal((await pull.index.records.get('local', tree[2]!))?.deleted, false, 'the copy was not scanned')
  await pull.assertSettled()
})

test('identical content on both sides is no conflict', async () => {
  await using pull = await SimPull.start(local('f', 'same'))
  const record = pull.peer.put('f', 'same', { modifiedS: 4_000_000_000 })
  await pull.sync()
  assert.deepEqual(await pull.tree(), ['f'])
  assert.deepEqual((await pull.index.records.get('local', 'f'))?.version, record.version)
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
        basedOn: round === 0 ? [] : (await pull.index.records.get('local', 'f.txt'))!.version,
      })
      if (round > 0) {
        // A local edit with the same base as the remote one.
        pull.disk.put(`${ROOT}/f.txt`, `ours ${round}`)
        await pull.hub.while(pull.hub.model.scan(DOCS))
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
