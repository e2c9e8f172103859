import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conflictOriginal } from '../../../src/core/paths.ts'
import { ROOT, SimPull } from './sim-pull.ts'

const COPY = 'd/photo.sync-conflict-20260131-235959-ABCDEFG.jpg'

test('the temporary file of an item that is not needed any more is removed', async () => {
  await using pull = await SimPull.start()
  pull.peer.put('f', 'one', { modifiedS: 1 })
  await pull.sync()
  pull.disk.put(`${ROOT}/f`, 'edited here')
  pull.peer.put('f', 'two', { modifiedS: 2 })
  await pull.sync()
  const failed = pull.hub
    .of('ItemFinished')
    .map(({ error }) => error)
    .filter((error) => error !== null)
  assert.ok(failed.length > 0, 'the first attempt found an unscanned file')
  assert.equal(await pull.read('f'), 'edited here')
  await pull.assertSettled()
})

test('the temporary file is kept for the next attempt while the item is needed', async () => {
  await using pull = await SimPull.start()
  pull.peer.serve = async (request, data) => {
    if (request.blockNumber === 1) throw new Error('not now')
    return data
  }
  pull.peer.put('f', Buffer.alloc(2 * 131_072, 'x'))
  await pull.sync()
  assert.deepEqual(await pull.tree(), ['.syncthing.f.tmp'])
  pull.peer.delete('f')
  await pull.sync()
  assert.deepEqual(await pull.tree(), [])
  await pull.assertSettled()
})

test('two independent conflict copies of the same name are both kept', async () => {
  await using pull = await SimPull.start({
    arrange: async (disk) => {
      await disk.makeDirectories(`${ROOT}/d`, 0o755)
      disk.put(`${ROOT}/${COPY}`, 'lost here')
    },
  })
  pull.peer.put(COPY, 'lost there', { modifiedS: 4_000_000_000 })
  await pull.sync()
  assert.equal(await pull.read(COPY), 'lost there')
  const others = (await pull.tree()).filter((name) => name !== COPY && name !== 'd/')
  assert.equal(others.length, 1, others.join(' '))
  assert.equal(conflictOriginal(others[0]!), 'd/photo.jpg', 'a copy of the file, not a copy of a copy')
  assert.equal(await pull.read(others[0]!), 'lost here')
  await pull.assertSettled()
})

test('a conflict copy that both devices edited is kept under another name of its original', async () => {
  await using pull = await SimPull.start()
  pull.peer.directory('d')
  pull.peer.put(COPY, 'lost')
  await pull.sync()
  pull.disk.put(`${ROOT}/${COPY}`, 'edited here')
  await pull.scan()
  pull.peer.put(COPY, 'edited there', { modifiedS: 4_000_000_000 })
  await pull.sync()
  const [other, ...rest] = (await pull.tree()).filter((name) => name !== 'd/' && name !== COPY)
  assert.deepEqual([conflictOriginal(other ?? ''), rest], ['d/photo.jpg', []])
  assert.equal(await pull.read(COPY), 'edited there')
  assert.equal(await pull.read(other ?? ''), 'edited here')
  await pull.assertSettled()
})
