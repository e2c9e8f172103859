import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FileInfo } from '../../../src/core/records/file-info.ts'
import { writeIndex } from '../../../src/protocol/index-data.ts'
import { readIndex } from '../../protocol/read-index.ts'
import { DOCS } from '../../support/model.ts'
import { PEER } from './sim-peer.ts'
import { ROOT, SimPull } from './sim-pull.ts'

/** Field 99 is unassigned; field 3 holds the attributes of Linux, here none. */
const PLATFORM = Buffer.from('9a0602abcd1a00', 'hex')

/** What the next device receives for a name. */
async function announced(pull: SimPull, name: string): Promise<FileInfo> {
  const files = (await pull.index.exchange.localSince(0, { files: 100, blocks: 1_000 })).filter(
    (file) => file.name === name,
  )
  const [data] = readIndex(writeIndex({ folder: 'docs', files, lastSequence: 9, prevSequence: 0 }), 'index')
  return data!.files[0]!
}

test('platform data of one device is forwarded unchanged', async () => {
  await using pull = await SimPull.start()
  const received = { platform: PLATFORM, previousBlocksHash: Buffer.alloc(32, 4) }
  pull.peer.put('small', 'content')
  pull.peer.put('large', Buffer.alloc(300_000, 'l'))
  pull.peer.directory('d')
  pull.peer.symlink('link', 'small')
  await pull.index.records.updateRemote(
    PEER,
    [...pull.peer.records.values()].map((record) => ({ ...record, ...received })),
  )
  pull.hub.pullSoon(DOCS)
  await pull.rest()
  for (const name of ['small', 'large', 'd', 'link']) {
    const { platform, previousBlocksHash } = await announced(pull, name)
    assert.deepEqual({ platform, previousBlocksHash }, received, name)
  }
  await pull.assertSettled()
})

test('a local edit announces its base and keeps received platform data', async () => {
  await using pull = await SimPull.start()
  const theirs = pull.peer.put('file', 'content')
  await pull.index.records.updateRemote(PEER, [{ ...theirs, platform: PLATFORM }])
  pull.hub.pullSoon(DOCS)
  await pull.rest()
  await pull.disk.removeFile(`${ROOT}/file`)
  await pull.write('file', 'changed')
  await pull.scan()
  const edited = await announced(pull, 'file')
  assert.deepEqual(edited.platform, PLATFORM)
  assert.deepEqual(edited.previousBlocksHash, Buffer.from(theirs.blocksHash!))
  await pull.disk.removeFile(`${ROOT}/file`)
  await pull.scan()
  const gone = await announced(pull, 'file')
  assert.ok(gone.deleted)
  assert.deepEqual(gone.previousBlocksHash, edited.blocksHash)
})
