import type { PastItem } from '../../core/history/entry.ts'
import type { RecoverableDatabase } from '../sqlite/recoverable-database.ts'
import type { History, HistoryStep, HistoryWanted } from '../types.ts'
import type { FolderTables } from './folder-tables.ts'

/** Implements `History` on the database of a folder. */
export class StoredHistory implements History {
  readonly #database: RecoverableDatabase<FolderTables>

  constructor(database: RecoverableDatabase<FolderTables>) {
    this.#database = database
  }

  begin(): Promise<void> {
    return this.#database.run(({ files }) => files.beginHistory())
  }

  sinceMs(): Promise<number | undefined> {
    return this.#database.run(({ files }) => files.state.history?.sinceMs)
  }

  expectRestored(names: readonly string[]): Promise<void> {
    return this.#database.run(({ files }) => files.history.expectRestored(names))
  }

  expectRewound(items: ReadonlyMap<string, PastItem>): Promise<void> {
    return this.#database.run(({ files }) => files.history.expectRewound(items))
  }

  lastBatch(): Promise<number> {
    return this.#database.run(({ history }) => history.last())
  }

  lastBatchAt(timeMs: number): Promise<number> {
    return this.#database.run(({ history }) => history.lastAt(timeMs))
  }

  after(batch: number): Promise<HistoryStep> {
    return this.#database.run(({ history }) => history.after(batch))
  }

  before(batch: number, wanted?: HistoryWanted): Promise<HistoryStep> {
    return this.#database.run(({ history }) => history.before(batch, wanted))
  }
}
