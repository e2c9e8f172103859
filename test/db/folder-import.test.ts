import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { FolderImport, type ImportedPositions } from '../../src/db/folder/folder-import.ts'
import { FolderState } from '../../src/db/folder/folder-state.ts'
import { FolderTable } from '../../src/db/folder/folder-table.ts'
import { USUAL_CHECKPOINT_PAGES } from '../../src/db/sqlite/checkpoints.ts'
import { FOLDER_SCHEMA, migrate } from '../../src/db/sqlite/schema.ts'
import { file, FOLDER, SELF } from './records.ts'

const IMPORTED_ID = 77n
const POSITIONS: ImportedPositions = {
  indexId: IMPORTED_ID,
  sequence: 50,
  ownShortId: SELF,
  remotes: new Map(),
  shared: [],
}
const START = { source: 'other', after: '', items: 0, incomplete: [], done: false }
const PROGRESS = { ...START, after: 'b', items: 1 }

/** An index whose changes fail after a number of them. */
class InterruptedTable extends FolderTable {
  changesLeft = Infinity

  override change<T>(work: (state: FolderState) => T): T {
    if (this.changesLeft-- <= 0) throw new Error('interrupted')
    return super.change(work)
  }
}

function importedTable(database: DatabaseSync, sequences: readonly number[]): InterruptedTable {
  migrate(database, FOLDER_SCHEMA)
  const files = new InterruptedTable(database, () => new FolderState(FOLDER, 1n))
  const names = sequences.map((sequence, index) => new Map([['local' as const, file(`f${index}`, { sequence })]]))
  new FolderImport(files).put(names, START, PROGRESS)
  return files
}

test('names that do not follow the stored ones are refused: a part would be taken for the whole', () => {
  using database = new DatabaseSync(':memory:')
  const files = importedTable(database, [3])
  assert.throws(() => new FolderImport(files).put([], START, PROGRESS), /replaced during its import/)
  const next = [new Map([['local' as const, file('g', { sequence: 9 })]])]
  new FolderImport(files).put(next, PROGRESS, { ...PROGRESS, after: 'g' })
  assert.equal(new FolderImport(files).progress()?.after, 'g')
})

test('an imported index continues the ID of the other program', () => {
  using database = new DatabaseSync(':memory:')
  const files = importedTable(database, [3, 4])
  new FolderImport(files).finish(POSITIONS, PROGRESS)
  assert.equal(
    files.change((state) => state.indexId),
    IMPORTED_ID,
  )
})

test('D-09 records with one sequence number are numbered again, whenever that was interrupted', () => {
  for (let changes = 0; ; changes++) {
    using database = new DatabaseSync(':memory:')
    const files = importedTable(database, [3, 3, 4])
    files.changesLeft = changes
    const target = new FolderImport(files)
    let interrupted = false
    try {
      target.finish(POSITIONS, PROGRESS)
    } catch {
      interrupted = true
      assert.equal(target.progress()?.done, false, 'a part is not taken for the whole')
    }
    files.changesLeft = Infinity
    if (interrupted) target.finish(POSITIONS, PROGRESS)
    const sequences = ['f0', 'f1', 'f2'].map((name) => files.get('local', name)?.sequence)
    assert.equal(new Set(sequences).size, 3, `${sequences}`)
    assert.equal(target.progress()?.done, true)
    assert.notEqual(
      files.change((state) => state.indexId),
      IMPORTED_ID,
      'the other devices receive all records',
    )
    if (!interrupted) return assert.ok(changes > 1)
  }
})

test('checkpoints are rare during an import, and as usual after it', () => {
  using database = new DatabaseSync(':memory:')
  const pages = () => Object.values(database.prepare('PRAGMA wal_autocheckpoint').get() ?? {})[0]
  const files = importedTable(database, [3])
  assert.equal(pages(), 4_000)
  new FolderImport(files).finish(POSITIONS, PROGRESS)
  assert.equal(pages(), USUAL_CHECKPOINT_PAGES)
})
