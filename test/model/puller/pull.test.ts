import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DOCS, SimHub, simConfig, simFolder } from '../../support/model.ts'
import type { FolderConfig } from '../../../src/core/config.ts'
import { SimPeer } from './sim-peer.ts'

const ROOT = '/data/docs'

async function start(changes: Partial<FolderConfig> = {}, arrange: (hub: SimHub, peer: SimPeer) => void | Promise<void> = () => {}) {
  const peer = new SimPeer()
  const hub = await SimHub.open(simConfig([simFolder('docs', changes)]), { sources: peer })
  await arrange(hub, peer)
  hub.run()
  await hub.while(hub.model.scan(DOCS, [], undefined))
  const index = await hub.store.folder(DOCS)
  const sync = async () => {
    await peer.tell(index)
    hub.model.pullSoon(DOCS)
    await settled(hub)
  }
  return { hub, peer, index, sync, disk: hub.world.disk }
}

/** Lets things happen until the folder is idle and stays so. */
async function settled(hub: SimHub): Promise<void> {
  for (let quiet = 0, turn = 0; quiet < 20; turn++) {
    assert.ok(turn < 20_000, 'the folder does not come to rest')
    await hub.pass(turn % 50 === 49 ? 1 : 0)
    const { state } = await hub.model.status(DOCS)
    quiet = state === 'idle' ? quiet + 1 : 0
  }
}

async function read(hub: SimHub, name: string): Promise<string> {
  await using file = await hub.world.disk.open(`${ROOT}/${name}`, 'read')
  const { sizeBytes } = await file.stat()
  const data = Buffer.alloc(sizeBytes)
  for (let done = 0; done < sizeBytes; ) done += await file.read(data.subarray(done), done)
  return data.toString('latin1')
}

const names = async (hub: SimHub, directory = '') =>
  (await hub.world.disk.list(`${ROOT}${directory}`)).map(({ name }) => name).filter((name) => name !== '.stfolder').sort()

test('a tree of another device appears here, and a rescan finds nothing to say about it', async () => {
  const { hub, peer, index, sync, disk } = await start()
  await using _hub = hub
  peer.directory('d')
  peer.put('d/small.txt', 'hello', { permissions: 0o600 })
  peer.put('empty', '')
  peer.put('large.bin', Buffer.alloc(1_000_000, 'x'))
  peer.put('exec.sh', '#!', { permissions: 0o755 })
  peer.symlink('link', '../elsewhere')
  await sync()
  assert.deepEqual(await names(hub), ['d', 'empty', 'exec.sh', 'large.bin', 'link'])
  assert.equal(await read(hub, 'd/small.txt'), 'hello')
  assert.equal((await read(hub, 'large.bin')).length, 1_000_000)
  const stat = await disk.lstat(`${ROOT}/d/small.txt`)
  assert.deepEqual([stat.mode & 0o777, stat.modifiedS, stat.modifiedNs], [0o600, 1_700_000_000, 123_456_789])
  assert.equal((await disk.lstat(`${ROOT}/exec.sh`)).mode & 0o777, 0o755)
  assert.equal(await disk.readSymlink(`${ROOT}/link`), '../elsewhere')
  const sequence = await index.sequence('local')
  await hub.while(hub.model.scan(DOCS, [], undefined))
  assert.equal(await index.sequence('local'), sequence, 'a rescan saw a change')
  assert.deepEqual((await index.counts()).need, { files: 0, directories: 0, symlinks: 0, deleted: 0, bytes: 0 })
  assert.deepEqual(hub.states().slice(6), [
    'idle→sync-waiting', 'sync-waiting→sync-preparing', 'sync-preparing→syncing', 'syncing→sync-preparing', 'sync-preparing→idle',
    'idle→scan-waiting', 'scan-waiting→scanning', 'scanning→idle',
  ])
})
