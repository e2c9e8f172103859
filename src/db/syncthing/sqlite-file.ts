import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { isMissing, messageOf, TwinfoldError } from '../../core/errors.ts'
import type { Disk } from '../../platform/disk.ts'
import { damaged, explainError } from '../sqlite/damage.ts'
import { Query } from '../sqlite/sql.ts'

const PRIVATE_FILE = 0o600
const PRIVATE_DIRECTORY = 0o700
/** The first schema whose names and versions are in tables of their own. */
const SCHEMA_MIN = 5

/**
 * A database of Syncthing 2.x, opened so that nothing is written beside it. One with a log is copied with its log
 * first: SQLite would apply the log to the file.
 */
export class SqliteFile implements AsyncDisposable {
  readonly #database: DatabaseSync
  readonly #path: string
  readonly #cleanUp: () => Promise<void>
  readonly #queries = new Map<string, Query>()

  private constructor(database: DatabaseSync, path: string, cleanUp: () => Promise<void>) {
    this.#database = database
    this.#path = path
    this.#cleanUp = cleanUp
  }

  /** `scratch` is a directory of ours, for copies. */
  static async open(disk: Disk, path: string, scratch: string): Promise<SqliteFile> {
    const walBytes = await sizeOf(disk, `${path}-wal`)
    if (!((await sizeOf(disk, path)) > 0)) throw damaged(`${basename(path)} is missing or empty`)
    const file = walBytes > 0 ? await openCopy(disk, path, scratch) : openUnchanged(path)
    try {
      file.assertSchema()
      return file
    } catch (error) {
      await file[Symbol.asyncDispose]()
      throw error
    }
  }

  static unchanged(path: string): SqliteFile {
    const url = pathToFileURL(path)
    url.search = 'immutable=1'
    return new SqliteFile(new DatabaseSync(url, { readOnly: true }), path, async () => {})
  }

  static copy(path: string, cleanUp: () => Promise<void>): SqliteFile {
    return new SqliteFile(new DatabaseSync(path), path, cleanUp)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#database.close()
    await this.#cleanUp()
  }

  /** Runs a query; errors mean that the database is damaged, or of a version with other tables. */
  run<T>(sql: string, work: (query: Query) => T): T {
    try {
      return work(this.#query(sql))
    } catch (error) {
      const reason = explainError(error, this.#path, true)
      throw reason instanceof TwinfoldError ? named(reason, basename(this.#path)) : reason
    }
  }

  #query(sql: string): Query {
    let query = this.#queries.get(sql)
    if (query === undefined) this.#queries.set(sql, (query = new Query(this.#database, sql)))
    return query
  }

  assertSchema(): void {
    const [schema] = this.run('SELECT max(schema_version) FROM schemamigrations', (query) => query.first() ?? [])
    if (typeof schema === 'number' && schema >= SCHEMA_MIN) return
    const message = `its schema ${String(schema)} is an early one; a current Syncthing 2 converts it when started`
    throw new TwinfoldError('database-unavailable', message)
  }
}

function openUnchanged(path: string): SqliteFile {
  return guarded(path, () => SqliteFile.unchanged(path))
}

async function openCopy(disk: Disk, path: string, scratch: string): Promise<SqliteFile> {
  await disk.makeDirectories(scratch, PRIVATE_DIRECTORY)
  const copy = join(scratch, basename(path))
  const cleanUp = async () => {
    for (const suffix of ['', '-wal', '-shm']) await disk.removeFile(copy + suffix).catch(ignoreMissing)
  }
  await cleanUp()
  for (const suffix of ['', '-wal']) await disk.copyNew(path + suffix, copy + suffix, PRIVATE_FILE)
  return guarded(path, () => SqliteFile.copy(copy, cleanUp))
}

function guarded(path: string, open: () => SqliteFile): SqliteFile {
  try {
    return open()
  } catch (error) {
    throw explainError(error, path, true)
  }
}

function named(error: TwinfoldError, name: string): TwinfoldError {
  return new TwinfoldError(error.code, `${name}: ${messageOf(error)}`, { cause: error })
}

async function sizeOf(disk: Disk, path: string): Promise<number> {
  try {
    return (await disk.stat(path)).sizeBytes
  } catch (error) {
    if (isMissing(error)) return 0
    throw error
  }
}

function ignoreMissing(error: unknown): void {
  if (!isMissing(error)) throw error
}
