import { dirname, join } from 'node:path'
import { checkFolders } from '../core/config/config-check.ts'
import { CONFIG_VERSION_MAX } from '../core/config/config-fields.ts'
import { migrateConfig } from '../core/config/config-migrate.ts'
import { configFromXml, versionOf } from '../core/config/config-from-xml.ts'
import { configToXml } from '../core/config/config-to-xml.ts'
import type { ConfigDocument } from '../core/config/config-document.ts'
import { TwinfoldError, messageOf, systemCode } from '../core/errors.ts'
import { childrenNamed, printXml } from '../core/config/xml-tree.ts'
import { writeFileAtomically } from '../platform/files/atomic-write.ts'
import type { Clock } from '../platform/clock.ts'
import type { Disk } from '../platform/disk.ts'
import type { Random } from '../platform/random.ts'
import { CONFIG_BYTES_MAX, parseXml } from './xml.ts'
import { fillBuffer } from '../platform/fill-buffer.ts'

const PRIVATE = 0o600
const ARCHIVE_AGE_S_MAX = 30 * 24 * 3600
const BACKUP_COUNT_MAX = 5
const BACKUP = /^config\.xml\.backup-[\d.-]+$/
const ARCHIVE = /^config\.xml\.v\d+$/
const LEFTOVER = /^\.syncthing\.tmp\.\d+$/

export interface ConfigFileDeps {
  readonly disk: Disk
  readonly clock: Pick<Clock, 'nowMs'>
  readonly random: Pick<Random, 'int'>
}

export interface ReadConfig {
  readonly document: ConfigDocument
  /** The format version of the file before migration. */
  readonly from: number
  readonly guessed: boolean
  readonly data: Uint8Array
}

/** Parses the bytes of a configuration file. Throws `config-invalid` (line and reason) or `config-newer`. */
export function readConfig(data: Uint8Array, allowNewer: boolean): ReadConfig {
  const root = parseXml(data)
  if (root.name === 'configuration' && versionOf(root) > CONFIG_VERSION_MAX && !allowNewer) {
    throw new TwinfoldError(
      'config-newer',
      `config file version (${versionOf(root)}) is newer than supported version (${CONFIG_VERSION_MAX}); ` +
        'if this is what you want, start with --allow-newer-config',
    )
  }
  const { root: migrated, from, guessed } = migrateConfig(root)
  const document = configFromXml(migrated)
  const problem = checkFolders(document.config.folders)
  if (problem !== undefined) {
    const line = childrenNamed(migrated, 'folder')[problem.index]?.line ?? 1
    throw new TwinfoldError('config-invalid', `line ${line}: ${problem.message}`)
  }
  return { document, from, guessed, data }
}

/** `config.xml` and its copies in the same directory: the only code that names and writes them. */
export class ConfigFile {
  readonly path: string
  readonly #deps: ConfigFileDeps
  /** The content we last read or wrote; any other content was written by another program. */
  #data: Uint8Array | undefined
  #lineEnd = '\n'

  private constructor(deps: ConfigFileDeps, path: string) {
    this.#deps = deps
    this.path = path
  }

  /** If `config.xml` is a symlink, its target is written, so that the link is preserved. */
  static async at(deps: ConfigFileDeps, path: string): Promise<ConfigFile> {
    const found = await orMissing(deps.disk.lstat(path))
    if (found?.type !== 'symlink') return new ConfigFile(deps, path)
    const target = await orMissing(deps.disk.realPath(path))
    if (target === undefined) throw new TwinfoldError('config-invalid', `${path} is a symlink without a target`)
    return new ConfigFile(deps, target)
  }

  /** Whether the file existed at the last read, or was written since. */
  get exists(): boolean {
    return this.#data !== undefined
  }

