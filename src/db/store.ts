import { hash } from 'node:crypto'
import { join } from 'node:path'
import { forEachAtOnce } from '../sync/for-each.ts'
import { messageOf, TwinfoldError } from '../core/errors.ts'
import { parseFolderId, type FolderId } from '../core/ids.ts'
import type { ConflictRules } from '../core/records/need.ts'
import type { Logger } from '../events/types.ts'
import type { Clock } from '../platform/clock.ts'
import type { Disk } from '../platform/disk.ts'
import type { Random } from '../platform/random.ts'
import { StoredBases } from './bases/stored-bases.ts'
import { DatabaseFile } from './sqlite/database-file.ts'
import { MemoryDatabases } from './sqlite/memory-databases.ts'
import type { FolderImport } from './folder/folder-import.ts'
import type { StoredFolderIndex } from './folder/folder-index.ts'
import { RecoverableDatabase, type RecoverableDatabaseDeps } from './sqlite/recoverable-database.ts'
import { MAIN_KIND, StoredKeyValue, type PairTable } from './sqlite/key-value.ts'
import { WorkMeter } from './sqlite/work-meter.ts'
import type { IndexStore, IndexWork, KeyValue, Recovery } from './types.ts'

/** Each takes file handles, and memory for the checksum of its file. */
const CLOSED_AT_ONCE = 16

export interface StoreOptions {
  /** Directory of the databases, created when missing. Undefined: in memory, for simulations and tests. */
  readonly directory: string | undefined
  /** Used without a directory: databases that can be copied. */
  readonly memory?: MemoryDatabases
  readonly disk: Disk
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  /** Of another program, for simulations. */
  readonly rules?: ConflictRules | undefined
  /** Called when a damaged database was replaced by an empty one: the folder needs a scan. */
  readonly onRecovery?: (recovery: Recovery) => void
}

const PRIVATE_DIRECTORY = 0o700
const MAIN_FILE = 'main.db'
const BASES_FILE = 'bases.db'
const FOLDER_FILE = /^folder-((?:[0-9a-f]{2})+)\.db$/
const LONG_FOLDER_FILE = /^long-([0-9a-f]{64})\.db$/
/** Longer ids would give file names that some systems refuse; their file is named by a hash. */
const FOLDER_ID_BYTES_MAX = 100
/** Key prefix of the pairs that map a hash to its long id. */
const LONG_KEY = 'db/long-folder/'

/** Opens the store. Rejects with `database-unavailable` or `database-newer`; damage is repaired and reported. */
export async function openStore(options: StoreOptions): Promise<ImportingStore> {
  const { directory, disk } = options
  if (directory !== undefined) {
    try {
      await disk.makeDirectories(directory, PRIVATE_DIRECTORY)
    } catch (error) {
      const message = `cannot make the database directory ${directory}: ${messageOf(error)}`
      throw new TwinfoldError('database-unavailable', message, { cause: error })
    }
  }
  return Store.open(options)
}

/** A store into which the index of another program can be imported. */
export interface ImportingStore extends IndexStore {
  /** Runs one step of an import, also while the folder is refused; errors are those of `folder`. */
  importing<T>(id: FolderId, step: (target: FolderImport) => T): Promise<T>
  /** Until it is accepted, the index of this folder is not opened: `folder` rejects with the reason. */
  refuse(id: FolderId, reason: TwinfoldError): void
  accept(id: FolderId): void
  /** Checks the pages of the open indexes, of those up to this size each; returns what is damaged, by folder. */
  checkPages(sizeBytesMax: number): Promise<readonly (readonly [folder: FolderId, reason: string])[]>
  /** By folder. */
  work(): ReadonlyMap<FolderId, IndexWork>
}

class Store implements ImportingStore {
  readonly keyValue: KeyValue
  readonly bases: StoredBases
  readonly #options: StoreOptions
  readonly #main: RecoverableDatabase<PairTable>
  readonly #recoveries: Recovery[]
  readonly #folders = new Map<FolderId, Promise<StoredFolderIndex>>()
  readonly #refused = new Map<FolderId, TwinfoldError>()
  readonly #meters = new Map<FolderId, WorkMeter>()

  private constructor(options: StoreOptions, main: RecoverableDatabase<PairTable>, recoveries: Recovery[]) {
    this.#options = options
    this.#main = main
    this.#recoveries = recoveries
    this.keyValue = new StoredKeyValue(main)
    this.bases = openBases(options)
  }

  static async open(options: StoreOptions): Promise<Store> {
    const recoveries: Recovery[] = []
    const main = await RecoverableDatabase.open(databaseDeps(options, recoveries, undefined), MAIN_KIND)
    return new Store(options, main, recoveries)
  }

  get recoveries(): readonly Recovery[] {
    return this.#recoveries
  }

  folder(id: FolderId): Promise<StoredFolderIndex> {
    const refusal = this.#refused.get(id)
    return refusal === undefined ? this.#opened(id) : Promise.reject(refusal)
  }

  #opened(id: FolderId): Promise<StoredFolderIndex> {
    const cached = this.#folders.get(id)
    if (cached !== undefined) return cached
    const opening = this.#openFolder(id)
    this.#folders.set(id, opening)
    // A failed open may be retried.
    opening.catch(() => this.#folders.delete(id))
    return opening
  }

  refuse(id: FolderId, reason: TwinfoldError): void {
    this.#refused.set(id, reason)
  }

  accept(id: FolderId): void {
    this.#refused.delete(id)
  }

