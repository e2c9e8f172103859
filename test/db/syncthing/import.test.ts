import assert from 'node:assert/strict'
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { TwinfoldError } from '../../../src/core/errors.ts'
import { SEQUENCE_GAP } from '../../../src/db/folder/folder-import.ts'
import type { ImportingStore } from '../../../src/db/store.ts'
import { declineImport, type ImportStatus } from '../../../src/db/syncthing/import.ts'
import { nodeDisk } from '../../../src/platform/node/disk/disk.ts'
import { writeLargeIndexV1, writeLargeIndexV2 } from '../../support/large-index.ts'
import { scratchDirectory } from '../../support/scratch.ts'
import { expectedIndex, INDEX_VERSIONS, unpackHome } from '../../support/syncthing-index.ts'
import { deletion, folderId } from '../records.ts'
import {
  compareExtras,
  compareFolder,
  compareTotals,
  FOLDERS,
  openIndex,
  snapshot,
  takeOver,
  type Run,
} from './imported.ts'

/** More than are imported in one step. */
const MANY = 1_203

for (const version of INDEX_VERSIONS) {
  describe(`the index of Syncthing ${version}`, () => {
    it('is imported as its REST interface showed it, and is not changed', async () => {
      using scratch = scratchDirectory()
      const home = unpackHome(version, scratch.path)
      const ours = join(scratch.path, 'ours')
      const before = snapshot(home)
      await using store = await openIndex(ours)
      const { failed, extras } = await takeOver({ home, ours, version }, store)
      assert.deepEqual([...failed], [])
      assert.deepEqual(snapshot(home), before)
      let compared = 0
      for (const id of FOLDERS) {
        compared += await compareFolder(store, version, id)
        await compareTotals(store, version, id)
      }
      assert.ok(compared > 80)
      const old = await (await store.folder(folderId('docs'))).records.get('local', 'old-mtime.txt')
      assert.deepEqual(old?.diskTime, { modifiedS: -2_147_483_648, modifiedNs: 0 })
      compareExtras(extras, version)
    })

    it('has everything that was written before a kill', async () => {
      using scratch = scratchDirectory()
      const home = unpackHome(version, scratch.path, 'home-killed')
      const ours = join(scratch.path, 'ours')
      const before = snapshot(home)
      const { killed } = expectedIndex(version)
      await using store = await openIndex(ours)
      const { failed } = await takeOver({ home, ours, version, folders: [killed.folder] }, store)
      assert.deepEqual([...failed], [])
      assert.deepEqual(snapshot(home), before)
      const index = await store.folder(folderId(killed.folder))
      assert.equal(
        (await index.records.page('local', { within: '', afterName: '', limit: 9_999 })).length,
        killed.ownRecords,
      )
      assert.equal(await index.exchange.sequence('local'), killed.ownMaxSequence + SEQUENCE_GAP)
      assert.deepEqual(
        readdirSync(ours)
          .filter((name) => name === 'import')
          .map((name) => readdirSync(join(ours, name)))
          .flat(),
        [],
      )
    })

    it('D-09 is imported completely, whenever the import was interrupted before', async () => {
      using scratch = scratchDirectory()
      const home = unpackHome(version, scratch.path, 'home-killed')
      const ours = join(scratch.path, 'ours')
      const { killed } = expectedIndex(version)
      for (let steps = 1; ; steps++) {
        const stop = new AbortController()
        await using store = await openIndex(ours)
        let left = steps
        const counted: ImportingStore = Object.assign(Object.create(store) as ImportingStore, {
          keyValue: store.keyValue,
          folders: () => store.folders(),
          folder: (id: never) => store.folder(id),
          dropFolder: (id: never) => store.dropFolder(id),
          importing: (id: never, step: never) => {
            if (left-- === 0) stop.abort(new Error('interrupted'))
            stop.signal.throwIfAborted()
            return store.importing(id, step)
          },
        })
        const run = { home, ours, version, folders: [killed.folder], signal: stop.signal }
        const done = await takeOver(run, counted).then(
          () => true,
          () => false,
        )
        if (!done) continue
        const index = await store.folder(folderId(killed.folder))
        assert.equal(
          (await index.needs.counts()).local.files + (await index.needs.counts()).local.directories,
          killed.ownRecords,
        )
        assert.ok(steps > 2, 'it was interrupted several times')
        return
      }
    })
  })
}

