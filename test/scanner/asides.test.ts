/** A pull moves items aside before it removes or replaces them; a crash may leave them there. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isConflictName } from '../../src/core/paths.ts'
import { SimFolder } from './sim-folder.ts'

const ASIDE = '/f/d/.syncthing.a.0123456789abcdef.aside'

/** A folder with a recorded file. */
async function scanned(): Promise<SimFolder> {
  const folder = new SimFolder()
  folder.put('d/a', 'old content')
  await folder.scan()
  await folder.clock.advance(1_000, async () => {})
  return folder
}

/** The device stopped after the exchange, before the old file was removed. */
async function replaced(): Promise<SimFolder> {
  const folder = await scanned()
  folder.disk.put(ASIDE, 'the new content')
  assert.ok(await folder.disk.exchange(ASIDE, '/f/d/a'))
  return folder
}

async function contentsOf(folder: SimFolder): Promise<Readonly<Record<string, string>>> {
  const files = [...folder.disk.direct.tree('/f/d')].map(
    ([path, { content }]) => [isConflictName(path) ? 'copy' : path, Buffer.from(content).toString()] as const,
  )
  return Object.fromEntries(files)
}

test('C-01 the file that an interrupted pull has replaced is removed with the next scan', async () => {
  const folder = await replaced()
  await folder.scan()
  assert.deepEqual(await contentsOf(folder), { a: 'the new content' })
  assert.equal(folder.index.records.get('d/a')?.sizeBytes, 'the new content'.length)
})

test('C-01 a time that was set less exactly than the record has it is no change, a later one is', async () => {
  for (const [apartNs, expected] of [
    [900, { a: 'the new content' }],
    [5_000, { a: 'the new content', copy: 'old content' }],
  ] as const) {
    const folder = await replaced()
    const { modifiedS, modifiedNs } = await folder.disk.lstat(ASIDE)
    await folder.disk.setModified(ASIDE, modifiedS, modifiedNs + apartNs)
    await folder.scan()
    assert.deepEqual(await contentsOf(folder), expected)
  }
})

test('C-01 a file changed in the instant of its replacement is a conflict copy after a crash', async () => {
  for (const edited of ['old content, edited', 'OLD CONTENT']) {
    const folder = await replaced()
    folder.disk.direct.write(ASIDE, Buffer.from(edited))
    await folder.scan({ keepTemporariesMs: 0 })
    assert.deepEqual(await contentsOf(folder), { a: 'the new content', copy: edited })
    const copy = [...folder.index.records.values()].find(({ name }) => isConflictName(name))
    assert.deepEqual([copy?.deleted, copy?.sizeBytes], [false, edited.length], 'recorded by the same scan')
  }
})

test('C-01 an item that was moved aside gets its name back after a crash, changed or not', async () => {
  for (const content of ['old content', 'old content, edited']) {
    const folder = await scanned()
    await folder.disk.rename('/f/d/a', ASIDE)
    if (content !== 'old content') folder.disk.direct.write(ASIDE, Buffer.from(content))
    await folder.scan()
    assert.deepEqual(await contentsOf(folder), { a: content })
    const { deleted, sizeBytes } = folder.index.records.get('d/a') ?? {}
    assert.deepEqual([deleted, sizeBytes], [false, content.length])
  }
})

test('C-01 the first part of a long name is not taken for the name of the item', async () => {
  const folder = await scanned()
  await folder.disk.rename('/f/d/a', ASIDE.replace('.aside', '.cut.aside'))
  await folder.scan()
  assert.deepEqual(await contentsOf(folder), { copy: 'old content' })
})

test('C-07 an item aside that cannot be renamed is a problem, and is kept by the next scan', async () => {
  const folder = await replaced()
  folder.disk.direct.write(ASIDE, Buffer.from('edited'))
  folder.disk.fail({ call: 'rename', code: 'EIO', times: 1, under: '/f' })
  const { problems } = await folder.scan()
  assert.equal(problems.length, 1)
  assert.match(problems[0]!.error, /^keeping a changed file: /)
  await folder.scan()
  assert.deepEqual(await contentsOf(folder), { a: 'the new content', copy: 'edited' })
})