  async importing<T>(id: FolderId, step: (target: FolderImport) => T): Promise<T> {
    return (await this.#opened(id)).importing(step)
  }

  async #openFolder(id: FolderId): Promise<StoredFolderIndex> {
    const long = LONG_FOLDER_FILE.exec(folderFile(id))
    if (long !== null) await this.keyValue.set(LONG_KEY + long[1], Buffer.from(id))
    const meter = new WorkMeter()
    this.#meters.set(id, meter)
    const deps = databaseDeps(this.#options, this.#recoveries, id, meter)
    const { random, rules } = this.#options
    const { StoredFolderIndex: FolderIndexCode } = await import('./folder/folder-index.ts') // not without folders
    return await FolderIndexCode.open({ folder: id, random, rules }, deps)
  }

  async checkPages(sizeBytesMax: number): Promise<readonly (readonly [folder: FolderId, reason: string])[]> {
    const found: (readonly [FolderId, string])[] = []
    for (const [id, opening] of this.#folders) {
      try {
        await (await opening).checkPages(sizeBytesMax)
      } catch (error) {
        if (error instanceof TwinfoldError && error.code === 'database-damaged') found.push([id, error.message])
      }
    }
    return found
  }

  work(): ReadonlyMap<FolderId, IndexWork> {
    return this.#meters
  }

  async folders(): Promise<readonly FolderId[]> {
    const ids = new Set<FolderId>(this.#folders.keys())
    const { directory, disk } = this.#options
    const names = directory === undefined ? [] : await disk.list(directory)
    for (const { name } of names) {
      const id = parseFolderId(await this.#idOfFile(name))
      if (id !== undefined) ids.add(id)
    }
    return [...ids].sort()
  }

  async #idOfFile(name: string): Promise<string | undefined> {
    const short = FOLDER_FILE.exec(name)
    if (short !== null) return Buffer.from(short[1]!, 'hex').toString()
    const long = LONG_FOLDER_FILE.exec(name)
    const id = long === null ? undefined : await this.keyValue.get(LONG_KEY + long[1])
    return id === undefined ? undefined : Buffer.from(id).toString()
  }

  async dropFolder(id: FolderId): Promise<void> {
    const open = this.#folders.get(id)
    this.#folders.delete(id)
    this.#meters.delete(id)
    // A folder that failed to open needs no closing.
    await open?.then(
      (index) => index.close(),
      () => undefined,
    )
    await databaseFile(this.#options, folderFile(id))?.remove()
    await this.bases.dropFolder(id).catch((error: unknown) => {
      // They are removed as the oldest, later.
      this.#options.log.debug(() => `the bases of folder ${id} are not removed: ${messageOf(error)}`)
    })
    const long = LONG_FOLDER_FILE.exec(folderFile(id))
    if (long !== null) await this.keyValue.delete(LONG_KEY + long[1])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const open = [...this.#folders.values()]
    this.#folders.clear()
    await forEachAtOnce(open, CLOSED_AT_ONCE, async (opening) => {
      try {
        await (await opening).close()
      } catch (error) {
        this.#options.log.debug(() => `closing an index: ${messageOf(error)}`)
      }
    })
    await this.bases.close()
    await this.#main.close()
  }
}

function folderFile(id: FolderId): string {
  const bytes = Buffer.from(id)
  if (bytes.length > FOLDER_ID_BYTES_MAX) return `long-${hash('sha256', bytes, 'hex')}.db`
  return `folder-${bytes.toString('hex')}.db` // hexadecimal: safe on case-insensitive disks, no path traversal
}

function databaseFile({ directory, disk, clock }: StoreOptions, name: string): DatabaseFile | undefined {
  return directory === undefined ? undefined : new DatabaseFile(join(directory, name), disk, clock)
}

function databaseName(id: FolderId | undefined): string {
  return id === undefined ? MAIN_FILE : folderFile(id)
}

function databaseDeps(
  options: StoreOptions,
  recoveries: Recovery[],
  folder: FolderId | undefined,
  meter = new WorkMeter(),
): RecoverableDatabaseDeps {
  return {
    clock: options.clock,
    meter,
    file: databaseFile(options, databaseName(folder)),
    openInMemory: () => (options.memory ?? new MemoryDatabases()).open(databaseName(folder)),
    onRecovered: (reason, keptAt) => {
      const recovery: Recovery = { folder, reason, keptAt }
      recoveries.push(recovery)
      const what = folder === undefined ? 'The main database' : `The index of folder ${folder}`
      options.log.error(`${what} was damaged (${reason}) and was reset; the damaged file is kept at ${keptAt}`)
      options.onRecovery?.(recovery)
    },
  }
}

/** Damage costs no data: conflicts of the lost bases are ordinary ones. */
function openBases(options: StoreOptions): StoredBases {
  const { clock, directory, disk, log } = options
  const deps: RecoverableDatabaseDeps = {
    clock,
    meter: new WorkMeter(),
    file: databaseFile(options, BASES_FILE),
    openInMemory: () => (options.memory ?? new MemoryDatabases()).open(BASES_FILE),
    onRecovered: (reason, keptAt) =>
      log.warn(`The store of bases for merges was damaged (${reason}) and was reset; the damaged file is at ${keptAt}`),
  }
  const exists = async () =>
    directory === undefined || (await disk.lstat(join(directory, BASES_FILE)).catch(() => undefined)) !== undefined
  return new StoredBases(deps, exists)
}
