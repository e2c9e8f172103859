import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FileInfo } from '../../../src/core/records/file-info.ts'
import { temporaryName } from '../../../src/core/paths.ts'
import { DOCS } from '../../support/model.ts'
import { recordFor } from './sim-peer.ts'
import { ROOT, SimPull } from './sim-pull.ts'

const BLOCK = 131_072
const MINUTE_MS = 60_000

for (const kind of ['file', 'symlink'] as const) {
  test(`a file created just before a new ${kind} is renamed into place is not replaced`, async () => {
    await using pull = await SimPull.start()
    if (kind === 'file') pull.peer.put('f', 'of the other device')
    else pull.peer.symlink('f', 'elsewhere')
    const { disk } = pull
    const renames = { rename: disk.rename.bind(disk), renameNew: disk.renameNew.bind(disk) }
    let made = 0
    for (const call of ['rename', 'renameNew'] as const) {
      disk[call] = async (from, to) => {
        if (to === `${ROOT}/f` && made++ === 0) await pull.write('f', 'of the user')
        await renames[call](from, to)
      }
    }
    await pull.sync()
    await pull.hub.pass(2 * MINUTE_MS)
    await pull.rest()
    assert.equal(made > 0, true)
    const kept = (await pull.tree()).filter((path) => !path.includes(' -> '))
    const contents = await Promise.all(kept.map((path) => pull.read(path)))
    assert.ok(contents.includes('of the user'), contents.join())
    await pull.assertSettled()
  })
}

test('a finished file that a crash left under both names is not written to', async () => {
  await using pull = await SimPull.start()
  pull.peer.put('f', 'a'.repeat(2 * BLOCK))
  await pull.sync()
  // The simulated disk has no hard links: this name opens the same file.
  const secondName = `${ROOT}/${temporaryName('f', 'linux')}`
  await pull.write(temporaryName('f', 'linux'), 'a'.repeat(2 * BLOCK))
  const { modifiedS, modifiedNs } = await pull.disk.lstat(`${ROOT}/f`)
  await pull.disk.setModified(secondName, modifiedS, modifiedNs)
  const open = pull.disk.open.bind(pull.disk)
  const written: number[] = []
  pull.disk.open = async (path, mode, permissions) => {
    if (path !== secondName || mode !== 'write') return await open(path, mode, permissions)
    const file = await open(`${ROOT}/f`, mode, permissions)
    file.write = async (data) => void written.push(data.length)
    return file
  }
  pull.peer.put('f', 'a'.repeat(BLOCK) + 'b'.repeat(BLOCK))
  await pull.sync()
  assert.deepEqual(written, [])
  assert.equal(await pull.read('f'), 'a'.repeat(BLOCK) + 'b'.repeat(BLOCK))
  await pull.assertSettled()
})

test('C-05: a full disk fails single files, tears none, and the pull completes when space is free', async () => {
  await using pull = await SimPull.start({
    disk: { capacityBytes: 3_000_000 },
    arrange: (disk) => disk.put('/data/ballast', Buffer.alloc(2_200_000)),
  })
  const files = new Map(Array.from({ length: 20 }, (_, i) => [`f${i}`, Buffer.alloc(100_000, i + 1)]))
  for (const [name, content] of files) pull.peer.put(name, content)
  await pull.sync()
  const failed = await pull.errors()
  assert.ok(
    failed.length > 0 && failed.every((line) => /^f\d+: syncing: no space left on device$/.test(line)),
    failed[0],
  )
  let torn = 0
  for (const name of (await pull.tree()).filter((each) => files.has(each)))
    if ((await pull.read(name)) !== files.get(name)!.toString('latin1')) torn++
  assert.equal((await pull.needed()).length, failed.length)
  await pull.disk.removeFile('/data/ballast')
  await pull.hub.pass(3 * MINUTE_MS)
  await pull.rest()
  for (const [name, content] of files) assert.equal(await pull.read(name), content.toString('latin1'))
  console.log(JSON.stringify({ id: 'C-05', tried: files.size, failed: failed.length, torn }))
  assert.equal(torn, 0)
  await pull.assertSettled()
})

test('a folder below its minimum of free space reports the shortage', async () => {
  await using pull = await SimPull.start({ folder: { minDiskFree: { value: 100, unit: '%' } } })
  pull.peer.put('f', 'x')
  await pull.sync()
  assert.match(
    (await pull.errors())[0] ?? '',
    /^f: syncing: insufficient space in folder The docs \(\/data\/docs\): 1 B do not fit: .* and 100 % must stay free$/,
  )
})

for (const caseInsensitive of [false, true])
  test(`N-01: invalid names never reach the disk${caseInsensitive ? ' that folds names' : ''}`, async () => {
    await using pull = await SimPull.start({
      disk: { caseInsensitive },
      arrange: (disk) => disk.put('/data/canary', 'untouched'),
    })
    const hostile = [
      '../canary',
      '..',
      '.',
      '/data/canary',
      'a/../../canary',
      'a//b',
      './a',
      'a/.',
      '.stfolder/x',
      '.stignore',
      '.stversions/x',
      'x/\0y',
      '.syncthing.x.tmp',
      'a/~syncthing~x.tmp',
      // Other spellings, which some disks take for the same names.
      '.STIGNORE',
      '.Stversions/x',
      '.\u017ftfolder',
      'STIGNO~1',
      '.SYNCTHING.x.tmp',
      'a/~Syncthing~x.tmp',
      'a/.Syncthing.d/x',
    ]
    const records: FileInfo[] = hostile.map((name, i) => ({
      ...recordFor(name, 'evil', [{ device: 9n as never, value: 1n }]),
      sequence: i + 1,
    }))
    for (const record of records) {
      pull.peer.records.set(record.name, record)
      pull.peer.contents.set(record.name, Buffer.from('evil'))
    }
    const touched: string[] = []
    using _listener = pull.disk.subscribe(({ path }) => void touched.push(path))
    await pull.sync()
    assert.deepEqual(touched, [])
    assert.deepEqual(await pull.tree(), [])
    console.log(
      JSON.stringify({
        id: 'N-01',
        tried: hostile.length,
        refused: (await pull.errors()).length,
        touched: touched.length,
      }),
    )
    assert.equal((await pull.errors()).length, hostile.length)
  })

test('C-08: a failing index is an error of the folder, and nothing is reported as in sync', async () => {
  await using pull = await SimPull.start()
  pull.peer.put('f', 'x')
  const { updateLocal } = pull.index.records
  Object.defineProperty(pull.index.records, 'updateLocal', {
    configurable: true,
    value: async () => {
      throw new Error('index failure')
    },
  })
  await pull.sync()
  const { state, error } = await pull.hub.model.status(DOCS)
  assert.deepEqual([state, error], ['error', 'index failure'])
  assert.deepEqual(await pull.errors(), [])
  assert.deepEqual(await pull.needed(), ['f'])
  Object.defineProperty(pull.index.records, 'updateLocal', { configurable: true, value: updateLocal })
  await pull.hub.pass(MINUTE_MS)
  await pull.rest()
  assert.deepEqual(await pull.needed(), [])
  console.log(JSON.stringify({ id: 'C-08', tried: 1, wrongInSync: 0 }))
})
