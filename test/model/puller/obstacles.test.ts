/** Items in the place of a pulled one that no scan can record: the reason names them, and no temporary file is left. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ROOT, SimPull } from './sim-pull.ts'

const SIZES = [
  ['small', 20],
  ['large', 400_000],
] as const

for (const [size, sizeBytes] of SIZES) {
  test(`a pipe in the place of a ${size} file is named as the reason`, async () => {
    await using pull = await SimPull.start()
    pull.disk.putOther(`${ROOT}/f`)
    pull.peer.put('f', 'x'.repeat(sizeBytes))
    await pull.sync()
    assert.deepEqual(await pull.errors(), ['f: syncing: a device, pipe or socket is in the place of the item'])
    assert.deepEqual(await pull.tree(), ['f'])
    await pull.disk.removeFile(`${ROOT}/f`)
    await pull.hub.pass(2 * 60_000)
    await pull.rest()
    assert.equal(await pull.read('f'), 'x'.repeat(sizeBytes))
    await pull.assertSettled()
  })

  test(`an unreadable file in the place of a ${size} file is named as the reason`, async () => {
    await using pull = await SimPull.start()
    await pull.write('f', 'unreadable')
    await pull.disk.chmod(`${ROOT}/f`, 0)
    pull.peer.put('f', 'x'.repeat(sizeBytes))
    await pull.sync()
    const reasons = (await pull.errors()).filter((error) => error.includes('syncing'))
    assert.deepEqual(reasons, ['f: syncing: an unreadable file is in the place of the item: permission denied'])
    assert.deepEqual(await pull.tree(), ['f'])
  })
}

test('a pipe in the place of a directory, a symlink or a parent directory is named as the reason', async () => {
  await using pull = await SimPull.start()
  for (const name of ['d', 's', 'p']) pull.disk.putOther(`${ROOT}/${name}`)
  pull.peer.directory('d')
  pull.peer.symlink('s', 'target')
  pull.peer.put('p/f', 'below')
  await pull.sync()
  assert.deepEqual((await pull.errors()).toSorted(), [
    'd: syncing: a device, pipe or socket is in the place of the item',
    'p/f: syncing: "p" is a device, pipe or socket on this device and a directory on another one',
    's: syncing: a device, pipe or socket is in the place of the item',
  ])
  assert.deepEqual(await pull.tree(), ['d', 'p', 's'])
})

test('no temporary file of one block is left after an error', async () => {
  await using pull = await SimPull.start()
  pull.peer.put('f', 'x'.repeat(60_000))
  pull.peer.serve = () => Promise.reject(new Error('refused'))
  await pull.sync()
  assert.deepEqual(await pull.errors(), ['f: syncing: pull: refused'])
  assert.deepEqual(await pull.tree(), [])
})
