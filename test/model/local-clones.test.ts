/** Local deletions and edits as old versions, on a simulated disk that clones files. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { VersioningConfig } from '../../src/core/config/config.ts'
import { FOLDER_EXTENSIONS } from '../../src/core/config/extensions.ts'
import type { FolderIndex, IndexStore } from '../../src/db/types.ts'
import { createSimPlatform } from '../../src/platform/sim/platform.ts'
import { SimRandom } from '../../src/platform/sim/random.ts'
import { ROOT as PULLED_ROOT, SimPull } from './puller/sim-pull.ts'
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

/** A store whose records cannot be written for a time, as after a kill. */
function storeFailing(isFailing: () => boolean): (store: IndexStore) => IndexStore {
  const parts = ({ exchange, history, listing, needs }: FolderIndex) => ({ exchange, history, listing, needs })
  return (store) =>
    new Proxy(store, {
      get(target, key) {
        if (key !== 'folder') return Reflect.get(target, key).bind?.(target) ?? Reflect.get(target, key)
        return async (id: typeof DOCS) => {
          const index = await target.folder(id)
          const updateLocal: typeof index.records.updateLocal = async (...args) => {
            if (isFailing()) throw new Error('killed')
            return await index.records.updateLocal(...args)
          }
          const records = new Proxy(index.records, {
            get: (own, name) => (name === 'updateLocal' ? updateLocal : Reflect.get(own, name, own)?.bind?.(own)),
          })
          return { ...parts(index), records }
        }
      },
    })
}

test('a kill between the archive and the record loses nothing, and archives nothing twice', async () => {
  const fault = { isPlanted: false }
  await using hub = await started({ wrap: storeFailing(() => fault.isPlanted) })
  fault.isPlanted = true
  write(hub, 'a.txt', 'changed')
  await assert.rejects(scan(hub))
  assert.deepEqual(archived(hub), { 'a.txt': 'one' })
  fault.isPlanted = false
  await scan(hub)
  assert.deepEqual(archived(hub), { 'a.txt': 'one' })
  assert.deepEqual(cloned(hub), ['changed', 'two'])
})

test('where the disk fails, nothing is recorded without its old version', async () => {
  await using hub = await started()
  const { disk } = hub.platform
  disk.fail({ call: 'rename', code: 'ENOSPC', under: CLONES, times: 1 })
  await hub.pass(5_000)
  disk.direct.remove(`${ROOT}/a.txt`)
  await assert.rejects(scan(hub), {
    code: 'folder-error',
    message: /"a\.txt" was .* cannot be archived.*--archive-local off/,
  })
  await scan(hub)
  assert.deepEqual(archived(hub), { 'a.txt': 'one' })
})

test('a pulled file is archived when the user deletes it before the next scan', async () => {
  await using pull = await SimPull.start({ disk: { clones: true }, folder: { versioning: TRASH } })
  pull.hub.extensions = { ...FOLDER_EXTENSIONS, archiveLocal: true }
  pull.peer.put('f', Buffer.from('pulled'))
  await pull.sync()
  pull.disk.direct.remove(`${PULLED_ROOT}/f`)
  await scan(pull.hub)
  assert.equal(Buffer.from(pull.disk.direct.look(`${PULLED_ROOT}/.stversions/f`)?.content ?? '').toString(), 'pulled')
})

/** Resolves with the number of disk calls of the scan that the power loss interrupts. */
async function powerLossAt(nth: number): Promise<number> {
  const power = { isOff: () => false }
  await using first = await started({ wrap: storeFailing(() => power.isOff()) })
  const { platform, store, config } = first
  const { disk } = platform
  power.isOff = () => !disk.faults.powered
  await first.pass(5_000)
  write(first, 'a.txt', 'changed')
  disk.direct.remove(`${ROOT}/d/b.txt`)
  disk.syncAll()
  const before = disk.faults.callCount
  disk.faults.powerOffAt(nth)
  await scan(first).catch(() => {})
  const calls = disk.faults.callCount - before
  disk.crash(new SimRandom(nth))
  await first.stop()
  await using hub = await SimHub.open(config, { platform, wrap: () => store })
  hub.extensions = first.extensions
  hub.run()
  await scan(hub)
  // The tag of the time stays where the power loss came before its removal.
  const found = Object.entries(archived(hub)).map(([name, text]) => `${name.replace(/~[\d-]+/, '')}: ${text}`)
  assert.deepEqual([...new Set(found)].toSorted(), ['a.txt: one', 'd/b.txt: two'], `call ${nth}`)
  assert.deepEqual(cloned(hub), ['changed'], `call ${nth}`)
  return calls
}

test('a power loss at any call of a scan: what the user deleted or changed is archived', async () => {
  const calls = await powerLossAt(1_000_000)
  for (let nth = 1; nth <= calls; nth++) await powerLossAt(nth)
  assert.ok(calls > 20, `only ${calls} calls`)
})
