/** Local deletions and edits as old versions, on a simulated disk that clones files. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { VersioningConfig } from '../../src/core/config/config.ts'
import { FOLDER_EXTENSIONS } from '../../src/core/config/extensions.ts'
import type { FolderIndex, IndexStore } from '../../src/db/types.ts'
import { createSimPlatform } from '../../src/platform/sim/platform.ts'
import { DOCS, simConfig, simFolder, SimHub } from '../support/model.ts'

const ROOT = '/data/docs'
const CLONES = `${ROOT}/.stfolder/twinfold-clones`
const TRASH: VersioningConfig = {
  type: 'trashcan',
  params: { cleanoutDays: '30' },
  cleanupIntervalS: 3600,
  fsPath: '',
  fsType: 'basic',
}

interface Options {
  readonly clones?: boolean
  readonly versioning?: VersioningConfig
  readonly wrap?: (store: IndexStore) => IndexStore
}

async function started(options: Options = {}): Promise<SimHub> {
  const { clones = true, versioning = TRASH } = options
  const platform = createSimPlatform(1, { disk: { clones } })
  const hub = await SimHub.open(simConfig([simFolder('docs', { versioning })]), { platform, ...options })
  hub.extensions = { ...FOLDER_EXTENSIONS, archiveLocal: true }
  for (const [name, text] of [
    ['a.txt', 'one'],
    ['d/b.txt', 'two'],
  ] as const)
    platform.disk.put(`${ROOT}/${name}`, text)
  hub.run()
  await hub.while(hub.model.scan(DOCS))
  return hub
}

const scan = (hub: SimHub) => hub.while(hub.model.scan(DOCS))
const write = (hub: SimHub, name: string, text: string) =>
  hub.platform.disk.direct.write(`${ROOT}/${name}`, Buffer.from(text))

/** The content of the files below a directory, by name. */
function contents(hub: SimHub, directory: string): Record<string, string> {
  const { direct } = hub.platform.disk
  if (direct.look(directory) === undefined) return {}
  const files = [...direct.tree(directory)].filter(([, item]) => item.type === 'file')
  return Object.fromEntries(
    files.map(([name, item]) => [name, Buffer.from((item as { content: Uint8Array }).content).toString()]),
  )
}

const archived = (hub: SimHub) => contents(hub, `${ROOT}/.stversions`)
const cloned = (hub: SimHub) =>
  Object.entries(contents(hub, CLONES))
    .flatMap(([name, text]) => (name.includes('/') ? [text] : []))
    .toSorted()

test('what the user deletes or edits is archived, once', async () => {
  await using hub = await started()
  assert.deepEqual(cloned(hub), ['one', 'two'])
  await hub.pass(5_000)
  write(hub, 'a.txt', 'changed')
  hub.platform.disk.direct.remove(`${ROOT}/d`)
  await scan(hub)
  assert.deepEqual(archived(hub), { 'a.txt': 'one', 'd/b.txt': 'two' })
  assert.deepEqual(cloned(hub), ['changed'])
  await hub.pass(5_000)
  await scan(hub)
  assert.deepEqual(archived(hub), { 'a.txt': 'one', 'd/b.txt': 'two' })
  assert.deepEqual([...(await hub.while(hub.model.versions(DOCS))).keys()].toSorted(), ['a.txt', 'd/b.txt'])
  const names = (await (await hub.store.folder(DOCS)).listing.listNames('')).found.map(({ name }) => name)
  assert.deepEqual(names, ['a.txt'])
})

test('a renamed file, one with a new time and an ignored one are not archived', async () => {
  await using hub = await started()
  const { direct } = hub.platform.disk
  await hub.pass(5_000)
  direct.rename(`${ROOT}/a.txt`, `${ROOT}/moved.txt`)
  direct.setModified(`${ROOT}/d/b.txt`, 1_000_000)
  await scan(hub)
  assert.deepEqual(archived(hub), {})
  assert.deepEqual(cloned(hub), ['one', 'two'])
  write(hub, '.stignore', 'moved.txt\n')
  await scan(hub)
  assert.deepEqual(archived(hub), {})
  assert.deepEqual(cloned(hub), ['two'])
  direct.remove(`${ROOT}/d/b.txt`)
  await scan(hub)
  assert.deepEqual(archived(hub), { 'd/b.txt': 'two' })
})

