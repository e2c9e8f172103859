import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ROOT, SimPull } from './sim-pull.ts'

test('files in a directory created on demand survive a power loss', async () => {
  await using pull = await SimPull.start()
  pull.disk.syncAll()
  pull.peer.put('a/b/f', 'theirs') // its parent directories are not announced
  await pull.sync()
  assert.notEqual(await pull.index.records.get('local', 'a/b/f'), undefined)
  pull.disk.crash('nothing')
  assert.equal(pull.disk.direct.look(`${ROOT}/a/b/f`)?.content.length, 'theirs'.length)
})
