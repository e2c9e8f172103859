import type { FileHead, FileInfo } from '../../core/records/file-info.ts'
import type { DeviceId, ShortId } from '../../core/ids.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Random } from '../../platform/random.ts'
import { BlockSearch, type BlockSearchOptions } from './block-search.ts'
import { TreeRequest, type BrowseOptions } from './browse.ts'
import type { FolderImport } from './folder-import.ts'
import type { FolderOptions } from './folder-state.ts'
import { folderKind, newIndexId, type FolderTables } from './folder-tables.ts'
import { setStamps } from './stamp-value.ts'
import { RecoverableDatabase, type RecoverableDatabaseDeps } from '../sqlite/recoverable-database.ts'
import { readMeta, writeMeta } from '../sqlite/meta.ts'
import { REMOTE_ID_KEY, SENT_KEY, sentText } from './meta-keys.ts'
import { pageOfSteps, type NeedStep } from './remote-need.ts'
import { Restart } from './restart.ts'
import type {
  BatchLimits,
  BothRecords,
  Counts,
  FolderCounts,
  FolderIndex,
  FolderTotals,
  IndexOwner,
  IndexRestart,
  ListStep,
  NameRecords,
  NeededRange,
  OwnName,
  TreeEntry,
} from '../types.ts'
import { NEVER } from '../../core/never.ts'

/** Records removed per step: a few milliseconds, then the event loop runs. */
const DROP_AT_ONCE = 500
const MIN_COUNTER_KEY = 'min-counter'
const SENT = /^([0-9a-f]+) (\d+)$/

/** Implements `FolderIndex` on a recoverable database. */
export class StoredFolderIndex implements FolderIndex {
  readonly #database: RecoverableDatabase<FolderTables>
  readonly #clock: Clock
  readonly #random: Random

  private constructor(database: RecoverableDatabase<FolderTables>, clock: Clock, random: Random) {
    this.#database = database
    this.#clock = clock
    this.#random = random
  }

  static async open(options: FolderOptions, deps: RecoverableDatabaseDeps): Promise<StoredFolderIndex> {
    const database = await RecoverableDatabase.open(deps, folderKind(options, deps.meter))
    return new StoredFolderIndex(database, deps.clock, options.random)
  }

