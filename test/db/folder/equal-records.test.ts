import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { FolderState } from '../../../src/db/folder/folder-state.ts'
import { FolderTable } from '../../../src/db/folder/folder-table.ts'
import { FOLDER_SCHEMA, migrate } from '../../../src/db/sqlite/schema.ts'
import { blocks, DEVICES, file, FOLDER, version } from '../records.ts'

const [FIRST, SECOND] = DEVICES

function openTable(): FolderTable {
  const database = new DatabaseSync(':memory:')
  migrate(database, FOLDER_SCHEMA)
  return new FolderTable(database, () => new FolderState(FOLDER, 1n))
}

test('a record equal to ours is stored without reading those of third devices', () => {
  const files = openTable()
  files.updateLocal([file('a')])
  files.updateRemote(FIRST!, [file('a')])
  files.updateRemote(SECOND!, [file('b')])
  files.database.exec("UPDATE files SET sum = sum + 1 WHERE device = 1 AND name = 'a'")
  files.updateRemote(SECOND!, [file('a')])
  assert.equal(files.state.remoteNeed(SECOND!)?.files, 0)
  assert.throws(() => files.updateRemote(SECOND!, [file('a', { version: version(2) })]), /not what was written/)
})

test('the record that kept another one from winning is replaced by one equal to ours', () => {
  const files = openTable()
  const times = { ours: 5, early: 9, late: 4 }
  files.updateLocal([file('a', { version: version(0, 0, 1), modifiedS: times.ours })])
  files.updateRemote(FIRST!, [file('a', { version: version(1), modifiedS: times.early })])
  // It is newer than that of the first device, and loses against ours.
  files.updateRemote(SECOND!, [file('a', { version: version(2), modifiedS: times.late })])
  assert.equal(files.state.need.files, 0)
  files.updateRemote(SECOND!, [file('a', { version: version(0, 0, 1), modifiedS: times.ours })])
  assert.equal(files.state.need.files, 1)
  assert.equal(files.global('a')?.modifiedS, times.early)
})

test('a long block list that third devices have, too, stays until its last record is gone', () => {
  const files = openTable()
  const long = file('a', { blockHashes: blocks('a', 3) })
  files.updateRemote(FIRST!, [long])
  files.updateRemote(SECOND!, [long])
  files.updateLocal([file('a', { version: version(2) })])
  files.updateRemote(SECOND!, [file('a', { version: version(2) })])
  assert.equal(files.get(FIRST!, 'a')?.blockHashes?.length, 3 * 32)
  files.updateRemote(FIRST!, [file('a', { version: version(2) })])
  assert.equal(files.database.prepare('SELECT count(*) AS lists FROM lists').get()?.['lists'], 0)
})
