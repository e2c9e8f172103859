import { DatabaseSync } from 'node:sqlite'
import { TwinfoldError } from '../../core/errors.ts'
import { damaged } from './damage.ts'
import { readMeta, writeMeta } from './meta.ts'
import { inTransaction, Query } from './sql.ts'

/** The device number of this device in a folder's tables. */
export const LOCAL_NUMBER = 0

/** The migration steps of one kind of database, oldest first. A released step is never edited. */
export type Schema = readonly string[]

/**
 * - `mark` stores whose record wins a name. Our own row: 0 it wins, -1 another wins. A row of another device: 0 it does
 *   not win, 1 it wins and we have it, 2 it wins and we need it, -2 it is a deletion that contests our record. While
 *   only we have records, all marks stay 0.
 * - `bits` packs type, flags, permissions and nanoseconds; `version` holds the author and the version vector as text,
 *   `hash` the hash over all blocks as text: reading a short text from SQLite costs a tenth of reading a short blob.
 * - `single` is the block hash of a file with one block, the commonest file. A longer list has a row in another table,
 *   so that scans do not read it; all records of a name that have the same blocks share it.
 * - Everything is stored in the order of names or sequence numbers, as scans and indexes deliver it: an index over
 *   hashes would touch a thousand scattered pages for every thousand files (measured: 8 ms of 17 per batch).
 * - `stamp` is the disk stamp of our own files. It has its own checksum (folder/stamp-value.ts), so that scans can
 *   set it without reading the row.
 * - `extra` holds rare fields; see folder/extra.ts. `blocks` is filled on the first query; see block-table.ts.
 * - `history` has one row for each batch of changes of ours (history/batch-text.ts), not one for each change: a row per
 *   change would cost as much as the record itself.
 */
export const FOLDER_SCHEMA: Schema = [
  `CREATE TABLE files (
    device INTEGER NOT NULL, name TEXT NOT NULL, mark INTEGER NOT NULL, bits INTEGER NOT NULL,
    modified_s INTEGER NOT NULL, size INTEGER NOT NULL, sequence INTEGER NOT NULL, version TEXT NOT NULL,
    hash TEXT NOT NULL, block_size INTEGER NOT NULL, target TEXT NOT NULL, sum INTEGER NOT NULL,
    list INTEGER, single BLOB, PRIMARY KEY (device, name)) WITHOUT ROWID;
  CREATE INDEX files_won ON files (mark, name) WHERE mark > 0;
  CREATE INDEX files_own ON files (sequence) WHERE device = 0;
  CREATE TABLE lists (id INTEGER PRIMARY KEY, hashes BLOB NOT NULL)`,
  `ALTER TABLE files ADD COLUMN extra TEXT;
  CREATE TABLE blocks (key INTEGER NOT NULL, sequence INTEGER NOT NULL, PRIMARY KEY (key, sequence)) WITHOUT ROWID`,
  'ALTER TABLE files ADD COLUMN stamp INTEGER',
  'CREATE INDEX files_contested ON files (name) WHERE mark = -2',
  `CREATE TABLE history (
    id INTEGER PRIMARY KEY, time_ms INTEGER NOT NULL, bytes INTEGER NOT NULL,
    data BLOB NOT NULL, sum INTEGER NOT NULL)`,
]

export const MAIN_SCHEMA: Schema = [
  'CREATE TABLE pairs (key TEXT PRIMARY KEY, value BLOB NOT NULL, sum INTEGER NOT NULL) WITHOUT ROWID',
]

/** Newer versions must keep this table unchanged, so that an older one can report why it refuses the database. */
const META = 'CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL, sum INTEGER NOT NULL) WITHOUT ROWID'

/**
 * Migrates a database to the newest schema. Each step is one transaction together with its schema number: after a kill
 * at any moment, the next start resumes where this one stopped. Rejects databases of a newer version.
 */
export function migrate(database: DatabaseSync, schema: Schema): void {
  if (isEmpty(database)) {
    inTransaction(database, () => {
      database.exec(META)
      writeMeta(database, 'schema', '0')
    })
  }
  const version = Number(readMeta(database, 'schema') ?? Number.NaN)
  if (!Number.isInteger(version) || version < 0) throw damaged('its schema number is missing')
  if (version > schema.length) {
    const message =
      `the index database was written by a newer version of the program (schema ${version}, ` +
      `this version supports ${schema.length}): use the newer version, or delete the index and let it be rebuilt`
    throw new TwinfoldError('database-newer', message)
  }
  schema.slice(version).forEach((step, index) => {
    inTransaction(database, () => {
      database.exec(step)
      writeMeta(database, 'schema', String(version + index + 1))
    })
  })
  if (schemaText(database) !== expectedText(schema)) throw damaged('its tables are not ours')
}

function isEmpty(database: DatabaseSync): boolean {
  return new Query(database, 'SELECT 1 FROM sqlite_schema LIMIT 1').first() === undefined
}

function schemaText(database: DatabaseSync): string {
  return JSON.stringify(new Query(database, 'SELECT name, tbl_name, sql FROM sqlite_schema ORDER BY name').all())
}

/** Made once for each schema: every folder opens a database. */
const expectedTexts = new WeakMap<Schema, string>()

function expectedText(schema: Schema): string {
  const known = expectedTexts.get(schema) ?? textOfNew(schema)
  expectedTexts.set(schema, known)
  return known
}

function textOfNew(schema: Schema): string {
  const model = new DatabaseSync(':memory:')
  try {
    model.exec(META)
    for (const step of schema) model.exec(step)
    return schemaText(model)
  } finally {
    model.close()
  }
}
