import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareVersions } from '../../../src/core/records/version-vector.ts'
import type { ShortId } from '../../../src/core/ids.ts'
import { PEER } from './sim-peer.ts'
import { ROOT, SimPull } from './sim-pull.ts'

test('the record of two concurrent deletions covers both versions', async () => {
  await using pull = await SimPull.start()
  const before = pull.peer.put('gone', 'content')
  await pull.sync()
  // Concurrent deletions; the remote one is later and wins.
  pull.disk.direct.remove(`${ROOT}/gone`)
  await pull.scan()
  const ours = (await pull.index.records.get('local', 'gone'))?.version ?? []
  pull.peer.put('gone', '', { basedOn: before.version, deleted: true, modifiedS: 4_000_000_000 })
  await pull.sync()
  const theirs = (await pull.index.records.get(PEER, 'gone'))?.version ?? []
  const kept = (await pull.index.records.get('local', 'gone'))?.version ?? []
  assert.match(compareVersions(ours, theirs), /^concurrent/)
  assert.equal(compareVersions(kept, ours), 'newer')
  assert.equal(compareVersions(kept, theirs), 'newer')
  await pull.assertSettled()
})

/** A file that we edited and the peer deleted later, without having received the edit. */
async function contest(type: 'sendreceive' | 'sendonly' | 'receiveonly'): Promise<SimPull> {
  const pull = await SimPull.start({ folder: { type } })
  const before = pull.peer.put('a', 'content')
  await pull.index.records.updateLocal([{ ...before, version: EDITED }])
  await pull.write('a', 'content')
  await pull.disk.setModified(`${ROOT}/a`, before.modifiedS, before.modifiedNs)
  pull.peer.put('a', '', { basedOn: before.version, deleted: true, modifiedS: before.modifiedS + 60 })
  await pull.sync()
  return pull
}

const EDITED = [{ device: 1n as ShortId, value: 7n }]

for (const type of ['sendreceive', 'sendonly'] as const) {
  test(`${type}: a file that another device deleted later without having received the edit is kept`, async () => {
    await using pull = await contest(type)
    const kept = (await pull.index.records.get('local', 'a'))!
    const deleted = (await pull.index.records.get(PEER, 'a'))!
    assert.equal(compareVersions(kept.version, deleted.version), 'newer')
    assert.equal(compareVersions(kept.version, EDITED), 'newer')
    assert.deepEqual([kept.deleted, kept.contestedBy], [false, deleted.modifiedBy])
    assert.deepEqual(await pull.tree(), ['a'])
    assert.deepEqual(await pull.index.needs.contested({ afterName: '', limit: 9 }), [])
    await pull.assertSettled()
  })
}

test('receiveonly: no version is written against a deletion', async () => {
  await using pull = await contest('receiveonly')
  assert.deepEqual((await pull.index.records.get('local', 'a'))?.version, EDITED)
  assert.deepEqual(await pull.index.needs.contested({ afterName: '', limit: 9 }), ['a'])
})
