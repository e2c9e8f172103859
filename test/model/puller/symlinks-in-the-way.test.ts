import assert from 'node:assert/strict'
import { test } from 'node:test'
import { temporaryName } from '../../../src/core/paths.ts'
import { ROOT, SimPull } from './sim-pull.ts'

test('N-05: nothing is written, removed or read through a symlink, local or received', async () => {
  await using pull = await SimPull.start({
    arrange: async (disk) => {
      disk.put('/outside/canary', 'untouched')
      disk.put('/outside/victim', 'untouched')
      await disk.makeSymlink('/outside', `${ROOT}/ours`)
    },
  })
  for (const [name, target] of [
    ['abs', '/outside'],
    ['up', '../../outside'],
    ['loop', 'loop'],
    ['long', 'x'.repeat(4_000)],
    ['dangling', 'nowhere'],
  ] as const) {
    pull.peer.symlink(name, target)
    pull.peer.put(`${name}/canary`, 'evil')
    pull.peer.put(`${name}/new`, 'evil')
  }
  pull.peer.put('ours/new', 'evil')
  const outside: string[] = []
  using _listener = pull.disk.subscribe(({ path }) => void (path.startsWith('/outside') && outside.push(path)))
  await pull.sync()
  assert.deepEqual(outside, [])
  assert.deepEqual((await pull.disk.list('/outside')).map(({ name }) => name).sort(), ['canary', 'victim'])
  assert.equal((await pull.errors()).length, 11)
  console.log(JSON.stringify({ id: 'N-05', tried: 11, escapes: outside.length }))
})

test('N-05: a directory is swapped for a symlink during the download of its file', async () => {
  await using pull = await SimPull.start({ arrange: (disk) => disk.put('/outside/f', 'untouched') })
  pull.peer.directory('d')
  await pull.sync()
  pull.peer.serve = async (_request, data) => {
    await pull.disk.rename(`${ROOT}/d`, `${ROOT}/moved`)
    await pull.disk.makeSymlink('/outside', `${ROOT}/d`)
    return data
  }
  pull.peer.put('d/f', 'evil')
  const outside: string[] = []
  using _listener = pull.disk.subscribe(({ path }) => void (path.startsWith('/outside') && outside.push(path)))
  await pull.announce()
  for (let i = 0; i < 200; i++) await pull.hub.pass(0)
  assert.deepEqual(outside, [])
})

test('N-06: a temporary name is occupied by a symlink, a pipe or a directory', async () => {
  const name = temporaryName('f', 'linux')
  const takers: readonly [string, (pull: SimPull) => void | Promise<void>, boolean][] = [
    ['symlink', (pull) => pull.disk.makeSymlink('/outside/canary', `${ROOT}/${name}`), true],
    ['pipe', (pull) => pull.disk.putOther(`${ROOT}/${name}`), true],
    ['file', (pull) => pull.disk.put(`${ROOT}/${name}`, 'left over and longer than the file'), true],
    ['directory', (pull) => pull.disk.makeDirectory(`${ROOT}/${name}`, 0o755), false],
  ]
  for (const [what, take, works] of takers) {
    await using pull = await SimPull.start({ arrange: (disk) => disk.put('/outside/canary', 'untouched') })
    await take(pull)
    pull.peer.put('f', 'content')
    await pull.sync()
    if (works) assert.equal(await pull.read('f'), 'content', what)
    else assert.equal((await pull.errors()).length, 1)
    await using canary = await pull.disk.open('/outside/canary', 'read')
    const data = Buffer.alloc(20)
    assert.equal(data.subarray(0, await canary.read(data, 0)).toString(), 'untouched')
  }
  console.log(JSON.stringify({ id: 'N-06', tried: takers.length, escapes: 0, hangs: 0 }))
})
