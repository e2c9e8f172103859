import { deviceIdFromBytes } from '../../core/device-id.ts'
import { TwinfoldError } from '../../core/errors.ts'
import { parseFolderId, type DeviceId, type FolderId } from '../../core/ids.ts'
import type { Disk } from '../../platform/disk.ts'
import { LevelDb, type Entry } from '../leveldb/leveldb.ts'
import { damaged } from '../sqlite/damage.ts'
import type { IndexOwner } from '../types.ts'
import { ExtrasBuilder, FOLDER_STATISTICS } from './extras.ts'
import { FolderV1 } from './folder-v1.ts'
import { endOf, KEY, keyOf, number32 } from './keys-v1.ts'
import type { ForeignExtras, ForeignFolder, SyncthingIndex } from './types.ts'
import { deviceFromText, ownerFromText, storedNumber } from './values.ts'

/** Every release from 1.9.0 to the last of 1.x. */
const SCHEMA = 14
/** Older ones drop all index IDs at the next start of a current 1.x. */
const MIGRATION = 20
const ID_BYTES = 32
const ID_TEXT_LENGTH = 63

/** The index of Syncthing 1.x. */
export class IndexV1 implements SyncthingIndex {
  readonly folders: readonly FolderId[]
  readonly #database: LevelDb
  readonly #folderNumbers: ReadonlyMap<FolderId, number>
  readonly #owners: ReadonlyMap<number, IndexOwner>
  readonly #trustIds: boolean

  private constructor(
    database: LevelDb,
    options: { folders: ReadonlyMap<FolderId, number>; owners: ReadonlyMap<number, IndexOwner>; trustIds: boolean },
  ) {
    this.#database = database
    this.folders = [...options.folders.keys()]
    this.#folderNumbers = options.folders
    this.#owners = options.owners
    this.#trustIds = options.trustIds
  }

  /** `suspect`: Syncthing itself would check it before use, so that its index IDs must not be used again. */
  static async open(disk: Disk, directory: string, suspect: boolean): Promise<IndexV1> {
    const database = await LevelDb.open(disk, directory)
    try {
      const schema = storedNumber(await database.get(keyOf(KEY.misc, 'dbVersion')))
      if (schema !== undefined) assertSchema(schema)
      const migration = storedNumber(await database.get(keyOf(KEY.misc, 'dbMigrationVersion'))) ?? 0
      return new IndexV1(database, {
        folders: schema === undefined ? new Map() : await folderNumbers(database),
        owners: await ownerNumbers(database),
        trustIds: !suspect && migration >= MIGRATION,
      })
    } catch (error) {
      await database[Symbol.asyncDispose]()
      throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#database[Symbol.asyncDispose]()
  }

  async open(folder: FolderId, devices: ReadonlySet<DeviceId>): Promise<ForeignFolder> {
    const number = this.#folderNumbers.get(folder)
    if (number === undefined) throw new Error(`folder ${folder} is not in this index`)
    const owners = [...this.#owners].filter(([, owner]) => owner === 'local' || devices.has(owner))
    return FolderV1.open(this.#database, { number, owners: new Map(owners), trustIds: this.#trustIds })
  }

  async extras(): Promise<ForeignExtras> {
    const builder = new ExtrasBuilder()
    for (const { key, value } of await this.#all(KEY.deviceStatistic)) {
      const device = deviceFromText(key.slice(1, 1 + ID_TEXT_LENGTH))
      if (device !== undefined) builder.deviceStatistic(device, key.slice(1 + ID_TEXT_LENGTH), value)
    }
    for (const { key, value } of await this.#all(KEY.folderStatistic)) {
      const text = textOf(key, 1)
      const name = FOLDER_STATISTICS.find((each) => text.endsWith(each))
      if (name !== undefined) builder.folderStatistic(text.slice(0, -name.length), name, value)
    }
    for (const { key, value } of await this.#all(KEY.pendingFolder)) {
      const owner = this.#owners.get(number32(key, 1))
      if (owner !== undefined && owner !== 'local') builder.pendingFolder(owner, textOf(key, 5), value)
    }
    for (const { key, value } of await this.#all(KEY.pendingDevice)) {
      if (key.length === 1 + ID_BYTES) builder.pendingDevice(deviceIdFromBytes(bytesOf(key, 1)), value)
    }
    return builder.build()
  }

  #all(type: number): Promise<readonly Entry[]> {
    return allOf(this.#database, type)
  }
}

async function allOf(database: LevelDb, type: number): Promise<readonly Entry[]> {
  const entries: Entry[] = []
  for await (const batch of database.range(keyOf(type), endOf(keyOf(type)))) {
    for (const entry of batch) entries.push(entry)
  }
  return entries
}

function assertSchema(schema: number): void {
  if (schema === SCHEMA) return
  if (schema > SCHEMA) throw new TwinfoldError('database-newer', `it has the unknown schema ${schema}`)
  const message = `its schema ${schema} is from before Syncthing 1.9; a later Syncthing 1.x converts it when started`
  throw new TwinfoldError('database-unavailable', message)
}

/** A number without a text belonged to a folder that was removed. */
async function folderNumbers(database: LevelDb): Promise<ReadonlyMap<FolderId, number>> {
  const numbers = new Map<FolderId, number>()
  for (const { key, value } of await allOf(database, KEY.folder)) {
    const id = parseFolderId(value.toString())
    if (id !== undefined) numbers.set(id, number32(key, 1))
  }
  return numbers
}

async function ownerNumbers(database: LevelDb): Promise<ReadonlyMap<number, IndexOwner>> {
  const owners = new Map<number, IndexOwner>()
  for (const { key, value } of await allOf(database, KEY.device)) {
    if (value.length === ID_BYTES) owners.set(number32(key, 1), ownerFromText(deviceIdFromBytes(value)))
    else if (value.length > 0) throw damaged('a device ID of a wrong length')
  }
  return owners
}

function bytesOf(key: string, from: number): Buffer {
  return Buffer.from(key.slice(from), 'latin1')
}

function textOf(key: string, from: number): string {
  return bytesOf(key, from).toString()
}
