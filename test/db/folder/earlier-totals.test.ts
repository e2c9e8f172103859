import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { checkFolder } from '../../../src/db/folder/check.ts'
import { FolderState } from '../../../src/db/folder/folder-state.ts'
import { FolderTable } from '../../../src/db/folder/folder-table.ts'
import { readMeta, writeMeta } from '../../../src/db/sqlite/meta.ts'
import { FOLDER_SCHEMA, migrate } from '../../../src/db/sqlite/schema.ts'
import { nodeClock } from '../../../src/platform/node/clock.ts'
import { deletion, directory, file, FOLDER } from '../records.ts'

/** The state as an earlier release stored it: 128 bytes more for every directory and symlink. */
function earlierText(text: string): string {
  const { filesOnly: _new, ...state } = JSON.parse(text) as Record<string, unknown>
  for (const [name, value] of Object.entries(state)) {
    if (!Array.isArray(value) || value.length !== 5) continue
    state[name] = [...value.slice(0, 4), String(Number(value[4]) + 128 * (Number(value[1]) + Number(value[2])))]
  }
  return JSON.stringify(state)
}

test('an index whose byte totals count directories and symlinks is used, without them', async () => {
  using database = new DatabaseSync(':memory:')
  migrate(database, FOLDER_SCHEMA)
  const open = () => new FolderTable(database, () => new FolderState(FOLDER, 1n))
  open().updateLocal([directory('a'), directory('b'), file('a/f'), file('l', { type: 'symlink' }), deletion('gone')])
  const text = readMeta(database, 'state')!
  writeMeta(database, 'state', earlierText(text))
  assert.notEqual(readMeta(database, 'state'), text)

  await checkFolder(database, nodeClock)
  const files = open()
  const { bytes, directories, symlinks } = files.state.counts().local
  assert.deepEqual([bytes, directories, symlinks], [1000, 2, 1])
  files.updateLocal([deletion('b')])
  assert.equal(files.state.counts().global.bytes, 1000)
  await checkFolder(database, nodeClock)
})
