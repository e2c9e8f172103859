import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { FolderId, ShortId } from '../../../src/core/ids.ts'
import type { VersionVector } from '../../../src/core/records/version-vector.ts'
import { BaseTable, BASES_KIND } from '../../../src/db/bases/base-table.ts'
import { scratchDirectory } from '../../support/scratch.ts'
import { openTestStore } from '../records.ts'
import { migrate } from '../../../src/db/sqlite/schema.ts'

const DOCS = 'docs' as FolderId
const NOTES = 'notes' as FolderId

function openTable(totalBytesMax = 1_000_000) {
  const database = new DatabaseSync(':memory:')
  migrate(database, BASES_KIND.schema)
  return { database, table: new BaseTable(database, { totalBytesMax }) }
}

const at = (value: number): VersionVector => [{ device: 1n as ShortId, value: BigInt(value) }]
const base = (name: string, value: number, text: string) => ({ name, version: at(value), content: Buffer.from(text) })
const count = (database: DatabaseSync, table: string) =>
  Number(Object.values(database.prepare(`SELECT count(*) FROM ${table}`).get() ?? {})[0])
const texts = (table: BaseTable, folder: FolderId, name: string) =>
  table.of(folder, name).map(({ content }) => Buffer.from(table.content(content) ?? '').toString())

test('the last versions of a name are kept, newest first', () => {
  const { database, table } = openTable()
  for (let value = 1; value <= 6; value++) table.put(DOCS, [base('a.txt', value, `text ${value}`)])
  assert.deepEqual(texts(table, DOCS, 'a.txt'), ['text 6', 'text 5', 'text 4', 'text 3'])
  assert.equal(count(database, 'contents'), 4)
  table.put(DOCS, [base('a.txt', 6, 'text 6')])
  assert.equal(count(database, 'bases'), 4)
  table.put(DOCS, [base('a.txt', 6, 'other')])
  assert.deepEqual(texts(table, DOCS, 'a.txt'), ['other', 'text 5', 'text 4', 'text 3'])
})

test('equal contents are stored once, and removed with the last version that has them', async () => {
  const { database, table } = openTable()
  table.put(DOCS, [base('a.txt', 1, 'same'), base('b.txt', 1, 'same')])
  table.put(NOTES, [base('c.txt', 1, 'same')])
  assert.equal(count(database, 'contents'), 1)
  assert.equal(table.dropSome(DOCS, 100), true)
  assert.deepEqual(texts(table, DOCS, 'a.txt'), [])
  assert.deepEqual(texts(table, NOTES, 'c.txt'), ['same'])
  table.dropSome(NOTES, 100)
  assert.equal(count(database, 'contents'), 0)
  assert.equal(table.totalBytes, 0)
})

test('bases go with their folder', async () => {
  using scratch = scratchDirectory()
  {
    await using store = await openTestStore(scratch.path)
    await store.folder(DOCS)
    assert.deepEqual(await store.bases.of(DOCS, 'a.txt'), [])
    assert.equal(existsSync(join(scratch.path, 'bases.db')), false, 'nothing is made before it is needed')
    await store.bases.put(DOCS, [base('a.txt', 1, 'text')])
    await store.bases.put(NOTES, [base('a.txt', 1, 'text')])
  }
  await using store = await openTestStore(scratch.path)
  await store.dropFolder(DOCS)
  assert.deepEqual(await store.bases.of(DOCS, 'a.txt'), [])
  assert.equal((await store.bases.of(NOTES, 'a.txt')).length, 1)
})

test('the oldest versions of all folders go first when the limit is reached', () => {
  const { database, table } = openTable(2_000)
  const noise = (seed: number) =>
    Array.from({ length: 300 }, (_, index) => ((seed * 7919 + index * index * 31) % 99991).toString(36)).join('')
  for (let value = 1; value <= 12; value++) table.put(value % 2 ? DOCS : NOTES, [base(`${value}.txt`, 1, noise(value))])
  assert.ok(table.totalBytes <= 2_000)
  assert.deepEqual(texts(table, DOCS, '1.txt'), [])
  assert.deepEqual(texts(table, NOTES, '12.txt'), [noise(12)])
  assert.equal(new BaseTable(database).totalBytes, table.totalBytes)
})

test('a damaged content or version is not used', () => {
  const { database, table } = openTable()
  table.put(DOCS, [base('a.txt', 1, 'text'), base('b.txt', 1, 'other')])
  const [first] = table.of(DOCS, 'a.txt')
  database.prepare('UPDATE contents SET hash = ? WHERE id = ?').run('wrong', first!.content)
  assert.throws(() => table.content(first!.content), /not what was written/)
  database.exec("UPDATE bases SET name = 'c.txt' WHERE name = 'b.txt'")
  assert.throws(() => table.of(DOCS, 'c.txt'), /not what was written/)
})
