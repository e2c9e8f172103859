import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compactTime } from '../../../src/core/formats/local-time.ts'
import { DOCS } from '../../support/model.ts'
import { DAY_MS, keeping, keptVersions, listed, MINUTE_MS, restore, start } from './kept-versions.ts'
import { ROOT, SimPull } from './sim-pull.ts'

for (const type of ['trashcan', 'simple', 'staggered'] as const) {
  test(`${type}: replaced and deleted files are archived, and nothing else`, async () => {
    await using pull = await start(type)
    pull.peer.directory('d')
    pull.peer.put('d/f.txt', 'one')
    pull.peer.put('gone', 'bye')
    pull.peer.put('stays', 'same')
    pull.peer.symlink('link', 'f.txt')
    await pull.sync()
    assert.deepEqual(await keptVersions(pull), [])
    const nowMs = pull.hub.platform.clock.nowMs()
    pull.peer.put('d/f.txt', 'two')
    pull.peer.delete('gone')
    pull.peer.delete('link')
    await pull.sync()
    const tag = compactTime(nowMs)
    const expected = type === 'trashcan' ? ['d/f.txt=one', 'gone=bye'] : [`d/f~${tag}.txt=one`, `gone~${tag}=bye`]
    assert.deepEqual(await keptVersions(pull), expected)
    assert.equal(await pull.read('d/f.txt'), 'two')
    const wholeS = Math.floor(nowMs / 1_000) * 1_000
    assert.deepEqual(await listed(pull), { 'd/f.txt': [wholeS], gone: [wholeS] })
    assert.equal((await pull.index.records.get('local', '.stversions'))?.name, undefined)
    assert.deepEqual(await pull.errors(), [])
  })

  test(`${type}: a version is restored, the file it replaces is archived, and the change is announced`, async () => {
    await using pull = await start(type)
    pull.peer.directory('d')
    pull.peer.put('d/f', 'one')
    await pull.sync()
    const modified = await pull.disk.lstat(`${ROOT}/d/f`)
    await pull.hub.pass(MINUTE_MS)
    pull.peer.put('d/f', 'two')
    await pull.sync()
    const [versionMs = 0] = (await listed(pull))['d/f'] ?? []
    await pull.hub.pass(MINUTE_MS)
    assert.deepEqual(await restore(pull, 'd/f', versionMs), [])
    assert.equal(await pull.read('d/f'), 'one')
    if (type !== 'trashcan') assert.equal((await pull.disk.lstat(`${ROOT}/d/f`)).modifiedS, modified.modifiedS)
    assert.deepEqual(
      (await keptVersions(pull)).map((line) => line.split('=')[1]),
      ['two'],
    )
    assert.equal((await pull.index.records.get('local', 'd/f'))?.sizeBytes, 3)
    assert.deepEqual(await restore(pull, 'd/f', versionMs), [['d/f', `${type} versioner: restore: version not found`]])
    for (const name of ['../x', '/etc/passwd', '.stfolder/x', '.stversions/x', 'a//b', '']) {
      assert.deepEqual(await restore(pull, name, versionMs), [[name, `${type} versioner: restore: invalid file name`]])
    }
    await pull.assertSettled()
  })

  test(`${type}: a file that became a directory, and deletions inside it`, async () => {
    await using pull = await start(type)
    pull.peer.put('a', 'file')
    await pull.sync()
    await pull.hub.pass(MINUTE_MS)
    pull.peer.delete('a')
    pull.peer.directory('a')
    pull.peer.put('a/b', 'below')
    await pull.sync()
    assert.equal(await pull.read('a/b'), 'below')
    await pull.hub.pass(MINUTE_MS)
    pull.peer.delete('a/b')
    await pull.sync()
    assert.deepEqual((await keptVersions(pull)).map((line) => line.split('=')[1]).sort(), ['below', 'file'])
    const versions = await listed(pull)
    assert.deepEqual(Object.keys(versions).sort(), ['a', 'a/b'])
    assert.deepEqual(await restore(pull, 'a', versions['a']?.[0] ?? 0), [
      ['a', `${type} versioner: restore: cannot restore on top of a directory`],
    ])
    assert.deepEqual(await restore(pull, 'a/b', versions['a/b']?.[0] ?? 0), [])
    assert.equal(await pull.read('a/b'), 'below')
  })
}