test('a clone of another version than the recorded one is not archived', async () => {
  await using hub = await started()
  for (const [name, item] of hub.platform.disk.direct.tree(CLONES))
    if (item.type === 'file' && name.includes('/'))
      hub.platform.disk.direct.write(`${CLONES}/${name}`, Buffer.from('damaged'))
  write(hub, 'a.txt', 'changed')
  await scan(hub)
  assert.deepEqual(archived(hub), {})
})

test('after a lost directory all is cloned again; switched off, all clones are removed', async () => {
  await using hub = await started()
  hub.platform.disk.direct.remove(CLONES)
  await hub.change((config) => ({
    ...config,
    folders: [simFolder('docs', { versioning: TRASH, rescanIntervalS: 60 })],
  }))
  await scan(hub)
  assert.deepEqual(cloned(hub), ['one', 'two'])
  hub.extensions = FOLDER_EXTENSIONS
  await scan(hub)
  assert.equal(hub.platform.disk.direct.look(CLONES), undefined)
  hub.platform.disk.direct.remove(`${ROOT}/a.txt`)
  await scan(hub)
  assert.deepEqual(archived(hub), {})
})

test('a removed folder leaves no clones', async () => {
  await using hub = await started()
  await hub.change((config) => ({ ...config, folders: [] }))
  const left = [...hub.platform.disk.direct.tree(ROOT).keys()]
  assert.deepEqual(
    left.filter((name) => name.startsWith('.')),
    [],
  )
})

for (const [what, options, reason] of [
  [
    'the disk does not clone',
    { clones: false },
    /does not clone files \(ENOTSUP\): .* by the devices that receive them/,
  ],
  ['nothing is kept', { versioning: { ...TRASH, type: '' } }, /use "folder set docs --safety on"/],
  [
    'a program archives',
    { versioning: { ...TRASH, type: 'external', params: { command: 'x' } } },
    /a program archives/,
  ],
] as const) {
  test(`it is refused where ${what}, and then clones nothing`, async () => {
    await using hub = await started(options)
    const explorer = await hub.model.explorer()
    await assert.rejects(hub.while(explorer.requireLocalArchive(DOCS)), { code: 'bad-request', message: reason })
    assert.deepEqual(cloned(hub), [])
    const left = [...hub.platform.disk.direct.tree(`${ROOT}/.stfolder`).keys()]
    assert.deepEqual(
      left.filter((name) => name.includes('probe')),
      [],
    )
  })
}

test('it is possible with clones and a trash can', async () => {
  await using hub = await started()
  const explorer = await hub.model.explorer()
  await hub.while(explorer.requireLocalArchive(DOCS))
})

test('a kill between the archive and the record loses nothing, and archives nothing twice', async () => {
  const fault = { isPlanted: false }
  const wrap = (store: IndexStore): IndexStore =>
    new Proxy(store, {
      get(target, key) {
        if (key !== 'folder') return Reflect.get(target, key).bind?.(target) ?? Reflect.get(target, key)
        return async (id: typeof DOCS) => {
          const index = await target.folder(id)
          const updateLocal: typeof index.records.updateLocal = async (...args) => {
            if (fault.isPlanted) throw new Error('killed')
            return await index.records.updateLocal(...args)
          }
          const records = new Proxy(index.records, {
            get: (own, name) => (name === 'updateLocal' ? updateLocal : Reflect.get(own, name, own)?.bind?.(own)),
          })
          return { ...partsOf(index), records }
        }
      },
    })
  await using hub = await started({ wrap })
  fault.isPlanted = true
  write(hub, 'a.txt', 'changed')
  await assert.rejects(scan(hub))
  assert.deepEqual(archived(hub), { 'a.txt': 'one' })
  fault.isPlanted = false
  await scan(hub)
  assert.deepEqual(archived(hub), { 'a.txt': 'one' })
  assert.deepEqual(cloned(hub), ['changed', 'two'])
})

function partsOf({ exchange, history, listing, needs }: FolderIndex): Omit<FolderIndex, 'records'> {
  return { exchange, history, listing, needs }
}
