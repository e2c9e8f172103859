import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { addToDigest, CHECKSUM_START, mixNumber, mixText } from '../../../src/db/sqlite/checksum.ts'
import { FOLDER_SCHEMA } from '../../../src/db/sqlite/schema.ts'
import { scratchDirectory } from '../../support/scratch.ts'
import { blocks, DEVICES, file, FOLDER, openTestStore, sha256 } from '../records.ts'

const FILE = `folder-${Buffer.from(FOLDER).toString('hex')}.db`

/** Changes the schema number in the meta table as another version of the program would. */
function setSchema(path: string, value: string): void {
  const database = new DatabaseSync(path)
  database
    .prepare('UPDATE meta SET value = ?, sum = ? WHERE key = ?')
    .run(value, mixText(mixText(CHECKSUM_START, 'schema'), value), 'schema')
  database.close()
}

test('index: a database of a newer version is refused with a reason and left unchanged', async () => {
  using scratch = scratchDirectory()
  {
    await using store = await openTestStore(scratch.path)
    await (await store.folder(FOLDER)).records.updateLocal([file('a')])
  }
  setSchema(join(scratch.path, FILE), '99')
  {
    await using store = await openTestStore(scratch.path)
    await assert.rejects(store.folder(FOLDER), { code: 'database-newer', message: /newer version/ })
    assert.deepEqual(store.recoveries, [])
  }
  setSchema(join(scratch.path, FILE), String(FOLDER_SCHEMA.length))
  await using store = await openTestStore(scratch.path)
  assert.equal((await (await store.folder(FOLDER)).needs.counts()).local.files, 1)
})

/** An index as the first version of the program wrote it, with one local record and one of another device. */
function firstIndex(path: string): void {
  const database = new DatabaseSync(path)
  database.exec('CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL, sum INTEGER NOT NULL) WITHOUT ROWID')
  database.exec(FOLDER_SCHEMA[0]!)
  const rows = [
    [0, 'mine', 0, 1],
    [1, 'theirs', 2, 7],
  ] as const
  let digest = 0
  for (const [device, name, mark, sequence] of rows) {
    const list = blocks(name, 2)
    const hash = sha256(list).toString('base64url')
    let sum = mixText(mixNumber(CHECKSUM_START, device), name)
    sum = mixNumber(mixNumber(sum, mark), 0x20)
    sum = mixNumber(mixNumber(sum, 100), 200_000)
    sum = mixNumber(mixNumber(sum, sequence), 131_072)
    sum = mixText(mixText(mixText(sum, '1/1:5'), hash), '')
    database.prepare('INSERT INTO lists VALUES (?, ?)').run(device + 1, list)
    database
      .prepare('INSERT INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
      .run(device, name, mark, 0x20, 100, 200_000, sequence, '1/1:5', hash, 131_072, '', sum, device + 1, null)
    digest = addToDigest(digest, sum)
  }
  const one = [1, 0, 0, 0, '200000']
  const holders = [
    [0, 'local', 1, 1],
    [1, DEVICES[0], 7, 1],
  ]
  const state = {
    folder: FOLDER,
    indexId: 'abc',
    digest,
    global: [2, 0, 0, 0, '400000'],
    local: one,
    need: one,
    receiveOnlyChanged: [0, 0, 0, 0, '0'],
    holders,
  }
  for (const [key, value] of [
    ['schema', '1'],
    ['state', JSON.stringify(state)],
  ] as const) {
    database.prepare('INSERT INTO meta VALUES (?, ?, ?)').run(key, value, mixText(mixText(CHECKSUM_START, key), value))
  }
  database.close()
}

test('index: a database of the first version is migrated completely, also after a kill between two steps', async () => {
  for (const killed of [false, true]) {
    using scratch = scratchDirectory()
    firstIndex(join(scratch.path, FILE))
    if (killed) {
      // A step is committed only together with its number: this one is rolled back.
      const database = new DatabaseSync(join(scratch.path, FILE))
      database.exec('BEGIN')
      database.exec(FOLDER_SCHEMA[1]!)
      database.exec('ROLLBACK')
      database.close()
    }
    await using store = await openTestStore(scratch.path)
    const index = await store.folder(FOLDER)
    assert.deepEqual(store.recoveries, [])
    assert.equal(await index.exchange.indexId(), 0xabcn)
    assert.deepEqual(Buffer.from((await index.records.get('local', 'mine'))!.blockHashes!), blocks('mine', 2))
    assert.deepEqual(
      (await index.needs.need({ offset: 0, limit: 9 })).map(({ name, platform }) => [name, platform]),
      [['theirs', undefined]],
    )
    const platform = Buffer.from('anything')
    assert.equal(await index.records.updateLocal([file('new', { platform })]), 2)
    assert.deepEqual((await index.records.get('local', 'new'))?.platform, platform)
  }
})

test('index: a database whose creation was interrupted by a kill is completed', async () => {
  using scratch = scratchDirectory()
  for (const statements of [
    [],
    ['CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL, sum INTEGER NOT NULL) WITHOUT ROWID'],
  ]) {
    rmSync(join(scratch.path, FILE), { force: true })
    const database = new DatabaseSync(join(scratch.path, FILE))
    for (const sql of statements) database.exec(sql)
    if (statements.length > 0)
      database
        .prepare('INSERT INTO meta VALUES (?, ?, ?)')
        .run('schema', '0', mixText(mixText(CHECKSUM_START, 'schema'), '0'))
    database.close()
    await using store = await openTestStore(scratch.path)
    const index = await store.folder(FOLDER)
    assert.equal(await index.records.updateLocal([file('a')]), 1)
    assert.deepEqual(store.recoveries, [])
    await store.dropFolder(FOLDER)
  }
})