  /** Undefined when there is no such file. */
  async read(): Promise<Uint8Array | undefined> {
    this.#data = await readBounded(this.#deps.disk, this.path)
    if (this.#data !== undefined && this.#data.includes(0x0d)) this.#lineEnd = '\r\n'
    return this.#data
  }

  /** Writes atomically and keeps the mode of an existing file. Resolves once the file would survive a power failure. */
  async write(document: ConfigDocument): Promise<void> {
    const text = printXml(configToXml(document))
    const data = new TextEncoder().encode(this.#lineEnd === '\n' ? text : text.replaceAll('\n', this.#lineEnd))
    const existing = await orMissing(this.#deps.disk.lstat(this.path))
    await this.#replace(this.path, data, existing?.type === 'file' ? existing.mode & 0o777 : PRIVATE)
    this.#data = data
  }

  /** Copies the file when another program changed it since our last access, or when `always`. Returns the path. */
  async keepCopy(always: boolean): Promise<{ readonly path: string; readonly foreign: boolean } | undefined> {
    const present = await readBounded(this.#deps.disk, this.path)
    const foreign = present !== undefined && (this.#data === undefined || Buffer.compare(present, this.#data) !== 0)
    if (present === undefined || (!always && !foreign)) return undefined
    const stamp = new Date(this.#deps.clock.nowMs()).toISOString().replace(/[-:Z]/g, '').replace('T', '-')
    const path = `${this.path}.backup-${stamp}`
    await this.#replace(path, present, PRIVATE)
    await this.#removeOldest()
    return { path, foreign }
  }

  /** Keeps a copy of a file of another format version. */
  async archive(version: number, data: Uint8Array): Promise<string> {
    const path = `${this.path}.v${version}`
    await this.#replace(path, data, PRIVATE)
    return path
  }

  /** Copies that can replace a lost file, newest first. */
  async copies(): Promise<readonly string[]> {
    const found = await this.#named((name) => BACKUP.test(name) || ARCHIVE.test(name))
    return found.sort((a, b) => b.modifiedS - a.modifiedS || (a.path < b.path ? 1 : -1)).map((one) => one.path)
  }

  /** Removes leftovers of a crash and expired copies. Call only while the home is locked. */
  async tidy(): Promise<void> {
    const oldestS = this.#deps.clock.nowMs() / 1000 - ARCHIVE_AGE_S_MAX
    const leftovers = await this.#named((name) => LEFTOVER.test(name))
    const archives = (await this.#named((name) => ARCHIVE.test(name))).filter((one) => one.modifiedS < oldestS)
    for (const { path } of [...leftovers, ...archives]) await this.#deps.disk.removeFile(path)
  }

  async #removeOldest(): Promise<void> {
    const backups = (await this.#named((name) => BACKUP.test(name))).map((one) => one.path).sort()
    for (const path of backups.slice(0, -BACKUP_COUNT_MAX)) await this.#deps.disk.removeFile(path)
  }

  async #named(wanted: (name: string) => boolean): Promise<{ path: string; modifiedS: number }[]> {
    const directory = dirname(this.path)
    const found: { path: string; modifiedS: number }[] = []
    for (const { name, valid } of (await orMissing(this.#deps.disk.list(directory))) ?? []) {
      if (!valid || !wanted(name)) continue
      const path = join(directory, name)
      const stat = await orMissing(this.#deps.disk.lstat(path))
      if (stat?.type === 'file') found.push({ path, modifiedS: stat.modifiedS })
    }
    return found
  }

  async #replace(path: string, data: Uint8Array, permissions: number): Promise<void> {
    const temporaryName = `.syncthing.tmp.${this.#deps.random.int(1_000_000_000)}`
    try {
      await writeFileAtomically(this.#deps.disk, path, data, permissions, temporaryName)
    } catch (error) {
      // A full or read-only home is for the user to repair, so the reason is part of the reply.
      if (systemCode(error) === undefined) throw error
      throw new TwinfoldError('config-unsaved', `cannot save ${path}: ${messageOf(error)}`, { cause: error })
    }
  }
}

/** Reads a file up to the maximum size of a configuration; undefined when there is none. */
export async function readBounded(disk: Disk, path: string): Promise<Uint8Array | undefined> {
  const stat = await orMissing(disk.lstat(path))
  if (stat === undefined) return undefined
  if (stat.type !== 'file') throw new TwinfoldError('config-invalid', `${path} is not a file`)
  if (stat.sizeBytes > CONFIG_BYTES_MAX) {
    const limit = `${CONFIG_BYTES_MAX / 1024 / 1024} MiB`
    throw new TwinfoldError('config-invalid', `${path}: line 1: the file is larger than ${limit}`)
  }
  try {
    await using file = await disk.open(path, 'read')
    const data = new Uint8Array(stat.sizeBytes)
    return data.subarray(0, await fillBuffer(file, data))
  } catch (error) {
    throw new TwinfoldError('config-invalid', `${path} cannot be read: ${messageOf(error)}`, { cause: error })
  }
}

async function orMissing<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw error
  }
}