test('simple: the configured number of newest versions is kept, and old ones are cleaned up', async () => {
  await using pull = await start('simple', { keep: '3', cleanoutDays: '1' })
  for (let i = 0; i <= 6; i++) {
    pull.peer.put('f', `v${i}`)
    await pull.sync()
    await pull.hub.pass(2_000)
  }
  assert.deepEqual(
    (await keptVersions(pull)).map((line) => line.split('=')[1]),
    ['v3', 'v4', 'v5'],
  )
  pull.disk.put(`${ROOT}/.stversions/by hand`, 'not ours')
  pull.disk.put(`${ROOT}/.stversions/d/.syncthing.x.tmp`, 'cut short')
  await pull.hub.pass(1.1 * DAY_MS)
  await pull.rest()
  assert.deepEqual(await keptVersions(pull), ['by hand=not ours'])
  assert.deepEqual(await pull.tree('.stversions'), ['.stversions/by hand'])
  assert.ok(pull.hub.states().includes('clean-waiting→cleaning'))
})

test('trashcan: files are removed after the configured time since their deletion', async () => {
  await using pull = await start('trashcan', { cleanoutDays: '2' })
  pull.peer.put('f', 'one')
  await pull.sync()
  await pull.hub.pass(3 * DAY_MS)
  pull.peer.delete('f')
  await pull.sync()
  await pull.hub.pass(1.5 * DAY_MS)
  assert.deepEqual(await keptVersions(pull), ['f=one'])
  await pull.hub.pass(DAY_MS)
  assert.deepEqual(await keptVersions(pull), [])
})

test('a file replaced twice within one second keeps both versions', async () => {
  await using pull = await start('simple')
  for (const content of ['one', 'two', 'three']) {
    pull.peer.put('f', content)
    await pull.sync()
  }
  assert.deepEqual(
    (await keptVersions(pull)).map((line) => line.split('=')[1]),
    ['one', 'two'],
  )
})

test('a file whose replacement failed has no version of itself', async () => {
  await using pull = await start('simple')
  pull.peer.put('f', 'one')
  await pull.sync()
  const { disk } = pull
  const exchange = disk.exchange.bind(disk)
  disk.exchange = async (from, to) => {
    if (to === `${ROOT}/f`) throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' })
    return await exchange(from, to)
  }
  pull.peer.put('f', 'two')
  await pull.sync()
  assert.equal(await pull.read('f'), 'one')
  assert.deepEqual(await keptVersions(pull), [])
  disk.exchange = exchange
  await pull.hub.pass(200_000)
  await pull.rest()
  assert.equal(await pull.read('f'), 'two')
  assert.deepEqual(
    (await keptVersions(pull)).map((line) => line.split('=')[1]),
    ['one'],
  )
})

test('a folder without a versioner reports that', async () => {
  await using pull = await SimPull.start()
  const refusal = { code: 'folder-error', message: 'folder has no versioner' }
  await assert.rejects(pull.hub.while(pull.hub.model.versions(DOCS)), refusal)
  await assert.rejects(pull.hub.while(pull.hub.model.restoreVersions(DOCS, new Map())), refusal)
})

test('a read-only file in a read-only directory is archived and replaced', async () => {
  await using pull = await SimPull.start({
    folder: { versioning: keeping('simple') },
    disk: { enforcePermissions: true },
  })
  pull.peer.directory('d')
  pull.peer.put('d/f', 'one')
  pull.peer.put('d/g', 'one')
  await pull.sync()
  await pull.disk.chmod(`${ROOT}/d/f`, 0o444)
  await pull.disk.chmod(`${ROOT}/d`, 0o555)
  await pull.scan()
  const local = await pull.index.records.get('local', 'd/f')
  assert.equal(local?.permissions, 0o444)
  pull.peer.delete('d/g')
  await pull.sync()
  assert.deepEqual(await pull.errors(), [])
  assert.deepEqual(
    (await keptVersions(pull)).map((line) => line.split('=')[1]),
    ['one'],
  )
})
