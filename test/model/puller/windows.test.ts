import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ROOT, SimPull } from './sim-pull.ts'

const HOSTILE = ['..\\..\\escaped', 'a:stream', 'dir/CON', 'aux.txt', 'dot.', 'space /x', 'C:\\absolute']

test('names that Windows cannot have are refused with the remedy, and nothing is written for them', async () => {
  await using pull = await SimPull.start({ system: 'win32' })
  for (const name of HOSTILE) pull.peer.put(name, 'theirs')
  pull.peer.put('plain', 'theirs')
  await pull.sync()
  assert.deepEqual(await pull.tree(), ['plain'])
  const errors = await pull.errors()
  assert.deepEqual(errors.map((line) => line.slice(0, line.indexOf(': '))).sort(), [...HOSTILE].sort())
  for (const line of errors) assert.match(line, /rename the item on another device, or ignore it here$/)
})

test('a deletion of a name that Windows cannot have is recorded, and no error is left', async () => {
  await using pull = await SimPull.start({ system: 'win32' })
  pull.peer.put('a:b', 'theirs')
  await pull.sync()
  assert.equal((await pull.errors()).length, 1)
  pull.peer.delete('a:b')
  await pull.sync()
  await pull.assertSettled()
})

test('permission bits of other devices are kept on Windows, whatever its disk shows', async () => {
  await using pull = await SimPull.start({ system: 'win32' })
  pull.peer.put('run.sh', 'theirs', { permissions: 0o755 })
  await pull.sync()
  const path = `${ROOT}/run.sh`
  await pull.disk.chmod(path, 0o666)
  await pull.assertSettled()
  await pull.disk.direct.write(path, Buffer.from('edited here'))
  await pull.disk.chmod(path, 0o444)
  await pull.scan()
  const edited = (await pull.index.records.get('local', 'run.sh'))!
  assert.equal(edited.sizeBytes, 'edited here'.length)
  assert.deepEqual([edited.permissions, edited.noPermissions], [0o755, false])

  await pull.write('new.txt', 'made here')
  await pull.scan()
  assert.equal((await pull.index.records.get('local', 'new.txt'))!.noPermissions, true, 'a new file announces none')
})

test('a file that another program has open is an error with the remedy, and is tried again', async () => {
  await using pull = await SimPull.start({ system: 'win32' })
  pull.peer.put('report.doc', 'one')
  await pull.sync()
  pull.peer.put('report.doc', 'two')
  pull.disk.faults.add({ call: 'rename', under: ROOT, code: 'EBUSY', times: Infinity })
  await pull.sync()
  assert.match((await pull.errors()).join(), /^report\.doc: .*another program has it open; close it there/)
  assert.equal(await pull.read('report.doc'), 'one')
})

test('an error of Windows without a name is one of the item, and the others are pulled', async () => {
  await using pull = await SimPull.start({ system: 'win32' })
  for (const name of ['a', 'b', 'c']) pull.peer.put(name, 'theirs')
  const open = pull.disk.open.bind(pull.disk)
  pull.disk.open = async (path, ...rest) => {
    if (path.includes('~syncthing~b'))
      throw Object.assign(new Error('UNKNOWN: unknown error, open'), { code: 'UNKNOWN' })
    return await open(path, ...rest)
  }
  await pull.sync()
  assert.deepEqual(await pull.tree(), ['a', 'c'])
  assert.equal((await pull.errors()).length, 1)
})
