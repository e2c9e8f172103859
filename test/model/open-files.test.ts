import assert from 'node:assert/strict'
import { renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { OpenFiles } from '../../src/model/open-files.ts'
import type { Disk, DiskFile } from '../../src/world/disk.ts'
import { realDisk } from '../../src/world/real/disk.ts'
import { scratchDirectory } from '../support/scratch.ts'

/** A disk that counts what is opened and what is closed. */
function counting(): { readonly disk: Disk; readonly opened: string[]; closed: number } {
  const counts = { opened: [] as string[], closed: 0 }
  const disk: Disk = {
    ...realDisk,
    open: async (path, mode) => {
      const file = await realDisk.open(path, mode)
      counts.opened.push(path)
      const close = file.close.bind(file)
      return Object.assign(file, { close: async () => { counts.closed++; await close() } })
    },
  }
  return Object.assign(counts, { disk })
}

async function textOf(file: DiskFile): Promise<string> {
  const bytes = new Uint8Array(64)
  return Buffer.from(bytes.subarray(0, await file.read(bytes, 0))).toString()
}

test('who reads at the same time shares one open file, and nothing stays open', async () => {
  using scratch = scratchDirectory()
  writeFileSync(join(scratch.path, 'a'), 'content')
  const counts = counting()
  const files = new OpenFiles(counts.disk)
  const choice = { root: scratch.path, name: 'a', edition: '1' }
  const texts = await Promise.all(Array.from({ length: 20 }, () => files.read(choice, textOf)))
  assert.deepEqual(texts, Array.from({ length: 20 }, () => 'content'))
  assert.equal(counts.opened.length, 1)
  assert.equal(counts.closed, 1)
  assert.equal(files.count, 0)
  assert.equal(await files.read(choice, textOf), 'content')
  assert.equal(counts.opened.length, 2)
  assert.equal(counts.closed, 2)
})

test('a reader that fails lets go like any other, and does not disturb those who read along', async () => {
  using scratch = scratchDirectory()
  writeFileSync(join(scratch.path, 'a'), 'content')
  const counts = counting()
  const files = new OpenFiles(counts.disk)
  const choice = { root: scratch.path, name: 'a', edition: '1' }
  const failing = files.read(choice, () => Promise.reject(new Error('no'))).catch(() => 'failed')
  assert.deepEqual(await Promise.all([failing, files.read(choice, textOf)]), ['failed', 'content'])
  assert.equal(counts.closed, 1)
  assert.equal(files.count, 0)
})

test('another edition of a name is another file, and who reads along hears how the file is now', async () => {
  using scratch = scratchDirectory()
  const path = join(scratch.path, 'a')
  writeFileSync(path, 'old')
  const files = new OpenFiles(realDisk)
  const choice = { root: scratch.path, name: 'a', edition: '1' }
  await files.read(choice, async (_, before) => {
    assert.equal(before.sizeBytes, 3)
    writeFileSync(path, 'grown')
    await files.read(choice, async (_, now) => assert.equal(now.sizeBytes, 5))
    writeFileSync(`${path}.new`, 'new')
    renameSync(`${path}.new`, path)
    assert.equal(await files.read(choice, textOf), 'grown')
    assert.equal(await files.read({ ...choice, edition: '2' }, textOf), 'new')
  })
  assert.equal(files.count, 0)
})

test('what is missing or behind a symlink is not there, also when the root was looked at before', async () => {
  using scratch = scratchDirectory()
  writeFileSync(join(scratch.path, 'a'), 'content')
  symlinkSync('a', join(scratch.path, 'link'))
  symlinkSync('.', join(scratch.path, 'again'))
  const files = new OpenFiles(realDisk)
  const read = (name: string) => files.read({ root: scratch.path, name, edition: '1' }, textOf)
  assert.equal(await read('a'), 'content')
  for (const name of ['missing', 'link', 'again/a']) assert.equal(await read(name), undefined, name)
  assert.equal(files.count, 0)
})

test('a root that now leads elsewhere is followed there', async () => {
  using scratch = scratchDirectory()
  using other = scratchDirectory()
  writeFileSync(join(scratch.path, 'a'), 'here')
  writeFileSync(join(other.path, 'a'), 'there')
  const root = join(other.path, 'root')
  symlinkSync(scratch.path, root)
  const files = new OpenFiles(realDisk)
  const choice = { root, name: 'a', edition: '1' }
  assert.equal(await files.read(choice, textOf), 'here')
  symlinkSync(other.path, `${root}.new`)
  renameSync(`${root}.new`, root)
  assert.equal(await files.read(choice, textOf), 'there')
})
