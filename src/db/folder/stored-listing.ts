import type { Clock } from '../../platform/clock.ts'
import { TreeRequest, type BrowseOptions } from './browse.ts'
import type { FolderTables } from './folder-tables.ts'
import type { RecoverableDatabase } from '../sqlite/recoverable-database.ts'
import type { FileHead } from '../../core/records/file-info.ts'
import { IndexSearch } from './name-search.ts'
import type { GlobalStep, ListStep, Listing, NameRecords, NameSearch, OwnName, TreeEntry } from '../types.ts'
import { NEVER } from '../../core/never.ts'

/** Implements `Listing` on the database of a folder. */
export class StoredListing implements Listing {
  readonly #database: RecoverableDatabase<FolderTables>
  readonly #clock: Clock

  constructor(database: RecoverableDatabase<FolderTables>, clock: Clock) {
    this.#database = database
    this.#clock = clock
  }

  async browse(options: BrowseOptions): Promise<readonly TreeEntry[]> {
    const request = new TreeRequest(options)
    while (await this.#database.run(({ browser }) => request.step(browser))) await this.#clock.sleep(0, NEVER)
    return request.top
  }

  globalItem(name: string): Promise<FileHead | undefined> {
    return this.#database.run(({ browser }) => browser.find(name))
  }

  globalLevel(directory: string, start: string): Promise<GlobalStep> {
    return this.#database.run(({ browser }) => browser.level(directory, start))
  }

  listNames(start: string): Promise<ListStep> {
    return this.#database.run(({ listing }) => listing.names(start))
  }

  search(text: string, after: string): NameSearch {
    const search = new IndexSearch(text, after)
    return {
      step: (limit) => this.#database.run(({ listing }) => search.step(listing, limit)),
      get searched() {
        return search.searched
      },
    }
  }

  listLevel(directory: string, start: string): Promise<ListStep> {
    return this.#database.run(({ listing }) => listing.level(directory, start))
  }

  nonEmpty(directories: readonly string[]): Promise<ReadonlySet<string>> {
    return this.#database.run(({ listing }) => new Set(directories.filter((name) => listing.hasChildren(name))))
  }

  recordsOf(names: readonly string[]): Promise<readonly NameRecords[]> {
    return this.#database.run(({ listing }) => names.flatMap((name) => listing.records(name) ?? []))
  }

  ownSince(sequence: number): Promise<readonly OwnName[]> {
    return this.#database.run(({ listing }) => listing.ownSince(sequence))
  }
}
