import type { Clock } from '../../platform/clock.ts'
import type { Random } from '../../platform/random.ts'
import { RecoverableDatabase, type RecoverableDatabaseDeps } from '../sqlite/recoverable-database.ts'
import type { FolderIndex } from '../types.ts'
import type { FolderImport } from './folder-import.ts'
import type { FolderOptions } from './folder-state.ts'
import { folderKind, type FolderTables } from './folder-tables.ts'
import { StoredExchangeState } from './stored-exchange-state.ts'
import { StoredHistory } from './stored-history.ts'
import { StoredListing } from './stored-listing.ts'
import { StoredNeeds } from './stored-needs.ts'
import { StoredRecords } from './stored-records.ts'

/** Implements `FolderIndex`: five roles over one recoverable database. */
export class StoredFolderIndex implements FolderIndex {
  readonly records: StoredRecords
  readonly needs: StoredNeeds
  readonly listing: StoredListing
  readonly exchange: StoredExchangeState
  readonly history: StoredHistory
  readonly #database: RecoverableDatabase<FolderTables>

  private constructor(database: RecoverableDatabase<FolderTables>, clock: Clock, random: Random) {
    this.#database = database
    this.records = new StoredRecords(database, clock)
    this.needs = new StoredNeeds(database, clock)
    this.listing = new StoredListing(database, clock)
    this.exchange = new StoredExchangeState(database, random)
    this.history = new StoredHistory(database)
  }

  static async open(options: FolderOptions, deps: RecoverableDatabaseDeps): Promise<StoredFolderIndex> {
    const database = await RecoverableDatabase.open(deps, folderKind(options, deps))
    return new StoredFolderIndex(database, deps.clock, options.random)
  }

  /** As `RecoverableDatabase.checkPages`. */
  checkPages(sizeBytesMax: number): Promise<boolean> {
    return this.#database.checkPages(sizeBytesMax)
  }

  close(): Promise<void> {
    return this.#database.close()
  }

  /** One step of an import, before the index is used otherwise. */
  importing<T>(step: (target: FolderImport) => T): Promise<T> {
    return this.#database.run(({ imports }) => step(imports))
  }
}
