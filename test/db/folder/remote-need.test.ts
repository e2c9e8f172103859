import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { checkFolder } from '../../../src/db/folder/check.ts'
import { FolderState } from '../../../src/db/folder/folder-state.ts'
import { FolderTable } from '../../../src/db/folder/folder-table.ts'
import { RemoteNeed } from '../../../src/db/folder/remote-need.ts'
import { readMeta, writeMeta } from '../../../src/db/sqlite/meta.ts'
import { FOLDER_SCHEMA, migrate } from '../../../src/db/sqlite/schema.ts'
import { nodeClock } from '../../../src/platform/node/clock.ts'
import { deletion, DEVICES, file, FOLDER, version } from '../records.ts'

const [DEVICE] = DEVICES
/** Two steps of a count, and some names more. */
const NAMES = Array.from({ length: 2_500 }, (_none, place) => `file ${String(place).padStart(5, '0')}`)

function madeIndex(): { readonly database: DatabaseSync; open(): FolderTable } {
  const database = new DatabaseSync(':memory:')
  migrate(database, FOLDER_SCHEMA)
  const open = () => new FolderTable(database, () => new FolderState(FOLDER, 1n))
  const files = open()
  files.updateLocal(NAMES.map((name) => file(name, { version: version(2) })))
  files.updateLocal([deletion('gone', { version: version(3) })])
  const theirs = NAMES.slice(0, 2_000).map((name, place) => file(name, { version: version(place % 10 === 0 ? 1 : 2) }))
  files.updateRemote(DEVICE!, [...theirs, file('gone', { version: version(2) })])
  return { database, open }
}

const NEEDED = { files: 700, directories: 0, symlinks: 0, deleted: 1, bytes: 700_000 }

test('what a device needs is stored with the index: nothing is counted after a start', () => {
  const { open } = madeIndex()
  assert.deepEqual(open().state.remoteNeed(DEVICE!), NEEDED)
})

test('the need of a device is counted once in an index of an earlier release, while names change', () => {
  const { database, open } = madeIndex()
  const { having, ...earlier } = JSON.parse(readMeta(database, 'state')!) as Record<string, unknown>
  assert.ok(having)
  writeMeta(database, 'state', JSON.stringify(earlier))

  const files = open()
  const need = new RemoteNeed(database, files)
  assert.equal(need.count(DEVICE!), undefined) // the first step
  files.updateRemote(DEVICE!, [file(NAMES[0]!, { version: version(2) }), file(NAMES[2_400]!, { version: version(2) })])
  files.updateLocal([file('a new name', { version: version(1) }), file('z new name', { version: version(1) })])
  assert.equal(need.count(DEVICE!), undefined)
  assert.deepEqual(need.count(DEVICE!), NEEDED) // two of each less and more
  assert.deepEqual(open().state.remoteNeed(DEVICE!), NEEDED)
})

test('a device without records needs every live item', () => {
  const { open } = madeIndex()
  const everything = { files: 2_500, directories: 0, symlinks: 0, deleted: 0, bytes: 2_500_000 }
  assert.deepEqual(open().state.remoteNeed(DEVICES[1]!), everything)
  const files = open()
  while (!files.dropSome(DEVICE!, 1_000)) assert.notDeepEqual(files.state.remoteNeed(DEVICE!), undefined)
  assert.deepEqual(files.state.remoteNeed(DEVICE!), everything)
})

test('the check of an index drops a wrong count of what a device has, and keeps a right one', async () => {
  const { database, open } = madeIndex()
  await checkFolder(database, nodeClock)
  assert.deepEqual(open().state.remoteNeed(DEVICE!), NEEDED)
  const state = JSON.parse(readMeta(database, 'state') ?? '')
  state.having[0][1][0] += 5
  writeMeta(database, 'state', JSON.stringify(state))
  assert.equal(open().state.remoteNeed(DEVICE!)?.files, NEEDED.files - 5)
  await checkFolder(database, nodeClock)
  const files = open()
  assert.equal(files.state.remoteNeed(DEVICE!), undefined)
  const remoteNeed = new RemoteNeed(database, files)
  let counts = remoteNeed.count(DEVICE!)
  for (let step = 0; counts === undefined && step < 10; step++) counts = remoteNeed.count(DEVICE!)
  assert.deepEqual(counts, NEEDED)
})
