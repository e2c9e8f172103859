import type { HistoryOrigin } from '../../core/history/entry.ts'
import type { FileHead, FileInfo } from '../../core/records/file-info.ts'
import type { DeviceId } from '../../core/ids.ts'
import type { Clock } from '../../platform/clock.ts'
import { BlockSearch, type BlockSearchOptions } from './block-search.ts'
import type { FolderTables } from './folder-tables.ts'
import type { RecoverableDatabase } from '../sqlite/recoverable-database.ts'
import type { BothRecords, IndexOwner, MetVersions, Records } from '../types.ts'
import { NEVER } from '../../core/never.ts'

/** Records removed per step: a few milliseconds, then the event loop runs. */
const DROP_AT_ONCE = 500

/** Implements `Records` on the database of a folder. */
export class StoredRecords implements Records {
  readonly #database: RecoverableDatabase<FolderTables>
  readonly #clock: Clock

  constructor(database: RecoverableDatabase<FolderTables>, clock: Clock) {
    this.#database = database
    this.#clock = clock
  }

  get localState(): object | undefined {
    return this.#database.peek()?.files.localState
  }

  page(
    owner: IndexOwner,
    { within, afterName, limit }: { readonly within: string; readonly afterName: string; readonly limit: number },
  ): Promise<readonly FileHead[]> {
    return this.#database.run(({ files }) => files.page(owner, within, afterName, limit))
  }

  get(owner: IndexOwner, name: string): Promise<FileInfo | undefined> {
    return this.#database.run(({ files }) => files.get(owner, name))
  }

  head(owner: IndexOwner, name: string): Promise<FileHead | undefined> {
    return this.#database.run(({ files }) => files.head(owner, name))
  }

  heads(owner: IndexOwner, names: readonly string[]): Promise<readonly (FileHead | undefined)[]> {
    return this.#database.run(({ files }) => names.map((name) => files.head(owner, name)))
  }

  global(name: string): Promise<FileInfo | undefined> {
    return this.#database.run(({ files }) => files.global(name))
  }

  both(name: string): Promise<BothRecords> {
    return this.#database.run(({ files }) => files.both(name))
  }

  bothNow(name: string): BothRecords | undefined {
    return this.#database.runNow(({ files }) => files.both(name))
  }

  availability(name: string): Promise<readonly DeviceId[]> {
    return this.#database.run(({ files }) => files.availability(name))
  }

  updateLocal(batch: readonly FileInfo[], origin?: HistoryOrigin): Promise<number> {
    return this.#database.run(({ files }) => files.updateLocal(batch, origin))
  }

  setDiskStamps(stamps: ReadonlyMap<string, number>): Promise<void> {
    return this.#database.run(({ files }) => files.setDiskStamps(stamps))
  }

  updateRemote(device: DeviceId, batch: readonly FileInfo[]): Promise<void> {
    return this.#database.run(({ files }) => files.updateRemote(device, batch))
  }

  takeMet(): Promise<MetVersions> {
    return this.#database.run(({ files }) => files.met.take())
  }

  dropDevice(device: DeviceId): Promise<void> {
    return this.#database.runLong(({ files }) => files.dropSome(device, DROP_AT_ONCE))
  }

  async localByBlocks(blocksHash: Uint8Array, limit: number): Promise<readonly FileHead[]> {
    for (;;) {
      const found = await this.#database.run(({ files }) => files.localByBlocks(blocksHash, limit))
      if (found !== undefined) return found
      await this.#database.runLong(({ files }) => files.prepareBlocks())
    }
  }

  async localWithBlocks(hashes: readonly Uint8Array[], options: BlockSearchOptions): Promise<readonly FileInfo[]> {
    const search = new BlockSearch(hashes, options)
    for (;;) {
      const state = await this.#database.run((tables) => search.step(tables))
      if (state === 'done') return search.found
      if (state === 'prepare') await this.#database.runLong(({ files }) => files.prepareBlocks())
      else await this.#clock.sleep(0, NEVER)
    }
  }
}
