import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unixOwnerOf, withUnixOwner, type UnixOwner } from '../../../src/core/attributes/platform-data.ts'
import type { SimDisk } from '../../../src/platform/sim/disk.ts'
import { DOCS } from '../../support/model.ts'
import { PEER } from './sim-peer.ts'
import { ROOT, SimPull } from './sim-pull.ts'

const ANN: UnixOwner = { ownerName: 'ann', groupName: 'staff', userId: 7, groupId: 8 }
const NAMELESS: UnixOwner = { ownerName: 'eve', groupName: '', userId: 31, groupId: 32 }

/** On this machine user ann has the ID 1234, group staff 50. */
async function lists(disk: SimDisk): Promise<void> {
  await disk.makeDirectories('/etc', 0o755)
  for (const [path, text] of [
    ['/etc/passwd', 'ann:x:1234:50::/:\n'],
    ['/etc/group', 'staff:x:50:\n'],
  ] as const) {
    await using file = await disk.open(path, 'create')
    await file.write(Buffer.from(text), 0)
  }
}

/** All items of the other device belong to `owner`. */
async function announce(pull: SimPull, owner: UnixOwner): Promise<void> {
  const records = [...pull.peer.records.values()].map((record) => ({
    ...record,
    platform: withUnixOwner(undefined, owner),
  }))
  await pull.index.records.updateRemote(PEER, records)
  pull.hub.pullSoon(DOCS)
  await pull.rest()
}

async function ownerOf(pull: SimPull, name: string): Promise<readonly number[]> {
  const { userId, groupId } = await pull.disk.lstat(`${ROOT}/${name}`)
  return [userId, groupId]
}

test('syncOwnership: files, directories and symlinks get the owner of the same name, else of the same ID', async () => {
  await using pull = await SimPull.start({ folder: { syncOwnership: true }, arrange: lists })
  pull.peer.directory('d')
  pull.peer.put('d/small', 'x')
  pull.peer.put('d/large', Buffer.alloc(300_000, 'l'))
  pull.peer.symlink('link', 'd/small')
  await announce(pull, ANN)
  for (const name of ['d', 'd/small', 'd/large', 'link']) assert.deepEqual(await ownerOf(pull, name), [1234, 50], name)
  await pull.assertSettled()
  pull.peer.put('d/small', 'x', { modifiedS: 1_700_000_400 })
  await announce(pull, NAMELESS)
  assert.deepEqual(await ownerOf(pull, 'd/small'), [31, 32], 'a change of owner alone')
  await pull.assertSettled()
})

test('a new version of the same item touches nothing: no time, mode or owner is set again', async () => {
  await using pull = await SimPull.start({ folder: { syncOwnership: true }, arrange: lists })
  const put = () => {
    pull.peer.directory('d')
    pull.peer.put('d/file', 'x')
    pull.peer.put('d/large', Buffer.alloc(300_000, 'l'))
  }
  put()
  await announce(pull, ANN)
  for (const call of ['chmod', 'chown', 'utime'] as const) pull.disk.fail({ call, code: 'EPERM', times: 1_000 })
  put()
  await announce(pull, ANN)
  assert.deepEqual(await pull.errors(), [])
  for (const name of ['d', 'd/file', 'd/large'])
    assert.deepEqual((await pull.index.records.get('local', name))?.version, pull.peer.records.get(name)?.version, name)
})

test('syncOwnership: without permission the item fails with the reason and is not created', async () => {
  await using pull = await SimPull.start({ folder: { syncOwnership: true }, arrange: lists })
  pull.disk.fail({ call: 'chown', code: 'EPERM', times: 1_000 })
  pull.peer.put('file', 'x')
  await announce(pull, ANN)
  assert.deepEqual(await pull.errors(), ['file: syncing: sync ownership: operation not permitted'])
  assert.deepEqual(
    (await pull.tree()).filter((name) => !name.startsWith('.syncthing.')),
    [],
  )
})

test('without syncOwnership no owner is changed, and received ownership is kept in the record', async () => {
  await using pull = await SimPull.start({ folder: { sendOwnership: true }, arrange: lists })
  pull.peer.put('file', 'x')
  await announce(pull, ANN)
  assert.deepEqual(await ownerOf(pull, 'file'), [1000, 1000])
  assert.deepEqual(unixOwnerOf((await pull.index.records.get('local', 'file'))?.platform), ANN)
  await pull.assertSettled()
})

test('sendOwnership: a scan announces the owner of an item and its changes', async () => {
  await using pull = await SimPull.start({ folder: { sendOwnership: true }, arrange: lists })
  await pull.write('mine', 'x')
  await pull.scan()
  const known = async () => unixOwnerOf((await pull.index.records.get('local', 'mine'))?.platform)
  assert.deepEqual(await known(), { ownerName: '', groupName: '', userId: 1000, groupId: 1000 })
  await pull.disk.chown(`${ROOT}/mine`, 1234, 50)
  await pull.scan()
  assert.deepEqual(await known(), { ...ANN, userId: 1234, groupId: 50 })
  const sequence = await pull.index.exchange.sequence('local')
  await pull.scan()
  assert.equal(await pull.index.exchange.sequence('local'), sequence)
})

test('copyOwnershipFromParent: pulled items get the owner of the parent directory', async () => {
  await using pull = await SimPull.start({ folder: { copyOwnershipFromParent: true }, arrange: lists })
  pull.peer.directory('d')
  await pull.sync()
  await pull.disk.chown(`${ROOT}/d`, 77, 78)
  pull.peer.put('d/file', 'x')
  pull.peer.directory('d/e')
  await pull.sync()
  assert.deepEqual(
    [await ownerOf(pull, 'd/file'), await ownerOf(pull, 'd/e')],
    [
      [77, 78],
      [77, 78],
    ],
  )
  await pull.assertSettled()
})