  close(): Promise<void> {
    return this.#database.close()
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

  global(name: string): Promise<FileInfo | undefined> {
    return this.#database.run(({ files }) => files.global(name))
  }

  both(name: string): Promise<BothRecords> {
    return this.#database.run(({ files }) => files.both(name))
  }

  availability(name: string): Promise<readonly DeviceId[]> {
    return this.#database.run(({ files }) => files.availability(name))
  }

  setDiskStamps(stamps: ReadonlyMap<string, number>): Promise<void> {
    return this.#database.run(({ files }) => setStamps(files.database, stamps))
  }

  updateLocal(batch: readonly FileInfo[]): Promise<number> {
    return this.#database.run(({ files }) => files.updateLocal(batch))
  }

  updateRemote(device: DeviceId, batch: readonly FileInfo[]): Promise<void> {
    return this.#database.run(({ files }) => files.updateRemote(device, batch))
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

  get totals(): FolderTotals | undefined {
    return this.#database.peek()?.files.state.totals()
  }

  counts(): Promise<FolderCounts> {
    return this.#database.run(({ files }) => files.state.counts())
  }

  sequence(owner: IndexOwner): Promise<number> {
    return this.#database.run(({ files }) => files.state.holder(owner)?.sequence ?? 0)
  }

  remoteSequences(): Promise<ReadonlyMap<DeviceId, number>> {
    return this.#database.run(({ files }) => files.state.remoteSequences())
  }

  need({ offset, limit, afterName = '' }: Parameters<FolderIndex['need']>[0]): Promise<readonly FileHead[]> {
    return this.#database.run(({ files }) => files.need(afterName, offset, limit))
  }

  neededNames(range: NeededRange): Promise<readonly string[]> {
    return this.#database.run(({ needed }) => needed.names(range))
  }

  contested(options: Parameters<FolderIndex['contested']>[0]): Promise<readonly string[]> {
    return this.#database.run(({ contested }) => contested.page(options))
  }

  takeTouched(): Promise<readonly string[] | undefined> {
    return this.#database.run(({ files }) => files.takeTouched())
  }

  async browse(options: BrowseOptions): Promise<readonly TreeEntry[]> {
    const request = new TreeRequest(options)
    while (await this.#database.run(({ browser }) => request.step(browser))) await this.#clock.sleep(0, NEVER)
    return request.top
  }

  listNames(start: string): Promise<ListStep> {
    return this.#database.run(({ listing }) => listing().names(start))
  }

  listLevel(directory: string, start: string): Promise<ListStep> {
    return this.#database.run(({ listing }) => listing().level(directory, start))
  }

  nonEmpty(directories: readonly string[]): Promise<ReadonlySet<string>> {
    return this.#database.run(({ listing }) => new Set(directories.filter((name) => listing().hasChildren(name))))
  }

  records(names: readonly string[]): Promise<readonly NameRecords[]> {
    return this.#database.run(({ listing }) => names.flatMap((name) => listing().records(name) ?? []))
  }

  ownSince(sequence: number): Promise<readonly OwnName[]> {
    return this.#database.run(({ listing }) => listing().ownSince(sequence))
  }

  indexId(): Promise<bigint> {
    return this.#database.run(({ files }) => files.state.indexId)
  }

  counterId(): Promise<ShortId | undefined> {
    return this.#database.run(({ files }) => files.state.counterId)
  }

  hasNewIds(): Promise<boolean> {
    return this.#database.run(({ files }) => files.state.hasNewIds)
  }

  minCounter(): Promise<number> {
    return this.#database.run(({ files }) => Number(readMeta(files.database, MIN_COUNTER_KEY) ?? '0'))
  }

  setMinCounter(value: number): Promise<void> {
    return this.#database.run(({ files }) => writeMeta(files.database, MIN_COUNTER_KEY, String(value)))
  }

  restart(request: IndexRestart): Promise<void> {
    const restart = new Restart(request, newIndexId(this.#random))
    return this.#database.runLong((tables) => restart.step(tables))
  }

  sentSequence(device: DeviceId): Promise<number | undefined> {
    return this.#database.run(({ files: { database, state } }) => {
      const [, indexId, sequence] = SENT.exec(readMeta(database, SENT_KEY + device) ?? '') ?? []
      if (indexId === state.indexId.toString(16)) return Number(sequence)
      return state.counterId === undefined ? undefined : 0
    })
  }

  setSentSequence(device: DeviceId, sequence: number): Promise<void> {
    return this.#database.run(({ files: { database, state } }) =>
      writeMeta(database, SENT_KEY + device, sentText(state.indexId, sequence)),
    )
  }

  /** One step of an import, before the index is used otherwise. */
  importing<T>(step: (target: FolderImport) => T): Promise<T> {
    return this.#database.run(({ imports }) => step(imports))
  }

  localSince(sequence: number, limits: BatchLimits): Promise<readonly FileInfo[]> {
    return this.#database.run(({ sequences }) => sequences.since(sequence, limits))
  }

  remoteIndexId(device: DeviceId): Promise<bigint> {
    return this.#database.run(({ files }) => BigInt(`0x${readMeta(files.database, REMOTE_ID_KEY + device) ?? '0'}`))
  }

  setRemoteIndexId(device: DeviceId, id: bigint): Promise<void> {
    return this.#database.run(({ files }) => writeMeta(files.database, REMOTE_ID_KEY + device, id.toString(16)))
  }

  remoteNeed(
    device: DeviceId,
    options: { readonly offset: number; readonly limit: number },
  ): Promise<readonly FileHead[]> {
    return pageOfSteps((after) => this.#needStep(device, after), options)
  }

  async remoteNeedCounts(device: DeviceId): Promise<Counts> {
    for (;;) {
      const counts = await this.#database.run(({ remoteNeed }) => remoteNeed.count(device))
      if (counts !== undefined) return counts
      await this.#clock.sleep(0, NEVER)
    }
  }

  async #needStep(device: DeviceId, after: string): Promise<NeedStep> {
    if (after !== '') await this.#clock.sleep(0, NEVER)
    return await this.#database.run(({ remoteNeed }) => remoteNeed.step(device, after))
  }
}
