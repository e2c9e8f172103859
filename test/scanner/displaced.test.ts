/** A pull exchanges the names of the new file and the old one; a crash may leave the old one as a temporary file. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SimFolder } from './sim-folder.ts'

const TEMPORARY = '/f/.syncthing.a.tmp'

/** A folder whose device stopped after the exchange, before the old file was removed. */
async function interrupted(): Promise<SimFolder> {
  const folder = new SimFolder()
  folder.put('a', 'old content')
  await folder.scan()
  await folder.clock.advance(1_000, async () => {})
  folder.disk.put(TEMPORARY, 'the new content')
  assert.ok(await folder.disk.exchange(TEMPORARY, '/f/a'))
  return folder
}

async function isThere(folder: SimFolder): Promise<boolean> {
  return folder.disk.lstat(TEMPORARY).then(
    () => true,
    () => false,
  )
}

test('C-01 the file that an interrupted pull has replaced is removed with the next scan', async () => {
  const folder = await interrupted()
  await folder.scan()
  assert.equal(await isThere(folder), false)
  assert.equal(folder.index.records.get('a')?.sizeBytes, 'the new content'.length)
})

test('a temporary file that is not the recorded file stays: a user may have changed it in that instant', async () => {
  for (const change of [
    (folder: SimFolder) => folder.disk.put(TEMPORARY, 'old content, edited'),
    (folder: SimFolder) => folder.disk.direct.write(TEMPORARY, Buffer.from('OLD CONTENT')),
  ]) {
    const folder = await interrupted()
    change(folder)
    await folder.scan()
    assert.equal(await isThere(folder), true)
  }
})
