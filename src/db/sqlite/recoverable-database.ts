import { DatabaseSync } from 'node:sqlite'
import { messageOf, systemCode, TwinfoldError } from '../../core/errors.ts'
import type { Clock } from '../../platform/clock.ts'
import { checkQuickly, checkStructure } from './check-structure.ts'
import { USUAL_CHECKPOINT_PAGES } from './checkpoints.ts'
import { explainError, isDamaged } from './damage.ts'
import type { DatabaseFile } from './database-file.ts'
import { migrate, type Schema } from './schema.ts'
import { Query } from './sql.ts'
import type { WorkMeter } from './work-meter.ts'
import { NEVER } from '../../core/never.ts'
import { turnsOf } from '../../sync/turns.ts'

/** The schema of a database, and how to check and open it. */
export interface Kind<Tables> {
  readonly schema: Schema
  /** Reads all of it and throws `database-damaged` when it is not what was written. */
  check(database: DatabaseSync, clock: Clock): Promise<void>
  open(database: DatabaseSync): Tables
}

export interface RecoverableDatabaseDeps {
  readonly clock: Clock
  /** Undefined: the database is in memory. */
  readonly file: DatabaseFile | undefined
  openInMemory(): DatabaseSync
  onRecovered(reason: string, keptAt: string): void
  readonly meter: WorkMeter
}

/**
 * Settings of every database. One process uses it (the home is locked), so it needs no shared memory beside the file.
 * NORMAL: a killed process loses nothing; a power failure loses at most the last batches, never their order.
 *
 * Each folder has a cache, and the system caches the file, too, so a small one suffices: scans read the pages in order,
 * and the statements of a pull of 100,000 files in random order took as long with 2 as with 8 MiB.
 */
const SETTINGS = `
  PRAGMA locking_mode = EXCLUSIVE;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA cache_size = -2048;
  PRAGMA wal_autocheckpoint = ${USUAL_CHECKPOINT_PAGES};
  PRAGMA journal_size_limit = 67108864;
  PRAGMA temp_store = MEMORY;
  PRAGMA trusted_schema = OFF;
  PRAGMA cell_size_check = ON;
`

/**
 * An open database that is put aside and replaced by an empty one when damage is detected: while opening, or later,
 * when a row that is read is not what was written. The call that detects the damage rejects with `database-damaged`;
 * the next one finds an empty database. Damaged content is never used.
 */
export class RecoverableDatabase<Tables> {
  readonly #deps: RecoverableDatabaseDeps
  readonly #kind: Kind<Tables>
  #open: { readonly database: DatabaseSync; readonly tables: Tables; readonly seal: string | undefined } | undefined
  /** Set while a task of more than one step holds the database exclusively. */
  #busy: Promise<unknown> | undefined
  /** Damage detected while in use; the files are still in their place. */
  #damage: TwinfoldError | undefined
  #closed = false

  private constructor(deps: RecoverableDatabaseDeps, kind: Kind<Tables>) {
    this.#deps = deps
    this.#kind = kind
  }

  static async open<Tables>(deps: RecoverableDatabaseDeps, kind: Kind<Tables>): Promise<RecoverableDatabase<Tables>> {
    const database = new RecoverableDatabase(deps, kind)
    await database.#exclusive(() => database.#openOrRecover())
    return database
  }

  /** Runs `work` when the database is idle. It must be short and synchronous; longer tasks use `runLong`. */
  async run<T>(work: (tables: Tables) => T): Promise<T> {
    for (;;) {
      if (this.#busy === undefined && this.#open !== undefined) return this.#runGuarded(work, this.#open.tables)
      await this.#waitUntilIdle()
    }
  }

  /** The same at once; undefined, with nothing done, where it would have to wait. */
  runNow<T>(work: (tables: Tables) => T): T | undefined {
    return this.#busy === undefined && this.#open !== undefined ? this.#runGuarded(work, this.#open.tables) : undefined
  }

  /** Whether a file of at most this size was checked, page by page. Damage rejects, as in any other call. */
  async checkPages(sizeBytesMax: number): Promise<boolean> {
    return await this.run(() => {
      const { database } = this.#open!
      const [pages] = new Query(database, 'PRAGMA page_count').first() ?? []
      const [pageBytes] = new Query(database, 'PRAGMA page_size').first() ?? []
      if (Number(pages) * Number(pageBytes) > sizeBytesMax) return false
      checkQuickly(database)
      return true
    })
  }

  /** The in-memory state of an open and idle database; callers must not read from the file through it. */
  peek(): Tables | undefined {
    return this.#busy === undefined ? this.#open?.tables : undefined
  }

  /** Calls `step` until it returns true. Other calls wait until then; the event loop runs between steps. */
  async runLong(step: (tables: Tables) => boolean): Promise<void> {
    for (;;) {
      if (this.#busy === undefined && this.#open !== undefined) {
        const { tables } = this.#open
        return this.#exclusive(async () => {
          while (!this.#runGuarded(step, tables)) await this.#deps.clock.sleep(0, NEVER)
        })
      }
      await this.#waitUntilIdle()
    }
  }

