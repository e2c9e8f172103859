import { hash } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { systemCode } from '../../core/errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Disk } from '../../platform/disk.ts'
import { damaged } from './damage.ts'

const PRIVATE = 0o600
const DAMAGED_KEPT_MAX = 3
const READ_BYTES = 1 << 20
const SEAL_BYTES_MAX = 100
/** The main database of most devices. `node:zlib`, which an idle device does not need, takes 3 ms to load. */
const SMALL_BYTES_MAX = 32 * 1_024
const HEADER_MAGIC = 'SQLite format 3\0'

/** One line about a closed database file: its size and a checksum over all of it. */
type Seal = string

/**
 * The files of one database: `x.db`, while it is open `x.db-wal`, while it is closed `x.db.seal`.
 *
 * The seal decides whether the content must be checked before use. Checking a large index takes seconds, comparing a
 * checksum of the file a fraction of that. A clean shutdown writes the seal; it is removed before the database is
 * opened, so there is none after a crash. Without a matching seal the content is checked row by row: the seal saves
 * work and never hides damage.
 */
export class DatabaseFile {
  readonly path: string
  readonly #disk: Disk
  readonly #clock: Clock

  constructor(path: string, disk: Disk, clock: Clock) {
    this.path = path
    this.#disk = disk
    this.#clock = clock
  }

  /** Call before opening. `trusted`: the content is unchanged. Creates a missing file, readable by its owner only. */
  async prepare(): Promise<{ readonly trusted: boolean; readonly seal: Seal | undefined }> {
    const seal = await this.#readSeal()
    await this.#removeIfThere(this.#sealPath)
    const sizeBytes = await this.#sizeBytes(this.path)
    const walBytes = await this.#sizeBytes(`${this.path}-wal`)
    if (sizeBytes === undefined || sizeBytes === 0) {
      // Its other files exist, so it was lost; SQLite would apply the remaining log to the new file.
      if (walBytes !== undefined || seal !== undefined) throw damaged('its main file is missing or empty')
      if (sizeBytes === undefined) await (await this.#disk.open(this.path, 'create', PRIVATE)).close()
      return { trusted: true, seal: undefined }
    }
    if (seal !== undefined && (walBytes ?? 0) === 0 && seal === (await this.#computeSeal()))
      return { trusted: true, seal }
    await this.#checkHeader()
    return { trusted: false, seal: undefined }
  }

  /** Call after a clean close. `unchanged`: the seal at opening, when nothing was written since. */
  async seal(unchanged: Seal | undefined): Promise<void> {
    if ((await this.#sizeBytes(`${this.path}-wal`)) !== undefined) return
    const seal = unchanged ?? (await this.#computeSeal())
    await using file = await this.#disk.open(this.#sealPath, 'create', PRIVATE)
    await file.write(Buffer.from(seal), 0)
  }

  /** False when there is no log. */
  async syncLog(): Promise<boolean> {
    const path = `${this.path}-wal`
    if ((await this.#sizeBytes(path)) === undefined) return false
    await this.#sync(path)
    return true
  }

  async sync(): Promise<void> {
    await this.#sync(this.path)
  }

  async #sync(path: string): Promise<void> {
    await using file = await this.#disk.open(path, 'write')
    await file.sync()
  }

  /** Renames the damaged files for later inspection and keeps only the last few copies. Returns the new name. */
  async putAside(): Promise<string> {
    const directory = dirname(this.path)
    const stamp = new Date(this.#clock.nowMs()).toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15)
    const aside = nextName(`${basename(this.path)}.damaged-${stamp}`, await this.#aside())
    for (const suffix of ['-wal', '-shm', '']) {
      await this.#disk.rename(this.path + suffix, join(directory, aside + suffix)).catch(ignoreMissing)
    }
    await this.#disk.syncDirectory(directory)
    await this.#removeOldAside()
    return join(directory, aside)
  }

  /** Names of the copies that were put aside, oldest first. */
  async #aside(): Promise<readonly string[]> {
    const kept = (await this.#names()).filter((name) => name.startsWith(`${basename(this.path)}.damaged-`))
    return [...new Set(kept.map((name) => name.replace(/-(wal|shm)$/, '')))].sort()
  }

  async #removeOldAside(): Promise<void> {
    for (const copy of (await this.#aside()).slice(0, -DAMAGED_KEPT_MAX)) {
      for (const suffix of ['', '-wal', '-shm']) await this.#removeIfThere(join(dirname(this.path), copy + suffix))
    }
  }

  /** Removes the database and all copies of it that were put aside. */
  async remove(): Promise<void> {
    for (const name of await this.#names()) {
      if (name.startsWith(basename(this.path))) await this.#removeIfThere(join(dirname(this.path), name))
    }
    await this.#disk.syncDirectory(dirname(this.path))
  }

  get #sealPath(): string {
    return `${this.path}.seal`
  }

  async #names(): Promise<readonly string[]> {
    return (await this.#disk.list(dirname(this.path))).map(({ name }) => name)
  }

  /** A flipped bit in the header can make SQLite treat the file as a later format, which it opens read-only. */
  async #checkHeader(): Promise<void> {
    const header = Buffer.alloc(100)
    await using file = await this.#disk.open(this.path, 'read')
    const bytes = await file.read(header, 0)
    if (bytes < header.length || header.toString('latin1', 0, HEADER_MAGIC.length) !== HEADER_MAGIC) {
      throw damaged('its main file is no database')
    }
    if (header.readUInt8(18) > 2 || header.readUInt8(19) > 2) throw damaged('its header was changed')
  }

  async #computeSeal(): Promise<Seal> {
    // Many small databases are opened and closed at the same time.
    const chunk = Buffer.allocUnsafeSlow(Math.min(READ_BYTES, ((await this.#sizeBytes(this.path)) ?? 0) + 1))
    await using file = await this.#disk.open(this.path, 'read')
    let position = await file.read(chunk, 0)
    if (position <= SMALL_BYTES_MAX && position < chunk.length)
      return `${position} ${hash('sha256', chunk.subarray(0, position))}\n`
    const { crc32 } = process.getBuiltinModule('node:zlib')
    let sum = crc32(chunk.subarray(0, position))
    for (;;) {
      const bytes = await file.read(chunk, position)
      if (bytes === 0) return `${position} ${sum}\n`
      sum = crc32(chunk.subarray(0, bytes), sum)
      position += bytes
    }
  }

  async #readSeal(): Promise<Seal | undefined> {
    try {
      const text = Buffer.alloc(SEAL_BYTES_MAX)
      await using file = await this.#disk.open(this.#sealPath, 'read')
      return text.toString('latin1', 0, await file.read(text, 0))
    } catch {
      return undefined // without a seal the content is checked
    }
  }

  async #sizeBytes(path: string): Promise<number | undefined> {
    try {
      return (await this.#disk.lstat(path)).sizeBytes
    } catch (error) {
      return ignoreMissing(error)
    }
  }

  async #removeIfThere(path: string): Promise<void> {
    await this.#disk.removeFile(path).catch(ignoreMissing)
  }
}

/** A name that sorts after all existing ones, also for several within one second. */
function nextName(name: string, taken: readonly string[]): string {
  const last = taken.findLast((other) => other.startsWith(name))
  if (last === undefined) return name
  return `${name}-${String(Number(last.slice(name.length + 1)) + 1).padStart(3, '0')}`
}

function ignoreMissing(error: unknown): undefined {
  if (systemCode(error) !== 'ENOENT') throw error
  return undefined
}
