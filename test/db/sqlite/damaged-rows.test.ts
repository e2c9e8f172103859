import assert from 'node:assert/strict'
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import type { FolderIndex, Recovery } from '../../../src/db/types.ts'
import { scratchDirectory } from '../../support/scratch.ts'
import { allRecords, blocks, file, FOLDER, openTestStore } from '../records.ts'

const FILE = `folder-${Buffer.from(FOLDER).toString('hex')}.db`

/** Changes the database externally, and its seal too, so that only reading detects it. */
function changeSealed(path: string, sql: string): void {
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
  const bytes = readFileSync(path)
  writeFileSync(`${path}.seal`, `${bytes.length} ${crc32(bytes)}\n`)
}

const READERS: Record<string, (index: FolderIndex) => Promise<unknown>> = {
  page: (index) => index.records.page('local', { within: '', afterName: '', limit: 1000 }),
  get: (index) => index.records.get('local', 'file-7'),
  head: (index) => index.records.head('local', 'file-7'),
  global: (index) => index.records.global('file-7'),
  both: (index) => index.records.both('file-7'),
  browse: (index) => index.listing.browse({ prefix: '', levels: 0, directoriesOnly: false }),
  update: (index) => index.records.updateLocal([file('new'), file('file-7')]),
}

for (const [name, read] of Object.entries(READERS)) {
  test(`index: damage found while in use by ${name} is reported to the caller; then the index is reset`, async () => {
    using scratch = scratchDirectory()
    let id: bigint
    {
      await using store = await openTestStore(scratch.path)
      const index = await store.folder(FOLDER)
      id = await index.exchange.indexId()
      await index.records.updateLocal(Array.from({ length: 50 }, (_, i) => file(`file-${i}`)))
    }
    changeSealed(join(scratch.path, FILE), "UPDATE files SET size = size + 1 WHERE name = 'file-7'")
    const reported: Recovery[] = []
    await using store = await openTestStore(scratch.path, { onRecovery: (recovery) => reported.push(recovery) })
    const index = await store.folder(FOLDER)
    assert.equal((await index.records.get('local', 'file-8'))?.name, 'file-8')
    assert.equal(store.recoveries.length, 0)
    await assert.rejects(read(index), { code: 'database-damaged', message: /file-7/ })
    assert.deepEqual(await allRecords(index, 'local'), [])
    assert.deepEqual(
      reported.map(({ keptAt }) => existsSync(keptAt)),
      [true],
    )
    assert.equal(await index.records.updateLocal([file('new')]), 1)
    assert.notEqual(await index.exchange.indexId(), id)
    assert.equal(await store.folder(FOLDER), index)
  })
}

test('index: a block list that is not what was written is damage', async () => {
  using scratch = scratchDirectory()
  {
    await using store = await openTestStore(scratch.path)
    await (await store.folder(FOLDER)).records.updateLocal([file('many', { blockHashes: blocks('x', 9) }), file('one')])
  }
  changeSealed(
    join(scratch.path, FILE),
    "UPDATE lists SET hashes = zeroblob(288); UPDATE files SET single = zeroblob(32) WHERE name = 'one'",
  )
  for (const name of ['many', 'one']) {
    using copy = scratchDirectory()
    cpSync(scratch.path, copy.path, { recursive: true })
    await using store = await openTestStore(copy.path)
    await assert.rejects((await store.folder(FOLDER)).records.get('local', name), { code: 'database-damaged' })
  }
})