  async close(): Promise<void> {
    while (this.#busy !== undefined) await this.#busy.catch(ignore)
    this.#closed = true
    await this.#exclusive(() => this.#closeAndSeal())
  }

  /** Waits for the running task, or opens the database again after damage. */
  async #waitUntilIdle(): Promise<void> {
    if (this.#busy !== undefined) await this.#busy.catch(ignore)
    else if (this.#closed) throw new TwinfoldError('stopped', 'the index database is closed')
    else await this.#exclusive(() => this.#openOrRecover())
  }

  #runGuarded<T>(work: (tables: Tables) => T, tables: Tables): T {
    const { clock, meter } = this.#deps
    const begunMs = clock.monotonicMs()
    try {
      return work(tables)
    } catch (error) {
      const reason = explainError(error, this.#path, false)
      // Closed at once, so that no further read uses it; the next call puts it aside.
      if (isDamaged(reason) && this.#deps.file !== undefined) this.#abandon(reason)
      throw reason
    } finally {
      meter.ran(clock.monotonicMs() - begunMs)
    }
  }

  #abandon(reason: TwinfoldError): void {
    this.#damage = reason
    this.#discard()
  }

  async #openOrRecover(): Promise<void> {
    const earlier = this.#damage
    this.#damage = undefined
    if (earlier !== undefined) await this.#putAside(earlier)
    try {
      await this.#openOnce()
    } catch (error) {
      const reason = this.#explain(error)
      if (!isDamaged(reason)) throw reason
      await this.#putAside(reason)
      await this.#openOnce()
    }
  }

  async #putAside(reason: TwinfoldError): Promise<void> {
    const { file } = this.#deps
    if (file === undefined) throw reason
    try {
      this.#deps.onRecovered(reason.message, await file.putAside())
    } catch (error) {
      this.#damage = reason
      throw this.#explain(error)
    }
  }

  async #openOnce(): Promise<void> {
    const { file, clock } = this.#deps
    const found = await file?.prepare()
    // A start opens the databases of all folders.
    const turns = turnsOf(clock)
    const entering = turns.enter()
    if (entering !== undefined) await entering
    const begunMs = clock.monotonicMs()
    const database = file === undefined ? this.#deps.openInMemory() : new DatabaseSync(file.path)
    try {
      database.exec(SETTINGS)
      if (found?.trusted === false) checkStructure(database)
      migrate(database, this.#kind.schema)
      if (found?.trusted === false) await this.#kind.check(database, clock)
      this.#open = { database, tables: this.#kind.open(database), seal: found?.seal }
    } catch (error) {
      database.close()
      throw error
    } finally {
      turns.worked(clock.monotonicMs() - begunMs)
    }
  }

  #explain(error: unknown): unknown {
    if (systemCode(error)?.startsWith('E') && !systemCode(error)?.startsWith('ERR_')) {
      const message = `cannot use the index database ${this.#path}: ${messageOf(error)}`
      return new TwinfoldError('database-unavailable', message, { cause: error })
    }
    return explainError(error, this.#path, true)
  }

  async #closeAndSeal(): Promise<void> {
    if (this.#open === undefined) return
    const { database, seal } = this.#open
    const written = new Query(database, 'SELECT total_changes()').first()?.[0] !== 0
    const isSynced = !written || (await this.#checkpoint(database))
    this.#discard()
    // Without a seal its content is checked before it is used again.
    if (isSynced) await this.#deps.file?.seal(written ? undefined : seal)
  }

  /**
   * What closing it would do, in the same order: the log is synced, copied to the main file, and that is synced. SQLite
   * syncs while everything else waits; with many databases that takes longer than a stop may.
   */
  async #checkpoint(database: DatabaseSync): Promise<boolean> {
    const { file } = this.#deps
    try {
      if (file === undefined || !(await file.syncLog())) return true
      database.exec('PRAGMA synchronous = OFF; PRAGMA wal_checkpoint(FULL)')
      await file.sync()
      return true
    } catch {
      leaveSyncToClose(database)
      return false
    }
  }

  #discard(): void {
    const database = this.#open?.database
    this.#open = undefined
    if (database?.isOpen) database.close()
  }

  get #path(): string {
    return this.#deps.file?.path ?? 'in memory'
  }

  async #exclusive(work: () => Promise<void>): Promise<void> {
    const busy = work()
    this.#busy = busy
    try {
      await busy
    } finally {
      this.#busy = undefined
    }
  }
}

/** Only the call that started the task reports its failure; waiting calls ignore it. */
function ignore(): void {}

/** Closing copies something again, and syncs it: where that fails, too, SQLite keeps the log. */
function leaveSyncToClose(database: DatabaseSync): void {
  try {
    database.exec('PRAGMA synchronous = NORMAL; PRAGMA user_version = 0')
  } catch {
    // The log cannot be written to: it is as it was synced.
  }
}
