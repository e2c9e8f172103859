import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mountPointOf, openFilesMax, parseFileSystem, parseMountPoints } from '../../../src/platform/mounts.ts'
import { DOCS, folderId, simConfig, simFolder, SimHub } from '../../support/model.ts'

const ROOT = '/data/docs'
const TABLE = '/proc/self/mountinfo'

function line(point: string): string {
  return `36 35 98:0 / ${point} rw,noatime master:1 - ext4 /dev/sdb1 rw\n`
}

test('mount points below a root are read with their escapes; others are left out', () => {
  const table = ['/', '/data/docs', '/data/docs/usb', '/data/docs/my\\040disk', '/data/docsx/y'].map(line).join('')
  assert.deepEqual(parseMountPoints(table, '/data/docs'), ['my disk', 'usb'])
  assert.deepEqual(parseMountPoints(table, '/'), ['data/docs', 'data/docs/my disk', 'data/docs/usb', 'data/docsx/y'])
  assert.deepEqual(parseMountPoints('', '/data/docs'), [])
})

test('the file system of a path is that of the innermost mount, and of the last one there', () => {
  const table = [line('/'), line('/net').replace('ext4', 'nfs4'), line('/net/my\\040disk')].join('')
  assert.equal(parseFileSystem(table, '/home/me'), 'ext4')
  assert.equal(parseFileSystem(table, '/net'), 'nfs4')
  assert.equal(parseFileSystem(table, '/network'), 'ext4')
  assert.equal(parseFileSystem(table, '/net/my disk/x'), 'ext4')
  assert.equal(parseFileSystem(`${table}${line('/').replace('ext4', 'overlay')}`, '/x'), 'overlay')
  assert.equal(parseFileSystem('', '/x'), undefined)
})

test('the limit of open files is read where the system tells it', async () => {
  const { disk } = await SimHub.open(simConfig([])).then(({ platform }) => platform)
  assert.equal(await openFilesMax(disk), undefined)
  disk.put('/proc/self/limits', 'Limit   Soft Limit  Hard Limit  Units\nMax open files            600  4096  files\n')
  assert.equal(await openFilesMax(disk), 600)
  disk.put('/data/docs/x', '')
  assert.equal(await mountPointOf(disk, '/data/docs'), '/')
})

async function mountedHub(): Promise<SimHub> {
  const hub = await SimHub.open(simConfig([simFolder('docs')]))
  const { disk } = hub.platform
  disk.put(`${ROOT}/a`, 'one')
  disk.put(`${ROOT}/usb/b`, 'two')
  disk.put(`${ROOT}/usb/deep/c`, 'three')
  disk.put(TABLE, line(`${ROOT}/usb`))
  hub.run()
  await hub.while(hub.model.scan(DOCS))
  return hub
}

async function unmount(hub: SimHub): Promise<void> {
  const { disk } = hub.platform
  disk.put(TABLE, line('/'))
  await disk.removeFile(`${ROOT}/usb/b`)
  await disk.removeFile(`${ROOT}/usb/deep/c`)
  await disk.removeDirectory(`${ROOT}/usb/deep`)
}

test('C-10: a file system that is unmounted inside a folder announces no deletion, and is listed', async () => {
  await using hub = await mountedHub()
  await unmount(hub)
  await hub.platform.disk.removeFile(`${ROOT}/a`)
  await hub.while(hub.model.scan(DOCS))
  await hub.while(hub.model.scan(DOCS, ['usb/b'], undefined))
  assert.deepEqual(
    hub
      .of('LocalChangeDetected')
      .filter(({ action }) => action === 'deleted')
      .map(({ path }) => path),
    ['a'],
  )
  const [problem] = await hub.model.folderErrors(DOCS, { page: 1, perPage: 10 })
  assert.equal(problem?.path, 'usb')
  assert.match(problem?.error ?? '', /not mounted any more/)
})

test('the items of an unmounted file system are deleted once its directory is removed', async () => {
  await using hub = await mountedHub()
  await unmount(hub)
  await hub.while(hub.model.scan(DOCS))
  assert.equal(hub.deletions(), 0)
  await hub.platform.disk.removeDirectory(`${ROOT}/usb`)
  await hub.while(hub.model.scan(DOCS))
  assert.equal(hub.deletions(), 4)
  assert.deepEqual(await hub.model.folderErrors(DOCS, { page: 1, perPage: 10 }), [])
})

test('files that are deleted on a mounted file system are announced', async () => {
  await using hub = await mountedHub()
  await hub.platform.disk.removeFile(`${ROOT}/usb/b`)
  await hub.while(hub.model.scan(DOCS))
  assert.equal(hub.deletions(), 1)
})

async function keysOf({ store }: SimHub, folder: string): Promise<readonly string[]> {
  return (await store.keyValue.list('')).map(([key]) => key).filter((key) => key.includes(folder))
}

test('nothing that is stored of a folder is left when it is removed', async () => {
  await using hub = await mountedHub()
  await hub.store.keyValue.set(`count-from/${DOCS}`, new Uint8Array(1)) // by an earlier release
  assert.ok((await keysOf(hub, DOCS)).includes(`mounts/${DOCS}`))
  await hub.change(() => simConfig([]))
  assert.deepEqual([await keysOf(hub, DOCS), await hub.store.folders()], [[], []])
})

test('nothing that is stored of a folder is left when it was removed while the device was off', async () => {
  await using hub = await SimHub.open(simConfig([simFolder('docs')]))
  await hub.store.folder(folderId('removed'))
  for (const key of ['mounts/removed', 'count-from/removed']) await hub.store.keyValue.set(key, new Uint8Array(1))
  hub.run()
  await hub.while(hub.model.scan(DOCS))
  assert.deepEqual([await keysOf(hub, 'removed'), await hub.store.folders()], [[], [DOCS]])
})