describe('an index that was imported', () => {
  it('is not imported again, unless Syncthing has run since', async () => {
    using scratch = scratchDirectory()
    const home = unpackHome('1.29.5', scratch.path)
    const ours = join(scratch.path, 'ours')
    const run: Run = { home, ours, version: '1.29.5' }
    await using store = await openIndex(ours)
    assert.equal((await takeOver(run, store)).imported, true)
    const docs = await store.folder(folderId('docs'))
    await docs.records.updateLocal([deletion('a.txt')])
    assert.equal((await takeOver(run, store)).imported, false)
    assert.equal((await docs.records.get('local', 'a.txt'))?.deleted, true)
    const database = join(home, 'index-v0.14.0.db')
    writeFileSync(join(database, 'LOG'), 'text for people')
    assert.equal((await takeOver(run, store)).imported, false)
    cpSync(join(database, 'MANIFEST-000000'), join(database, 'MANIFEST-000009'))
    writeFileSync(join(database, 'CURRENT'), 'MANIFEST-000009\n')
    assert.equal((await takeOver(run, store)).imported, true)
    assert.equal((await (await store.folder(folderId('docs'))).records.get('local', 'a.txt'))?.name, 'a.txt')
  })

  it('is not imported where a new one was wanted, or where there is one of ours', async () => {
    using scratch = scratchDirectory()
    const home = unpackHome('2.1.3', scratch.path)
    const ours = join(scratch.path, 'ours')
    mkdirSync(ours)
    await declineImport(nodeDisk, { dataDirectory: home, databaseDirectory: ours })
    await using store = await openIndex(ours)
    assert.equal((await takeOver({ home, ours, version: '2.1.3' }, store)).imported, false)
    const second = join(scratch.path, 'second')
    await using used = await openIndex(second)
    await used.folder(folderId('docs'))
    assert.equal((await takeOver({ home, ours: second, version: '2.1.3' }, used)).imported, false)
  })
})

describe('an index that cannot be read', () => {
  it('is reported with what it means and what to do', async () => {
    using scratch = scratchDirectory()
    const home = unpackHome('1.29.5', scratch.path)
    const ours = join(scratch.path, 'ours')
    rmSync(join(home, 'index-v0.14.0.db', 'MANIFEST-000000'))
    await using store = await openIndex(ours)
    const { failed } = await takeOver({ home, ours, version: '1.29.5' }, store)
    assert.deepEqual([...failed.keys()], FOLDERS)
    const message = failed.get(folderId('docs'))?.message ?? ''
    for (const part of [/manifest is missing/, /may return/, /start Syncthing once/, /--reset-database/])
      assert.match(message, part)
    assert.deepEqual(await store.folders(), [])
  })

  it('concerns one folder in 2.x, and the others are imported', async () => {
    using scratch = scratchDirectory()
    const home = unpackHome('2.1.3', scratch.path)
    const ours = join(scratch.path, 'ours')
    const database = readdirSync(join(home, 'index-v2')).find((name) => name.startsWith('folder.0001-'))!
    writeFileSync(join(home, 'index-v2', database), Buffer.alloc(20_000, 'x'))
    await using store = await openIndex(ours)
    const { failed } = await takeOver({ home, ours, version: '2.1.3' }, store)
    assert.equal(failed.size, 1)
    assert.equal((await store.folders()).length, FOLDERS.length - 1)
  })
})

describe('an import', () => {
  for (const version of INDEX_VERSIONS) {
    it(`of many files from ${version.slice(0, 2)}x is complete, and shows its progress`, async () => {
      using scratch = scratchDirectory()
      const home = unpackHome(version, scratch.path)
      const ours = join(scratch.path, 'ours')
      if (version === '1.29.5') {
        rmSync(join(home, 'index-v0.14.0.db'), { recursive: true })
        writeLargeIndexV1(join(home, 'index-v0.14.0.db'), MANY)
      } else writeLargeIndexV2(join(home, 'index-v2'), MANY)
      await using store = await openIndex(ours)
      const seen: ImportStatus[] = []
      const run: Run = { home, ours, version, folders: ['docs', 'new'], onStatus: (status) => seen.push(status) }
      assert.deepEqual([...(await takeOver(run, store)).failed], [])
      const index = await store.folder(folderId('docs'))
      const { local, global, need } = await index.needs.counts()
      assert.deepEqual([local.files, global.files, need.files], [MANY, MANY, 0])
      assert.equal(await index.exchange.sequence('local'), MANY + SEQUENCE_GAP)
      const names = { version: `${version[0]}.x`, folderCount: 2 }
      assert.deepEqual(seen, [
        { ...names, folder: undefined, folderNumber: 0, items: 0, totalItems: 0 },
        { ...names, folder: 'new', folderNumber: 2, items: 0, totalItems: 0 },
      ])
    })
  }

  it('skips names of which 2.x has no records any more', async () => {
    using scratch = scratchDirectory()
    const home = unpackHome('2.1.3', scratch.path)
    const ours = join(scratch.path, 'ours')
    writeLargeIndexV2(join(home, 'index-v2'), MANY)
    const file = readdirSync(join(home, 'index-v2')).find((name) => name.startsWith('folder.0001-'))!
    using database = new DatabaseSync(join(home, 'index-v2', file))
    database.exec(`DELETE FROM files WHERE name_idx <= ${MANY - 3}`)
    await using store = await openIndex(ours)
    assert.deepEqual([...(await takeOver({ home, ours, version: '2.1.3', folders: ['docs'] }, store)).failed], [])
    assert.equal((await (await store.folder(folderId('docs'))).needs.counts()).local.files, 3)
  })

  it('runs while the folder is refused to others', async () => {
    using scratch = scratchDirectory()
    const home = unpackHome('2.1.3', scratch.path)
    const ours = join(scratch.path, 'ours')
    await using store = await openIndex(ours)
    const docs = folderId('docs')
    store.refuse(docs, new TwinfoldError('database-unavailable', 'not yet'))
    await takeOver({ home, ours, version: '2.1.3' }, store)
    await assert.rejects(store.folder(docs), { message: 'not yet' })
    store.accept(docs)
    await compareFolder(store, '2.1.3', docs)
  })
})
