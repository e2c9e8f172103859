/** A name that is a file or symlink on one device and a directory with other items on another. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareVersions } from '../../../src/core/records/version-vector.ts'
import { PEER } from './sim-peer.ts'
import { ROOT, SimPull } from './sim-pull.ts'

const MINUTE_MS = 60_000

/** The directory `d` with `d/old` is in sync; then a user removes it here. */
async function withoutDirectory(folder = {}): Promise<SimPull> {
  const pull = await SimPull.start({ folder })
  pull.peer.directory('d')
  pull.peer.put('d/old', 'old')
  await pull.sync()
  pull.disk.direct.remove(`${ROOT}/d/old`)
  pull.disk.direct.remove(`${ROOT}/d`)
  return pull
}

/** The first attempt reports, the retry resolves, the scan after it records. */
async function retry(pull: SimPull): Promise<void> {
  await pull.hub.pass(2 * MINUTE_MS)
  await pull.rest()
}

const REPORTED =
  'd/new: syncing: "d" is a file on this device and a directory on another one; it will be renamed to a conflict copy'

test('our file makes room for a directory with new items and is kept as a conflict copy', async () => {
  await using pull = await withoutDirectory()
  await pull.write('d', 'our file')
  await pull.scan()
  pull.peer.put('d/new', 'their file')
  await pull.sync()
  assert.deepEqual(await pull.errors(), [REPORTED])
  await retry(pull)
  const tree = await pull.tree()
  assert.equal(tree.length, 3, tree.join(' '))
  assert.match(tree[0] ?? '', /^d\.sync-conflict-\d{8}-\d{6}-[A-Z2-7]{7}$/)
  assert.deepEqual(tree.slice(1), ['d/', 'd/new'])
  assert.equal(await pull.read(tree[0] ?? ''), 'our file')
  assert.equal(await pull.read('d/new'), 'their file')
  await pull.assertSettled()
  // The directory is our change, newer than the file that the others may have: it wins everywhere.
  const { type, version } = (await pull.index.records.get('local', 'd'))!
  assert.equal(type, 'directory')
  assert.equal(compareVersions(version, (await pull.index.records.get(PEER, 'd'))!.version), 'newer')
})

test('the same for a symlink, whose target is not touched', async () => {
  await using pull = await withoutDirectory()
  pull.disk.put('/outside/canary', 'untouched')
  await pull.disk.makeSymlink('/outside', `${ROOT}/d`)
  await pull.scan()
  pull.peer.directory('d/e')
  pull.peer.put('d/e/new', 'their file')
  await pull.sync()
  await retry(pull)
  const tree = await pull.tree()
  assert.match(tree[0] ?? '', /^d\.sync-conflict-.* -> \/outside$/)
  assert.deepEqual(tree.slice(1), ['d/', 'd/e/', 'd/e/new'])
  assert.deepEqual(
    (await pull.disk.list('/outside')).map(({ name }) => name),
    ['canary'],
  )
  await pull.assertSettled()
})

test('several devices that resolve the same clash choose the same conflict name', async () => {
  const names = []
  for (const delayMs of [0, 5_000]) {
    await using pull = await withoutDirectory()
    await pull.hub.pass(delayMs)
    pull.peer.put('d', 'the same file', { modifiedS: 1_690_000_000 })
    await pull.sync()
    pull.peer.put('d/new', 'their file')
    await pull.sync()
    await retry(pull)
    names.push((await pull.tree())[0])
  }
  assert.match(names[0] ?? '', /sync-conflict/)
  assert.equal(names[0], names[1])
})

test('a record that ends the clash in time leaves our file alone', async () => {
  await using pull = await withoutDirectory()
  await pull.write('d', 'our file')
  await pull.scan()
  pull.peer.put('d/new', 'their file')
  await pull.sync()
  pull.peer.delete('d/new')
  await pull.sync()
  await retry(pull)
  assert.deepEqual(await pull.tree(), ['d'])
  await pull.assertSettled()
})

test('an edit that is not scanned yet is not renamed, and is found', async () => {
  await using pull = await withoutDirectory()
  await pull.write('d', 'our file')
  await pull.scan()
  pull.peer.put('d/new', 'their file')
  await pull.sync()
  pull.disk.direct.write(`${ROOT}/d`, Buffer.from('our later file'))
  await retry(pull)
  await retry(pull)
  await retry(pull)
  const [copy = ''] = await pull.tree()
  assert.match(copy, /sync-conflict/)
  assert.equal(await pull.read(copy), 'our later file')
  await pull.assertSettled()
})

test('an ignored file in the place of a directory is reported and stays', async () => {
  await using pull = await withoutDirectory()
  await pull.write('.stignore', '!/d/new\n/d')
  await pull.write('d', 'ignored')
  await pull.scan()
  pull.peer.put('d/new', 'their file')
  await pull.sync()
  await retry(pull)
  assert.deepEqual(await pull.errors(), [
    'd/new: syncing: "d" is a file on this device and a directory on another one; it is ignored',
  ])
  assert.equal(await pull.read('d'), 'ignored')
})

test('a directory with items of other devices is not replaced: nothing is transferred', async () => {
  await using pull = await SimPull.start()
  pull.peer.directory('d')
  pull.peer.put('d/old', 'old')
  await pull.sync()
  await pull.write('d/new', 'our file')
  await pull.scan()
  pull.peer.delete('d/old')
  pull.peer.put('d', 'their file')
  await pull.sync()
  pull.peer.requests.length = 0
  await retry(pull)
  assert.deepEqual(await pull.errors(), [
    'd: syncing: replace dir: directory has been replaced on a remote device but contains items that device does not ' +
      'have yet; it will rename its item to a conflict copy',
  ])
  assert.deepEqual(await pull.tree(), ['d/', 'd/new'])
  assert.deepEqual(pull.peer.requests, [])
})

test('a directory with local changes of a receive-only folder is kept under a conflict name', async () => {
  await using pull = await SimPull.start({ folder: { type: 'receiveonly' } })
  pull.peer.directory('d')
  pull.peer.put('d/old', 'old')
  await pull.sync()
  await pull.write('d/new', 'our file')
  await pull.scan()
  pull.peer.delete('d/old')
  pull.peer.put('d', 'their file')
  await pull.sync()
  await retry(pull)
  const tree = await pull.tree()
  assert.equal(await pull.read('d'), 'their file')
  assert.equal(tree.length, 3, tree.join(' '))
  assert.match(tree[1] ?? '', /^d\.sync-conflict-.*\/$/)
  assert.equal(await pull.read(tree[2] ?? ''), 'our file')
  await pull.assertSettled()
})
