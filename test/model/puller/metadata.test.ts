import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atEveryMoment, contents } from './every-moment.ts'
import { ROOT, SimPull } from './sim-pull.ts'

const METADATA = [
  ['another time', { modifiedS: 1_600_000_000 }],
  ['another mode', { permissions: 0o600 }],
] as const

for (const [what, options] of METADATA) {
  for (const EDIT of ['edited', 'edited, longer'])
    test(`an edit of ${EDIT.length} bytes at any disk call while the file gets ${what} is found`, async () => {
      const moments = await atEveryMoment(
        {},
        ({ peer }) => peer.put('f', 'theirs', options),
        ({ disk }) => disk.direct.write(`${ROOT}/f`, Buffer.from(EDIT)),
        async (pull) => {
          assert.deepEqual(await contents(pull), [EDIT])
          const { sizeBytes, blocksHash } = (await pull.index.records.get('local', 'f'))!
          const theirs = pull.peer.records.get('f')!
          assert.equal(sizeBytes, EDIT.length)
          assert.notEqual(Buffer.compare(blocksHash!, theirs.blocksHash!), 0, 'the edit is not in the index')
        },
      )
      assert.ok(moments >= 4, `${moments} moments`)
    })
}

test('a new time is verified by one hash at the next scan, and nothing is announced', async () => {
  await using pull = await SimPull.start()
  pull.peer.put('f', 'theirs')
  await pull.sync()
  pull.peer.put('f', 'theirs', { modifiedS: 1_600_000_000 })
  await pull.sync()
  assert.equal((await pull.disk.lstat(`${ROOT}/f`)).modifiedS, 1_600_000_000)
  await pull.assertSettled()
})

test('a directory whose permissions the umask leaves is made with them, a private one is made private', async () => {
  await using pull = await SimPull.start()
  const { makeDirectory, chmod } = pull.disk
  const calls: string[] = []
  pull.disk.makeDirectory = async (path, permissions) => {
    if (path.startsWith(ROOT)) calls.push(`mkdir ${path.slice(ROOT.length + 1)} ${permissions.toString(8)}`)
    await makeDirectory.call(pull.disk, path, permissions)
  }
  pull.disk.chmod = async (path, mode) => {
    calls.push(`chmod ${path.slice(ROOT.length + 1)} ${(mode & 0o777).toString(8)}`)
    await chmod.call(pull.disk, path, mode)
  }
  pull.peer.directory('usual', { permissions: 0o755 })
  pull.peer.directory('private', { permissions: 0o700 })
  pull.peer.directory('wide', { permissions: 0o777 })
  pull.peer.directory('usual/inner', { permissions: 0o555 })
  await pull.sync()
  assert.deepEqual(calls.sort(), [
    'chmod wide 777',
    'mkdir private 700',
    'mkdir usual 755',
    'mkdir usual/inner 555',
    'mkdir wide 777',
  ])
  await pull.assertSettled()
})
