import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { ExtensionSettings } from '../../src/config/extension-settings.ts'
import { EXTENSIONS, folderExtensions, FOLDER_EXTENSIONS } from '../../src/core/config/extensions.ts'
import type { FolderId } from '../../src/core/ids.ts'
import { nodeDisk } from '../../src/platform/node/disk/disk.ts'

const PHOTOS = 'photos' as FolderId
let home = ''

before(async () => void (home = await mkdtemp(join(tmpdir(), 'extensions-'))))
after(async () => await rm(home, { recursive: true, force: true }))

test('without a file all settings are the defaults, and none is written', async () => {
  const path = join(home, 'none.json')
  const settings = await ExtensionSettings.open(nodeDisk, path)
  assert.deepEqual(settings.current, EXTENSIONS)
  await assert.rejects(stat(path), { code: 'ENOENT' })
})

test('a change is saved before subscribers see it, readable by the owner only', async () => {
  const path = join(home, 'changed.json')
  const settings = await ExtensionSettings.open(nodeDisk, path)
  const seen: unknown[] = []
  settings.subscribe(async (from, to) => {
    const saved: unknown = JSON.parse(await readFile(path, 'utf8'))
    seen.push([from.drive, to.drive, saved])
  })
  await settings.change({ drive: true, folders: { photos: { collect: true } } })
  const saved = { ...EXTENSIONS, drive: true, folders: { photos: { ...FOLDER_EXTENSIONS, collect: true } } }
  assert.deepEqual(seen, [[false, true, saved]])
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  const again = await ExtensionSettings.open(nodeDisk, path)
  assert.deepEqual(again.current, saved)
  assert.deepEqual(folderExtensions(again.current, PHOTOS), { ...FOLDER_EXTENSIONS, collect: true })
  assert.deepEqual(folderExtensions(again.current, '__proto__' as FolderId), FOLDER_EXTENSIONS)
})

test('a folder with the defaults leaves the file', async () => {
  const path = join(home, 'removed.json')
  const settings = await ExtensionSettings.open(nodeDisk, path)
  await settings.change({ folders: { photos: { sharedIgnores: true } } })
  await settings.change({ folders: { photos: { sharedIgnores: false } } })
  assert.deepEqual(JSON.parse(await readFile(path, 'utf8')), EXTENSIONS)
})

test('fields of a later version stay in the file', async () => {
  const path = join(home, 'later.json')
  await writeFile(path, '{"future": 7, "folders": {"photos": {"later": "on"}}}')
  const settings = await ExtensionSettings.open(nodeDisk, path)
  await settings.change({ drive: true })
  assert.deepEqual(JSON.parse(await readFile(path, 'utf8')), {
    ...EXTENSIONS,
    future: 7,
    drive: true,
    folders: { photos: { later: 'on', ...FOLDER_EXTENSIONS } },
  })
})

const DAMAGED = [
  '',
  '{',
  '[]',
  'null',
  '{"drive": "yes"}',
  '{"folders": []}',
  '{"folders": {"a": {"collect": 1}}}',
  '{"folders": {"a": {"versionsPercentMax": 101}}}',
  '{"folders": {"a": {"merge": "maybe"}}}',
  '{"folders": {"a": {"mergeUnion": ["!x"]}}}',
  '{"folders": {"a": {"mergePrograms": {"*.json": ["sh"]}}}}',
]

test('a damaged file is refused with the reason and left unchanged', async () => {
  const path = join(home, 'damaged.json')
  for (const content of DAMAGED) {
    await writeFile(path, content)
    await assert.rejects(ExtensionSettings.open(nodeDisk, path), (error: Error & { code: string }) => {
      assert.equal(error.code, 'config-invalid')
      assert.match(error.message, /damaged\.json: .*Nothing was changed; correct it, or remove it/)
      return true
    })
    assert.equal(await readFile(path, 'utf8'), content)
  }
})

test('a change that cannot be saved changes nothing', async () => {
  const settings = await ExtensionSettings.open(nodeDisk, join(home, 'missing', 'settings.json'))
  await assert.rejects(settings.change({ drive: true }), { code: 'config-unsaved' })
  assert.equal(settings.current.drive, false)
})
