import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TwinfoldError } from '../../src/core/errors.ts'
import type { FolderId } from '../../src/core/ids.ts'
import type { IndexStore } from '../../src/db/types.ts'
import { Completions } from '../../src/model/queries/completion.ts'
import { LOCAL_ID } from '../support/config.ts'
import { DOCS, folderId, simConfig, simFolder, SimHub } from '../support/model.ts'

const REASON = 'cannot use the index database folder-6d75736963.db: EACCES: permission denied'
const MUSIC = folderId('music')

/** A hub with the folders docs and music; the index of music cannot be opened while it is among the failing ones. */
async function hubWithFailing(failing: Set<FolderId>): Promise<SimHub> {
  const wrap = (store: IndexStore): IndexStore => ({
    keyValue: store.keyValue,
    bases: store.bases,
    get recoveries() {
      return store.recoveries
    },
    folder: async (folder) => {
      if (failing.has(folder)) throw new TwinfoldError('database-unavailable', REASON)
      return await store.folder(folder)
    },
    folders: () => store.folders(),
    dropFolder: (folder) => store.dropFolder(folder),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  })
  const hub = await SimHub.open(simConfig([simFolder('docs'), simFolder('music')]), { wrap })
  await hub.platform.disk.makeDirectories('/data/music/.stfolder', 0o755)
  hub.platform.disk.put('/data/music/song', 'la')
  hub.platform.disk.put('/data/docs/text', 'one')
  hub.run()
  return hub
}

test('C-08: one unusable index puts only its folder in error, with the reason in its status', async () => {
  const failing = new Set([MUSIC])
  await using hub = await hubWithFailing(failing)
  await hub.while(hub.model.scan(DOCS))
  await assert.rejects(hub.while(hub.model.scan(MUSIC)), { message: REASON })
  const docs = await hub.model.status(DOCS)
  assert.deepEqual([docs.state, docs.counts.local.files], ['idle', 1])
  const music = await hub.model.status(MUSIC)
  assert.deepEqual([music.state, music.error, music.counts.local.files], ['error', REASON, 0])
  assert.equal(hub.roots.get(MUSIC), undefined, 'it is not offered to other devices')
  assert.equal(hub.roots.get(DOCS), '/data/docs')
})

test('the reason is in the answer to why a file is not here', async () => {
  await using hub = await hubWithFailing(new Set([MUSIC]))
  await hub.while(hub.model.scan(DOCS))
  await hub.pass(10)
  const explorer = await hub.model.explorer()
  const { folder, records } = await explorer.file(MUSIC, 'song')
  assert.deepEqual([folder.error, records], [REASON, undefined])
})

test('the state of a folder with an unusable index does not change with every check of it', async () => {
  await using hub = await hubWithFailing(new Set([MUSIC]))
  await hub.pass(3_600_000)
  assert.deepEqual(hub.states(MUSIC), ['idle→error'])
})

test('a folder whose index works again is scanned and offered again', async () => {
  const failing = new Set([MUSIC])
  await using hub = await hubWithFailing(failing)
  await hub.pass(10)
  const changes: FolderId[] = []
  hub.signals.usabilityChanged.listen((folder) => changes.push(folder))
  failing.clear()
  await hub.pass(300_000)
  const { state, error, counts } = await hub.model.status(MUSIC)
  assert.deepEqual([state, error, counts.local.files], ['idle', '', 1])
  assert.equal(hub.roots.get(MUSIC), '/data/music')
  assert.deepEqual(changes, [MUSIC])
})

test('a failure that the exchange with a device meets puts the folder in error at once', async () => {
  await using hub = await hubWithFailing(new Set())
  await hub.while(hub.model.scan(MUSIC))
  hub.signals.exchangeFailed.emit({ folder: MUSIC, error: new TwinfoldError('database-unavailable', REASON) })
  assert.equal((await hub.model.status(MUSIC)).error, REASON)
  assert.equal(hub.roots.get(MUSIC), undefined)
  await hub.pass(10_000)
  assert.equal((await hub.model.status(MUSIC)).state, 'idle')
  assert.equal(hub.roots.get(MUSIC), '/data/music')
})

test('the completion of a folder with an unusable index is unknown, and left out of the sum', async () => {
  await using hub = await hubWithFailing(new Set([MUSIC]))
  await hub.while(hub.model.scan(DOCS))
  const completions = new Completions(
    {
      store: hub.store,
      events: { emit: () => {} },
      log: hub.log.logger('model'),
      config: () => hub.config,
      remoteState: () => 'unknown',
      downloadedBytes: () => 0,
    },
    LOCAL_ID,
  )
  assert.equal((await completions.completion(MUSIC, undefined)).completion, 0)
  const { completion, globalItems } = await completions.completion(undefined, undefined)
  assert.deepEqual([completion, globalItems], [100, 1])
})

test('before the start, as while an index is imported, a folder waits and its index is not opened', async () => {
  await using hub = await SimHub.open(simConfig([simFolder('docs')]))
  const { state, error, counts } = await hub.model.status(DOCS)
  assert.deepEqual([state, error, counts.local.files], ['scan-waiting', '', 0])
  assert.equal(hub.model.statusNow(DOCS)?.state, 'scan-waiting')
  assert.deepEqual(await hub.store.folders(), [])
})
