import { isAbsolute, join } from 'node:path'
import { parseFolderId, type DeviceId, type FolderId } from '../../core/ids.ts'
import type { Disk } from '../../platform/disk.ts'
import { damaged } from '../sqlite/damage.ts'
import { ExtrasBuilder } from './extras.ts'
import { FolderV2 } from './folder-v2.ts'
import { SqliteFile } from './sqlite-file.ts'
import type { ForeignExtras, ForeignFolder, SyncthingIndex } from './types.ts'
import { deviceFromText } from './values.ts'

const MIGRATED_KEY = 'misc/migrated-from-leveldb-at'

export interface IndexV2Options {
  readonly directory: string
  /** A directory of ours for copies. */
  readonly scratch: string
}

/** The index of Syncthing 2.x. */
export class IndexV2 implements SyncthingIndex {
  readonly folders: readonly FolderId[]
  readonly #disk: Disk
  readonly #options: IndexV2Options
  readonly #files: ReadonlyMap<FolderId, string>
  readonly #pairs: ReadonlyMap<string, Buffer>

  private constructor(
    disk: Disk,
    options: IndexV2Options,
    read: { readonly files: ReadonlyMap<FolderId, string>; readonly pairs: ReadonlyMap<string, Buffer> },
  ) {
    this.#disk = disk
    this.#options = options
    this.#files = read.files
    this.#pairs = read.pairs
    this.folders = [...read.files.keys()]
  }

  static async open(disk: Disk, options: IndexV2Options): Promise<IndexV2> {
    await using main = await SqliteFile.open(disk, join(options.directory, 'main.db'), options.scratch)
    const files = new Map<FolderId, string>()
    const folders = 'SELECT folder_id, database_name FROM folders WHERE database_name IS NOT NULL'
    for (const [text, name] of main.run(folders, (query) => query.all())) {
      const id = parseFolderId(String(text))
      if (id !== undefined) files.set(id, pathOf(options.directory, String(name)))
    }
    const pairs = new Map<string, Buffer>()
    for (const [key, value] of main.run('SELECT key, value FROM kv', (query) => query.all())) {
      if (!(value instanceof Uint8Array)) throw damaged('a value that is not binary')
      pairs.set(String(key), Buffer.from(value))
    }
    return new IndexV2(disk, options, { files, pairs })
  }

  /** It was made from the index of 1.x, which is therefore the older one. */
  get isMigrated(): boolean {
    return this.#pairs.has(MIGRATED_KEY)
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  async open(folder: FolderId, devices: ReadonlySet<DeviceId>): Promise<ForeignFolder> {
    const path = this.#files.get(folder)
    if (path === undefined) throw new Error(`folder ${folder} is not in this index`)
    return FolderV2.open(await SqliteFile.open(this.#disk, path, this.#options.scratch), folder, devices)
  }

  async extras(): Promise<ForeignExtras> {
    const builder = new ExtrasBuilder()
    for (const [key, value] of this.#pairs) addExtra(builder, key, value)
    return builder.build()
  }
}

function pathOf(directory: string, name: string): string {
  return isAbsolute(name) ? name : join(directory, name)
}

function addExtra(builder: ExtrasBuilder, key: string, value: Buffer): void {
  const [kind = '', id = '', ...rest] = key.split('/')
  if (kind === 'folderstats') {
    // The ID of a folder may contain slashes.
    const end = key.lastIndexOf('/')
    return builder.folderStatistic(key.slice(kind.length + 1, end), key.slice(end + 1), value)
  }
  const device = deviceFromText(id)
  if (device === undefined) return
  if (kind === 'devicestats') builder.deviceStatistic(device, rest.join('/'), value)
  else if (kind === 'device') builder.pendingDevice(device, value)
  else if (kind === 'folder') builder.pendingFolder(device, rest.join('/'), value)
}
