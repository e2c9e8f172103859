/** A home that Syncthing made, taken over by a real daemon. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { keptFileOf } from '../../src/core/records/kept-file.ts'
import { KeptFiles } from '../../src/model/state/kept-files.ts'
import { nodeDisk } from '../../src/platform/node/disk/disk.ts'
import { deletion, file, folderId } from '../db/records.ts'
import { snapshot } from '../db/syncthing/imported.ts'
import { Daemon, startDaemon } from '../support/daemon.ts'
import { writeLargeIndexV1 } from '../support/large-index.ts'
import { quietLogger } from '../support/logger.ts'
import { eventually, POLL_MS, scratchDirectory } from '../support/scratch.ts'
import { expectedIndex, INDEX_VERSIONS, unpackHome, type IndexVersion } from '../support/syncthing-index.ts'
import { quietConfig } from '../support/syncthing.ts'

const COUNT = 60_000
const IMPORT_MS_MAX = 120_000
const INDEX = 'index-v0.14.0.db'

interface Progress {
  readonly version: string
  readonly folder: string
  readonly items: number
  readonly totalItems: number
}

/** The fixture has no private key: the daemon makes a new one. The directories of its folders do not exist. */
function quietHome(scratch: string, version: IndexVersion = '1.29.5'): string {
  const home = unpackHome(version, scratch)
  rmSync(join(home, 'cert.pem'), { force: true })
  quietConfig(home)
  const file = join(home, 'config.xml')
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('"/fixture/', `"${scratch}/folders/`))
  return home
}

async function progressOf(daemon: Daemon): Promise<Progress | null> {
  return ((await daemon.get('/rest/twinfold/index-import')) as { readonly progress: Progress | null }).progress
}

function underWay(daemon: Daemon): Promise<Progress> {
  const begun = async () => {
    const progress = await progressOf(daemon)
    return progress !== null && progress.items > 0 ? progress : undefined
  }
  return eventually('the import is under way', begun, IMPORT_MS_MAX, POLL_MS)
}

async function docsStatus(daemon: Daemon) {
  return (await daemon.get('/rest/db/status?folder=docs')) as { readonly state: string; readonly localFiles: number }
}

test('the progress of an import is shown, and it continues after a stop and after a kill', async () => {
  using scratch = scratchDirectory()
  const home = quietHome(scratch.path)
  rmSync(join(home, INDEX), { recursive: true })
  writeLargeIndexV1(join(home, INDEX), COUNT)
  const theirs = snapshot(join(home, INDEX))
  let imported = 0
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    await using daemon = await startDaemon({ home })
    const { version, folder, items, totalItems } = await underWay(daemon)
    assert.deepEqual([version, folder, totalItems], ['1.x', 'docs', COUNT])
    assert.ok(items >= imported && items < COUNT, `${items} after ${imported}`)
    imported = items
    assert.equal((await docsStatus(daemon)).state, 'scan-waiting')
    const code = await daemon.signal(signal)
    if (signal === 'SIGTERM') assert.equal(code, 0)
  }
  await using daemon = await startDaemon({ home })
  assert.ok((await underWay(daemon)).items >= imported)
  await eventually('the import has ended', async () => (await progressOf(daemon)) === null || undefined, IMPORT_MS_MAX)
  // The folder opens its index after the import, and has no counts until then.
  const isCounted = async () => (await docsStatus(daemon)).localFiles === COUNT || undefined
  await eventually('all imported items in the counts', isCounted)
  assert.deepEqual(snapshot(join(home, INDEX)), theirs)
})

test('--reset-database makes a new index instead of the one of Syncthing, which stays as it is', async () => {
  using scratch = scratchDirectory()
  const home = quietHome(scratch.path)
  const theirs = snapshot(join(home, INDEX))
  await using reset = new Daemon({ home, args: ['--reset-database'] })
  assert.equal(await reset.ended(), 0, reset.output)
  await using daemon = await startDaemon({ home })
  assert.equal(await progressOf(daemon), null)
  assert.doesNotMatch(daemon.output, /importing the index/)
  assert.equal((await docsStatus(daemon)).localFiles, 0)
  assert.deepEqual(snapshot(join(home, INDEX)), theirs)
})

