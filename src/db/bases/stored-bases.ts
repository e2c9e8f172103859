import type { FolderId } from '../../core/ids.ts'
import { RecoverableDatabase, type RecoverableDatabaseDeps } from '../sqlite/recoverable-database.ts'
import type { Bases, BaseVersion, NewBase } from '../types.ts'
import { BASES_KIND, type BaseTable } from './base-table.ts'

/** Versions removed per step: a few milliseconds, then the event loop runs. */
const DROP_AT_ONCE = 500

/** Implements `Bases` on a database that is opened at its first use: most devices have none. */
export class StoredBases implements Bases {
  readonly #deps: RecoverableDatabaseDeps
  readonly #exists: () => Promise<boolean>
  #opening: Promise<RecoverableDatabase<BaseTable>> | undefined

  constructor(deps: RecoverableDatabaseDeps, exists: () => Promise<boolean>) {
    this.#deps = deps
    this.#exists = exists
  }

  #open(): Promise<RecoverableDatabase<BaseTable>> {
    const opening = this.#opening ?? RecoverableDatabase.open(this.#deps, BASES_KIND)
    this.#opening = opening
    // A failed open may be retried.
    opening.catch(() => (this.#opening = undefined))
    return opening
  }

  async put(folder: FolderId, bases: readonly NewBase[]): Promise<void> {
    if (bases.length > 0) await (await this.#open()).run((table) => table.put(folder, bases))
  }

  async of(folder: FolderId, name: string): Promise<readonly BaseVersion[]> {
    if (this.#opening === undefined && !(await this.#exists())) return []
    return await (await this.#open()).run((table) => table.of(folder, name))
  }

  async content(id: number): Promise<Uint8Array | undefined> {
    return await (await this.#open()).run((table) => table.content(id))
  }

  async dropFolder(folder: FolderId): Promise<void> {
    if (this.#opening === undefined && !(await this.#exists())) return
    await (await this.#open()).runLong((table) => table.dropSome(folder, DROP_AT_ONCE))
  }

  async close(): Promise<void> {
    const opening = this.#opening
    this.#opening = undefined
    await opening?.then(
      (database) => database.close(),
      () => undefined, // one that failed to open needs no closing
    )
  }
}
