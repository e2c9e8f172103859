import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conflictOriginal, isTemporary } from '../../../src/core/paths.ts'
import { atEveryMoment, contents, KEEPING } from './every-moment.ts'
import { ROOT, SimPull } from './sim-pull.ts'

for (const [what, folder] of [
  ['a folder without versioning', {}],
  ['a folder with versioning', KEEPING],
] as const) {
  test(`an edit at any disk call of a remote deletion is kept, in ${what}`, async () => {
    const moments = await atEveryMoment(
      folder,
      ({ peer }) => peer.delete('f'),
      ({ disk }) => disk.direct.write(`${ROOT}/f`, Buffer.from('ours, edited')),
      async (pull) => {
        assert.ok((await contents(pull)).includes('ours, edited'))
        assert.deepEqual(
          (await pull.tree()).filter((name) => isTemporary(name)),
          [],
        )
      },
    )
    assert.ok(moments >= 3, `${moments} moments`)
  })
}

test('an edit at any disk call while a directory replaces the file is kept', async () => {
  let edited = false
  const moments = await atEveryMoment(
    {},
    ({ peer }) => peer.directory('f'),
    ({ disk }) => {
      edited = disk.direct.look(`${ROOT}/f`)?.type !== 'directory'
      if (edited) disk.direct.write(`${ROOT}/f`, Buffer.from('ours, edited'))
    },
    async (pull) => {
      assert.equal((await contents(pull)).includes('ours, edited'), edited)
    },
  )
  assert.ok(moments >= 3, `${moments} moments`)
})

test('an item created during the check is kept, and the edit becomes a conflict copy', async () => {
  await using pull = await SimPull.start()
  pull.peer.put('f', 'theirs')
  await pull.sync()
  pull.peer.delete('f')
  const { faults, direct } = pull.disk
  const check = faults.check.bind(faults)
  faults.check = (call, at) => {
    if (call === 'rename' && at === `${ROOT}/f`) direct.write(`${ROOT}/f`, Buffer.from('edited'))
    if (call === 'stat' && at.startsWith(`${ROOT}/.syncthing.f.`)) direct.write(`${ROOT}/f`, Buffer.from('made anew'))
    check(call, at)
  }
  await pull.sync()
  assert.deepEqual((await contents(pull)).toSorted(), ['edited', 'made anew'])
  assert.equal(await pull.read('f'), 'made anew')
  await pull.hub.pass(120_000)
  await pull.rest()
  await pull.assertSettled()
})

test('an edit of a conflict copy that is put back becomes a copy of the same original, and is counted', async () => {
  await using pull = await SimPull.start()
  const copy = 'f.sync-conflict-20200101-000000-ABCDEFG.txt'
  pull.peer.put(copy, 'theirs')
  await pull.sync()
  pull.peer.delete(copy)
  const { faults, direct } = pull.disk
  const check = faults.check.bind(faults)
  faults.check = (call, at) => {
    if (call === 'rename' && at === `${ROOT}/${copy}`) direct.write(at, Buffer.from('edited'))
    if (call === 'stat' && at.startsWith(`${ROOT}/.syncthing.f.`)) direct.write(`${ROOT}/${copy}`, Buffer.from('anew'))
    check(call, at)
  }
  await pull.sync()
  const [kept, ...others] = (await pull.tree()).filter((name) => name !== copy)
  assert.deepEqual([conflictOriginal(kept ?? ''), others], ['f.txt', []])
  const work = pull.hub.statistics.work.all().get('docs')
  assert.equal(work?.conflicts, 1)
})

test('a remotely deleted symlink is removed, unless its target has changed', async () => {
  await using pull = await SimPull.start()
  pull.peer.symlink('gone', 'a')
  pull.peer.symlink('kept', 'a')
  await pull.sync()
  for (const name of ['gone', 'kept']) pull.peer.delete(name)
  const { faults, direct } = pull.disk
  const check = faults.check.bind(faults)
  faults.check = (call, at) => {
    if (call === 'rename' && at === `${ROOT}/kept` && direct.look(at)?.type === 'symlink') {
      faults.check = check
      direct.remove(at)
      direct.makeSymlink('b', at)
    }
    check(call, at)
  }
  await pull.sync()
  assert.deepEqual(await pull.tree(), ['kept -> b'])
})
