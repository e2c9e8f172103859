import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SimFolder } from './sim-folder.ts'

test('scan: names not in NFC are renamed, with their contents', async () => {
  const folder = new SimFolder()
  folder.put('cafe\u0301/cre\u0300me')
  const result = await folder.scan()
  assert.deepEqual(result.problems, [])
  assert.deepEqual(folder.index.live, ['caf\u00e9', 'caf\u00e9/cr\u00e8me'])
})

test('scan: a name not in NFC is kept where the NFC name is in use, or renaming is disabled', async () => {
  const folder = new SimFolder()
  folder.put('e\u0301', 'decomposed')
  folder.put('\u00e9', 'composed')
  assert.deepEqual((await folder.scan()).problems, [
    { path: 'e\u0301', error: 'normalizing path: item has UTF8 encoding conflict with another item' },
  ])
  assert.deepEqual((await folder.scan({ autoNormalize: false })).problems, [
    { path: 'e\u0301', error: 'normalizing path: item is not in the correct UTF8 normalization form' },
  ])
  assert.deepEqual(folder.index.live, ['\u00e9'])
})

test('scan: an item created under the NFC name just before the rename is not replaced', async () => {
  for (const kind of ['file', 'directory'] as const) {
    const folder = new SimFolder()
    folder.put(kind === 'file' ? 'e\u0301' : 'e\u0301/inside', 'decomposed')
    const renameNew = folder.disk.renameNew.bind(folder.disk)
    folder.disk.renameNew = async (from, to) => {
      folder.put('\u00e9', 'made in between')
      await renameNew(from, to)
    }
    const { problems } = await folder.scan()
    assert.deepEqual(problems, [
      { path: 'e\u0301', error: 'normalizing path: item has UTF8 encoding conflict with another item' },
    ])
    assert.equal((await folder.disk.lstat('/f/\u00e9')).sizeBytes, 'made in between'.length)
    assert.equal((await folder.disk.lstat('/f/e\u0301')).type, kind)
  }
})

test('scan: on a case-insensitive disk another case of a name is a new item and the old one is deleted', async () => {
  const folder = new SimFolder({ caseInsensitive: true })
  folder.put('Photo')
  await folder.scan()
  await folder.disk.rename('/f/Photo', '/f/photo')
  await folder.scan()
  assert.deepEqual(folder.index.live, ['photo'])
  await folder.disk.rename('/f/photo', '/f/PHOTO')
  await folder.scan({ caseSensitive: true })
  assert.deepEqual(folder.index.live, ['PHOTO', 'photo'], 'a case-sensitive disk, by the setting: both are there')
})

test('N-03, N-09: names that are not valid UTF-8 are reported, pipes are skipped', async () => {
  const folder = new SimFolder()
  folder.disk.putInvalidName('/f', 'bad\\xff')
  folder.disk.putOther('/f/pipe')
  folder.put('good')
  const result = await folder.scan()
  assert.deepEqual(result.problems, [{ path: 'bad\\xff', error: 'scan: item is not in UTF8 encoding' }])
  assert.deepEqual(folder.index.live, ['good'])
})

test('scan: old temporary files are removed, recent ones are kept, none is indexed', async () => {
  const folder = new SimFolder()
  for (const [name, hours] of [
    ['.syncthing.old.tmp', 25],
    ['~syncthing~young.tmp', 23],
  ] as const) {
    folder.put(name)
    await folder.disk.setModified(`/f/${name}`, Math.floor(folder.clock.nowMs() / 1_000) - hours * 3_600, 0)
  }
  const left = async () =>
    (await folder.disk.list('/f')).map(({ name }) => name).filter((name) => name.includes('syncthing'))
  await folder.scan()
  assert.deepEqual(folder.index.live, [])
  assert.deepEqual(await left(), ['~syncthing~young.tmp'])
  await folder.scan({ keepTemporariesMs: 0, temporariesInUse: ['~syncthing~young.tmp'] })
  assert.deepEqual(await left(), ['~syncthing~young.tmp'])
  await folder.scan({ keepTemporariesMs: 0 })
  assert.deepEqual(await left(), [])
})