test('the first start makes the certificate of the page; relative folders begin in the working directory', async () => {
  using scratch = scratchDirectory()
  const home = join(scratch.path, 'home')
  mkdirSync(join(scratch.path, 'work', 'relative'), { recursive: true })
  writeFileSync(join(scratch.path, 'work', 'relative', 'file'), 'content')
  await using daemon = await startDaemon({ home, before: ['env', `--chdir=${join(scratch.path, 'work')}`] })
  for (const name of ['https-cert.pem', 'https-key.pem']) assert.ok(existsSync(join(home, name)), name)
  await daemon.addFolder('docs', 'relative')
  await daemon.post('/rest/db/scan?folder=docs')
  assert.equal((await docsStatus(daemon)).localFiles, 1)
  assert.ok(existsSync(join(scratch.path, 'work', 'relative', '.stfolder')))
})

interface OwnRecord {
  readonly deleted: boolean
  readonly sequence: number
  readonly version: readonly string[]
}

/** Files on the disk, and in the list that Twinfold wrote before Syncthing ran on this home. */
async function putKept(home: string, root: string, files: ReadonlyMap<string, string>): Promise<void> {
  const directory = join(home, 'twinfold-kept')
  const list = new KeptFiles({ disk: nodeDisk, log: quietLogger('model') }, { folder: folderId('docs'), directory })
  await list.load()
  for (const [name, modified] of files) {
    const path = join(root, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, '123456', { mode: 0o644 })
    execFileSync('touch', ['-d', modified, path]) // to the nanosecond
    const modifiedNs = Number(modified.split('.')[1]?.replace('Z', '').padEnd(9, '0') ?? 0)
    const time = { modifiedS: Math.floor(Date.parse(modified) / 1_000), modifiedNs }
    list.set(keptFileOf(file(name, { sizeBytes: 6, ...time }), deletion(name)))
  }
  await list.store()
}

for (const version of INDEX_VERSIONS) {
  test(`kept files survive a take-over from Syncthing ${version}; one that it announced is none any more`, async () => {
    using scratch = scratchDirectory()
    const home = quietHome(scratch.path, version)
    const root = join(scratch.path, 'folders', 'docs')
    mkdirSync(join(root, '.stfolder'), { recursive: true })
    const { files } = expectedIndex(version).folders['docs']!
    const [kept, announced] = [['deleted-by-b.txt', 'gone-dir/inside.txt'], 'a.txt']
    await putKept(
      home,
      root,
      new Map([
        ...kept.map((name) => [name, '2026-01-02T03:04:05.6Z'] as const),
        [announced, files![announced]!.local.modified],
      ]),
    )
    await using daemon = await startDaemon({ home })
    await eventually('the import has ended', async () => (await progressOf(daemon)) === null || undefined)
    await daemon.post('/rest/db/scan?folder=docs')
    const { items } = (await daemon.get('/rest/twinfold/kept?folder=docs')) as { items: readonly { name: string }[] }
    assert.deepEqual(
      items.map(({ name }) => name),
      kept,
    )
    for (const name of [...kept, 'gone-dir', announced]) {
      assert.ok(existsSync(join(root, name)), name)
      const { local } = (await daemon.get(`/rest/db/file?folder=docs&file=${name}`)) as { readonly local: OwnRecord }
      const theirs = files![name]!.local
      // The record of Syncthing, unchanged: nothing was announced.
      assert.deepEqual(
        [local.deleted, local.sequence, local.version],
        [theirs.deleted, theirs.sequence, theirs.version],
      )
    }
  })
}
