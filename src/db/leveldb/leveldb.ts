import { join } from 'node:path'
import { messageOf, TwinfoldError } from '../../core/errors.ts'
import type { Disk } from '../../platform/disk.ts'
import { damaged, isDamaged } from '../sqlite/damage.ts'
import { readManifest, type TableEntry } from './manifest.ts'
import type { Version } from './table.ts'
import { ListCursor, readSpan, TableFile, type Cursor } from './table-file.ts'
import { compareKeys, WriteLog } from './write-log.ts'

const MANIFEST_NAME = /^MANIFEST-(\d{1,15})\n?$/
const CURRENT_NAME = /^CURRENT(?:\.\d{1,15})?$/
const LOG_NAME = /^(\d{1,15})\.log$/
const TABLE_NAME = /^(\d{1,15})\.(?:ldb|sst)$/
const CURRENT_BYTES_MAX = 1_024
const FILE_BYTES_MAX = 1024 * 1024 * 1024
const TABLES_OPEN_MAX = 128
/** Entries returned at once by a range. */
const BATCH = 1_000

export interface Entry {
  /** One character per byte. */
  readonly key: string
  readonly value: Buffer
}

/** A LevelDB database, read only. The program that owns it must not run. Errors have `database-damaged`. */
export class LevelDb implements AsyncDisposable {
  readonly #disk: Disk
  readonly #log: WriteLog
  readonly #tables: readonly TableEntry[]
  readonly #paths: ReadonlyMap<number, string>
  readonly #open = new Map<number, TableFile>()

  private constructor(disk: Disk, log: WriteLog, tables: readonly TableEntry[], paths: ReadonlyMap<number, string>) {
    this.#disk = disk
    this.#log = log
    this.#tables = tables.toSorted((a, b) => compareKeys(a.smallest, b.smallest))
    this.#paths = paths
  }

  static async open(disk: Disk, directory: string): Promise<LevelDb> {
    const names = (await disk.list(directory)).map(({ name }) => name)
    const manifestName = await liveManifest(disk, directory, names)
    const manifest = await inFile(manifestName, async () => readManifest(await readAll(disk, directory, manifestName)))
    const log = new WriteLog()
    for (const [number, name] of numbered(names, LOG_NAME)) {
      if (number < manifest.logNumber && number !== manifest.previousLog) continue
      await inFile(name, async () => log.add(await readAll(disk, directory, name)))
    }
    const paths = new Map(numbered(names, TABLE_NAME).map(([number, name]) => [number, join(directory, name)]))
    const missing = manifest.tables.find(({ number }) => !paths.has(number))
    if (missing !== undefined) throw damaged(`its table ${missing.number} is missing`)
    return new LevelDb(disk, log, manifest.tables, paths)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const table of this.#open.values()) await table[Symbol.asyncDispose]()
    this.#open.clear()
  }

  async get(key: string): Promise<Buffer | undefined> {
    let newest = this.#log.get(key)
    for (const entry of this.#tables) {
      if (entry.smallest > key) break
      if (entry.largest < key) continue
      const found = await inFile(`table ${entry.number}`, async () => (await this.#table(entry)).get(key))
      if (found !== undefined && !(found.sequence < (newest?.sequence ?? 0))) newest = found
    }
    return newest?.value
  }

  /** The entries from `from` on, up to and without `to`, in the order of keys. */
  async *range(from: string, to: string): AsyncGenerator<readonly Entry[]> {
    const waiting = this.#tables.filter(({ smallest, largest }) => smallest < to && largest >= from).values()
    let coming = waiting.next().value
    let cursors: readonly Cursor[] = [new ListCursor(this.#log.range(from, to))]
    let batch: Entry[] = []
    for (;;) {
      let key = leastKey(cursors)
      // A table is opened when its first key is due: usually few are open at a time.
      while (coming !== undefined && (key === undefined || coming.smallest <= key)) {
        cursors = [...cursors.filter(({ current }) => current !== undefined), await this.#cursor(coming, from, to)]
        coming = waiting.next().value
        key = leastKey(cursors)
      }
      if (key === undefined) break
      const { value } = takeNewest(cursors, key)
      if (value !== undefined) batch.push({ key, value })
      if (batch.length < BATCH) continue
      yield batch
      batch = []
    }
    if (batch.length > 0) yield batch
  }

  #cursor(entry: TableEntry, from: string, to: string): Promise<Cursor> {
    return inFile(`table ${entry.number}`, async () => (await this.#table(entry)).range(from, to))
  }

  async #table({ number }: TableEntry): Promise<TableFile> {
    const open = this.#open.get(number)
    if (open !== undefined) return open
    for (const [other, table] of this.#open) {
      if (this.#open.size < TABLES_OPEN_MAX) break
      this.#open.delete(other)
      await table[Symbol.asyncDispose]()
    }
    const table = await TableFile.open(this.#disk, this.#paths.get(number)!)
    this.#open.set(number, table)
    return table
  }
}

function leastKey(cursors: readonly Cursor[]): string | undefined {
  let least: string | undefined
  for (const { current } of cursors) {
    if (current !== undefined && (least === undefined || current.key < least)) least = current.key
  }
  return least
}

/** The newest version of the key at which some of the cursors are; all of them move behind it. */
function takeNewest(cursors: readonly Cursor[], key: string): Version {
  let newest: Version | undefined
  for (const cursor of cursors) {
    for (let found = cursor.current; found?.key === key; found = cursor.current) {
      if (newest === undefined || found.sequence > newest.sequence) newest = found
      cursor.next()
    }
  }
  return newest!
}

function numbered(names: readonly string[], pattern: RegExp): readonly (readonly [number, string])[] {
  const found = names.flatMap((name): (readonly [number, string])[] => {
    const match = pattern.exec(name)
    return match === null ? [] : [[Number(match[1]), name]]
  })
  return found.toSorted(([a], [b]) => a - b)
}

/** The manifest in use. A switch to a newer one that was interrupted has left `CURRENT.<number>`. */
async function liveManifest(disk: Disk, directory: string, names: readonly string[]): Promise<string> {
  let live: { readonly name: string; readonly number: number } | undefined
  for (const name of names.filter((each) => CURRENT_NAME.test(each))) {
    const text = (await readAll(disk, directory, name, CURRENT_BYTES_MAX)).toString('latin1')
    const match = MANIFEST_NAME.exec(text)
    if (match === null || !names.includes(text.trim())) continue
    if (live === undefined || Number(match[1]) > live.number) live = { name: text.trim(), number: Number(match[1]) }
  }
  if (live === undefined) throw damaged('its manifest is missing')
  return live.name
}

async function readAll(disk: Disk, directory: string, name: string, bytesMax = FILE_BYTES_MAX): Promise<Buffer> {
  await using file = await disk.open(join(directory, name), 'read')
  const { sizeBytes } = await file.stat()
  if (sizeBytes > bytesMax) throw damaged(`${name} has ${sizeBytes} bytes`)
  return readSpan(file, 0, sizeBytes)
}

/** Adds the name of the file to a report of damage. */
async function inFile<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isDamaged(error)) throw error
    throw new TwinfoldError('database-damaged', `${name}: ${messageOf(error)}`, { cause: error })
  }
}
