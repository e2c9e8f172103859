import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareVersions } from '../../../src/core/records/version-vector.ts'
import { PEER } from './sim-peer.ts'
import { ROOT, SimPull } from './sim-pull.ts'

test('the record of two concurrent deletions covers both versions', async () => {
  await using pull = await SimPull.start()
  const before = pull.peer.put('gone', 'content')
  await pull.sync()
  // Concurrent deletions; the remote one is later and wins.
  pull.disk.direct.remove(`${ROOT}/gone`)
  await pull.scan()
  const ours = (await pull.index.get('local', 'gone'))?.version ?? []
  pull.peer.put('gone', '', { basedOn: before.version, deleted: true, modifiedS: 4_000_000_000 })
  await pull.sync()
  const theirs = (await pull.index.get(PEER, 'gone'))?.version ?? []
  const kept = (await pull.index.get('local', 'gone'))?.version ?? []
  assert.match(compareVersions(ours, theirs), /^concurrent/)
  assert.equal(compareVersions(kept, ours), 'newer')
  assert.equal(compareVersions(kept, theirs), 'newer')
  await pull.assertSettled()
})
