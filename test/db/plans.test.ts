import assert from 'node:assert/strict'
import { constants, DatabaseSync, type StatementSync } from 'node:sqlite'
import { test } from 'node:test'
import { BlockTable } from '../../src/db/blocks/block-table.ts'
import { Browser } from '../../src/db/folder/browse.ts'
import { ContestedNames } from '../../src/db/folder/contested-names.ts'
import { FolderState } from '../../src/db/folder/folder-state.ts'
import { FolderTable } from '../../src/db/folder/folder-table.ts'
import { folderKind } from '../../src/db/folder/folder-tables.ts'
import { Listing } from '../../src/db/folder/listing.ts'
import { RemoteNeed } from '../../src/db/folder/remote-need.ts'
import { FOLDER_SCHEMA, migrate } from '../../src/db/sqlite/schema.ts'
import { Query } from '../../src/db/sqlite/sql.ts'
import { SequenceReader } from '../../src/db/folder/sequence-reader.ts'
import { WorkMeter } from '../../src/db/sqlite/work-meter.ts'
import { nodeClock } from '../../src/platform/node/clock.ts'
import { nodeRandom } from '../../src/platform/node/random.ts'
import { FOLDER } from './records.ts'

/** Records the statements that it prepares. */
class RecordingDatabase extends DatabaseSync {
  readonly statements: string[] = []

  override prepare(sql: string): StatementSync {
    this.statements.push(sql)
    return super.prepare(sql)
  }
}

/** All statements that are kept while the index of a folder is open. */
function statementsOf(database: RecordingDatabase): readonly string[] {
  migrate(database, FOLDER_SCHEMA)
  const statements = new Set<string>()
  Query.onDeclared = (sql) => void statements.add(sql)
  using _listening = { [Symbol.dispose]: () => void (Query.onDeclared = undefined) }
  const files = new FolderTable(database, () => new FolderState(FOLDER, 1n))
  const { reader } = files
  const others = [
    new BlockTable(database),
    new Browser(database, reader),
    new SequenceReader(database, reader),
    new RemoteNeed(database, files),
    new Listing(database, files),
    new ContestedNames(database),
  ]
  assert.equal(others.length, 6)
  return [...statements]
}

test('index: no query scans or sorts a whole table', () => {
  using database = new RecordingDatabase(':memory:')
  const statements = statementsOf(database)
  assert.ok(statements.length > 20, `${statements.length} statements`)
  for (const sql of statements) {
    const plan = database
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => String(detail))
    // The rows of a subquery with a limit are found by the steps below it.
    const steps = plan.filter((step) => !(/ LIMIT \d+\)$/.test(sql) && step === 'SCAN (subquery-1)'))
    assert.ok(!steps.some((step) => /^SCAN |TEMP B-TREE/.test(step)), `${sql}\n${plan.join('\n')}`)
  }
})

test('index: no query is planned again when it gets other values', () => {
  using database = new RecordingDatabase(':memory:')
  const queries = statementsOf(database).filter((sql) => sql.startsWith('SELECT'))
  assert.ok(queries.length > 10, `${queries.length} queries`)
  let planned = 0
  database.setAuthorizer(() => {
    planned++
    return constants.SQLITE_OK
  })
  for (const sql of queries) {
    const query = database.prepare(sql)
    const run = (value: number) => query.all(...Array<number>(sql.split('?').length - 1).fill(value)) // at most 5
    run(1)
    planned = 0
    run(2)
    assert.equal(planned, 0, sql)
  }
})

test('index: opening it prepares only the statements that it uses then', () => {
  using whole = new RecordingDatabase(':memory:')
  const all = statementsOf(whole).length
  using database = new RecordingDatabase(':memory:')
  migrate(database, FOLDER_SCHEMA)
  database.statements.length = 0
  const deps = { clock: nodeClock, meter: new WorkMeter() }
  const tables = folderKind({ folder: FOLDER, random: nodeRandom }, deps).open(database)
  const opened = database.statements.length
  assert.ok(opened < all * 0.1, `${opened} of more than ${all}`)
  assert.ok(tables.listing === tables.listing && tables.sequences === tables.sequences)
})
