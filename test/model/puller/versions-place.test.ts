import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS, listed, restore, start } from './kept-versions.ts'
import { ROOT } from './sim-pull.ts'

for (const type of ['trashcan', 'simple', 'staggered'] as const) {
  test(`${type}: a symlink among the versions is never followed`, async () => {
    await using pull = await start(type)
    pull.peer.directory('d')
    pull.peer.put('d/f', 'one')
    pull.peer.put('e', 'one')
    await pull.sync()
    pull.disk.put('/outside/canary', 'untouched')
    await pull.disk.makeDirectory(`${ROOT}/.stversions`, 0o755)
    await pull.disk.makeSymlink('/outside', `${ROOT}/.stversions/d`)
    const outside: string[] = []
    using _listener = pull.disk.subscribe(({ path }) => void (path.startsWith('/outside') && outside.push(path)))
    pull.peer.put('d/f', 'two')
    await pull.sync()
    assert.deepEqual(await pull.errors(), ['d/f: syncing: traverses symlink: d'])
    assert.equal(await pull.read('d/f'), 'one')
    await pull.hub.pass(2 * 3_600_000)
    await pull.rest()
    assert.deepEqual(await listed(pull), {})
    assert.deepEqual(await restore(pull, 'd/canary', 0), [
      ['d/canary', `${type} versioner: restore: version not found`],
    ])
    assert.deepEqual(outside, [])
    assert.deepEqual(
      (await pull.disk.list('/outside')).map(({ name }) => name),
      ['canary'],
    )
  })

  test(`${type}: a versions directory that is a symlink, or contains the folder itself, is not used`, async () => {
    for (const [fsPath, reason] of [
      ['', 'is a symlink'],
      ['..', 'contains the folder itself'],
      ['.', 'contains the folder itself'],
      ['/', 'contains the folder itself'],
    ] as const) {
      await using pull = await start(type, { cleanoutDays: '1', maxAge: '1' }, { fsPath })
      pull.disk.put('/outside/canary', 'untouched')
      await pull.disk.makeSymlink('/outside', `${ROOT}/.stversions`)
      pull.peer.put('f', 'one')
      await pull.sync()
      pull.peer.delete('f')
      await pull.sync()
      assert.equal((await pull.errors()).length, 1)
      assert.match((await pull.errors())[0] ?? '', new RegExp(`^f: syncing: versions directory .* ${reason}$`))
      assert.equal(await pull.read('f'), 'one')
      await pull.hub.pass(fsPath === '..' ? 1.1 * DAY_MS : 2 * 3_600_000)
      await pull.rest()
      assert.equal(await pull.read('f'), 'one')
      assert.deepEqual(
        (await pull.disk.list('/outside')).map(({ name }) => name),
        ['canary'],
      )
    }
  })

  test(`${type}: the path of the versions directory is configurable`, async () => {
    for (const [fsPath, place] of [
      ['/vault/docs', '/vault/docs'],
      ['../vers', '/data/vers'],
      ['~/old', '/home/me/old'],
    ] as const) {
      await using pull = await start(type, {}, { fsPath })
      pull.peer.directory('d')
      pull.peer.put('d/f', 'one')
      await pull.sync()
      pull.peer.delete('d/f')
      await pull.sync()
      assert.equal((await pull.disk.list(`${place}/d`)).length, 1)
      const [versionMs = 0] = (await listed(pull))['d/f'] ?? []
      assert.deepEqual(await restore(pull, 'd/f', versionMs), [])
      assert.equal(await pull.read('d/f'), 'one')
    }
  })

  test(`${type}: hard links to another disk are not possible, so content is copied`, async () => {
    await using pull = await start(type, {}, { fsPath: '/vault' })
    const { disk } = pull
    const crosses = (from: string, to: string) => from.startsWith('/vault') !== to.startsWith('/vault')
    for (const call of ['rename', 'renameNew', 'linkNew'] as const) {
      const real = disk[call].bind(disk)
      disk[call] = async (from, to) => {
        if (crosses(from, to)) throw Object.assign(new Error('EXDEV: cross-device link'), { code: 'EXDEV' })
        await real(from, to)
      }
    }
    pull.peer.put('f', 'one')
    pull.peer.put('g', 'one')
    await pull.sync()
    pull.peer.put('f', 'two')
    pull.peer.delete('g')
    await pull.sync()
    assert.deepEqual(await pull.errors(), [])
    assert.equal((await disk.list('/vault')).length, 2)
    const versions = await listed(pull)
    assert.deepEqual(await restore(pull, 'f', versions['f']?.[0] ?? 0), [])
    assert.deepEqual(await restore(pull, 'g', versions['g']?.[0] ?? 0), [])
    assert.deepEqual([await pull.read('f'), await pull.read('g')], ['one', 'one'])
    await pull.assertSettled()
  })
}
