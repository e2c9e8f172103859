import { DatabaseSync } from 'node:sqlite'
import { messageOf, systemCode, TwinfoldError } from '../../core/errors.ts'
import type { Clock } from '../../platform/clock.ts'
import { checkStructure } from './check-structure.ts'
import { explainError, isDamaged } from './damage.ts'
import type { DatabaseFile } from './database-file.ts'
import { migrate, type Schema } from './schema.ts'
import { Query } from './sql.ts'

/** What a database holds and how to look after it. */
export interface Kind<Tables> {
  readonly schema: Schema
  /** Reads all of it and throws damage when it is not what was written. */
  check(database: DatabaseSync, clock: Clock): Promise<void>
  open(database: DatabaseSync): Tables
}

export interface RecoverableDatabaseDeps {
  readonly clock: Clock
  /** Undefined: the database lives in memory. */
  readonly file: DatabaseFile | undefined
  onRecovered(reason: string, keptAt: string): void
}

/**
 * Settings of every database. One process has it (the home is locked), so it needs no shared memory beside the file.
 * NORMAL: a killed process loses nothing, a loss of power at most the last batches, never the order of batches.
 *
 * The log is carried over into the main file often and in small pieces, inside the commit that fills it. Measured with
 * batches of 1000 new files on a busy machine: at 1000 pages (the default) the 99th percentile of a batch was 45 ms, at
 * 250 pages 21 ms for 5 % more work; without it, carrying over by hand in quiet moments, the log of a long scan grew
 * without bound and each piece took as long as it does now.
 *
 * Scans go through the pages in order, so a small cache does: 8 MiB and 32 MiB took the same time for 50,000 files.
 */
const SETTINGS = `
  PRAGMA locking_mode = EXCLUSIVE;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA cache_size = -8192;
  PRAGMA wal_autocheckpoint = 250;
  PRAGMA journal_size_limit = 67108864;
  PRAGMA temp_store = MEMORY;
  PRAGMA trusted_schema = OFF;
  PRAGMA cell_size_check = ON;
`

/**
 * An open database that is put aside and begun anew, empty, when it turns out to be damaged: while opening, or later,
 * when a row that is read is not what was written. The call that found the damage rejects with `database-damaged`;
 * the next one finds an empty database. Nothing is ever concluded from damaged content.
 */
export class RecoverableDatabase<Tables> {
  readonly #deps: RecoverableDatabaseDeps
  readonly #kind: Kind<Tables>
  #open: { readonly database: DatabaseSync; readonly tables: Tables; readonly seal: string | undefined } | undefined
  /** Set while a piece of work that takes more than one turn has the database for itself. */
  #busy: Promise<unknown> | undefined
  /** Found while in use; the files are still in their place. */
  #damage: TwinfoldError | undefined
  #closed = false

  private constructor(deps: RecoverableDatabaseDeps, kind: Kind<Tables>) {
    this.#deps = deps
    this.#kind = kind
  }

  static async open<Tables>(deps: RecoverableDatabaseDeps, kind: Kind<Tables>): Promise<RecoverableDatabase<Tables>> {
    const guarded = new RecoverableDatabase(deps, kind)
    await guarded.#alone(() => guarded.#openOrRecover())
    return guarded
  }

  /** Runs `work` in its turn. It must do all it does at once; what takes longer is for `runLong`. */
  async run<T>(work: (tables: Tables) => T): Promise<T> {
    for (;;) {
      if (this.#busy === undefined && this.#open !== undefined) return this.#guard(work, this.#open.tables)
      await this.#turn()
    }
  }

  /** What is in memory of an open database that nobody works on; nothing of the file may be read through it. */
  peek(): Tables | undefined {
    return this.#busy === undefined ? this.#open?.tables : undefined
  }

  /** Calls `step` until it says true; others wait until then, but the rest of the program goes on between steps. */
  async runLong(step: (tables: Tables) => boolean): Promise<void> {
    for (;;) {
      if (this.#busy === undefined && this.#open !== undefined) {
        const { tables } = this.#open
        return this.#alone(async () => {
          while (!this.#guard(step, tables)) await this.#deps.clock.sleep(0, NEVER)
        })
      }
      await this.#turn()
    }
  }

  async close(): Promise<void> {
    while (this.#busy !== undefined) await this.#busy.catch(ignore)
    this.#closed = true
    await this.#alone(() => this.#closeAndSeal())
  }

  /** Waits for others, or opens the database again after damage. */
  async #turn(): Promise<void> {
    if (this.#busy !== undefined) await this.#busy.catch(ignore)
    else if (this.#closed) throw new TwinfoldError('stopped', 'the index database is closed')
    else await this.#alone(() => this.#openOrRecover())
  }

  #guard<T>(work: (tables: Tables) => T, tables: Tables): T {
    try {
      return work(tables)
    } catch (error) {
      const reason = explainError(error, this.#path, false)
      // Closed at once, so that nobody reads on; the next call puts it aside. The error that told us is thrown first.
      if (isDamaged(reason) && this.#deps.file !== undefined) this.#abandon(reason)
      throw reason
    }
  }

  #abandon(reason: TwinfoldError): void {
    this.#damage = reason
    this.#discard()
  }

  async #openOrRecover(): Promise<void> {
    const known = this.#damage
    this.#damage = undefined
    if (known !== undefined) await this.#putAside(known)
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
    const database = new DatabaseSync(file?.path ?? ':memory:')
    try {
      database.exec(SETTINGS)
      if (found?.trusted === false) checkStructure(database)
      migrate(database, this.#kind.schema)
      if (found?.trusted === false) await this.#kind.check(database, clock)
      this.#open = { database, tables: this.#kind.open(database), seal: found?.seal }
    } catch (error) {
      database.close()
      throw error
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
    this.#discard()
    await this.#deps.file?.seal(written ? undefined : seal)
  }

  #discard(): void {
    const database = this.#open?.database
    this.#open = undefined
    if (database?.isOpen) database.close()
  }

  get #path(): string {
    return this.#deps.file?.path ?? 'in memory'
  }

  async #alone(work: () => Promise<void>): Promise<void> {
    const busy = work()
    this.#busy = busy
    try {
      await busy
    } finally {
      this.#busy = undefined
    }
  }
}

const NEVER = new AbortController().signal

/** Whoever started the work hears of its failure; those who wait for their turn do not. */
function ignore(): void {}
