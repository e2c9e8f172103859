import { dirname, isAbsolute, join, resolve, sep } from 'node:path'
import { isMissing, systemCode, TwinfoldError } from '../core/errors.ts'
import { ancestorsOf, baseOf, isPathWithin, isTemporary, joinPath, parentOf } from '../core/paths.ts'
import type { Disk, DiskStat, HeldDirectory } from '../platform/disk.ts'
import { Parents } from '../platform/files/parents.ts'
import { removeIfThere } from './moves.ts'

const DEFAULT_NAME = '.stversions'
const OWNER_ALL = 0o700
/** Limit of files for listing and clean-up; larger archives must be cleaned up by the user. */
const FILES_MAX = 1_000_000

export interface VersionsDirectoryOptions {
  /** Of the folder; absolute. */
  readonly folderRoot: string
  /** As configured: '' is the default path, relative paths start at the folder. */
  readonly configured: string
  readonly userHome: string
}

/** A regular file among the versions; `path` is relative to their directory. */
export interface KeptEntry {
  readonly path: string
  readonly stat: DiskStat
}

/** The directory of old versions. All access stays inside, also in the presence of symlinks. */
export class VersionsDirectory {
  readonly root: string
  readonly #disk: Disk
  readonly #folderRoot: string
  readonly #parents: Parents
  /** Absolute directories with new entries that are not synced yet, with the number of the last creation. */
  readonly #madeIn = new Map<string, number>()
  #creations = 0

  constructor(disk: Disk, { folderRoot, configured, userHome }: VersionsDirectoryOptions) {
    this.#disk = disk
    this.#folderRoot = folderRoot
    this.root = placeOf(folderRoot, configured, userHome)
    this.#parents = new Parents({
      disk,
      root: this.root,
      modeOf: (directory) => this.#modeLike(directory),
      onMade: (directory) => this.#noteMadeIn(this.path(parentOf(directory))),
    })
  }

  path(kept: string): string {
    return joinPath(this.root, kept)
  }

  /** Creates the directory where it is missing. Rejects with `item-failed` where it must not be used. */
  async prepare(): Promise<void> {
    if (await this.isUsable()) return
    const below = this.#belowFolder()
    const above = await this.#aboveMissing()
    if (below === undefined) await this.#disk.makeDirectories(this.root, OWNER_ALL)
    else await new Parents({ disk: this.#disk, root: this.#folderRoot, onMade: () => {} }).ensure(`${below}/x`)
    for (const directory of above) this.#noteMadeIn(directory)
    if (!(await this.isUsable())) throw refused(`versions directory ${this.root} cannot be created`)
    // A convenience. A directory that the user has chosen stays as it is.
    if (below === DEFAULT_NAME) await this.#disk.hide(this.root).catch(() => {})
  }

  /** False where it is missing; rejects with `item-failed` where it is invalid. */
  async isUsable(): Promise<boolean> {
    const below = this.#belowFolder()
    try {
      if (below !== undefined) await this.#refuseSymlinks(below)
      const real = await this.#disk.realPath(this.root)
      const folder = await this.#disk.realPath(this.#folderRoot)
      // A clean-up there would remove the folder's own files as old versions.
      if (isPathWithin(folder, real)) throw refused(`versions directory ${this.root} contains the folder itself`)
      return true
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return false
      throw error
    }
  }

  /** Resolves when the parent directories exist and none is a symlink. */
  async ensureParents(kept: string): Promise<void> {
    await this.prepare()
    await this.#parents.ensure(kept)
  }

  /** The parent directory, held open. */
  async hold(kept: string): Promise<HeldDirectory> {
    return await this.#parents.hold(kept)
  }

  /** Removes a file safely when its directory is swapped meanwhile; a missing file is ignored. */
  async remove(kept: string): Promise<void> {
    await using above = await this.hold(kept)
    await removeIfThere(this.#disk, joinPath(above.path, baseOf(kept)))
  }

  async checkParents(kept: string): Promise<void> {
    await this.#parents.check(kept)
  }

  /** Makes a version durable. */
  async sync(kept: string): Promise<void> {
    await this.syncMade()
    await this.#disk.syncDirectory(this.path(parentOf(kept)))
  }

  /** Makes new directories durable: a power loss would discard a file that was moved into them. */
  async syncMade(): Promise<void> {
    for (const [directory, making] of this.#madeIn) {
      await this.#disk.syncDirectory(directory).catch(unlessMissing) // a clean-up removed the directory
      // Entries are deleted only after the sync, for concurrent callers; directories created meanwhile remain.
      if (this.#madeIn.get(directory) === making) this.#madeIn.delete(directory)
    }
  }

  #noteMadeIn(directory: string): void {
    this.#madeIn.set(directory, ++this.#creations)
  }

  /** Undefined where nothing exists. */
  async stat(kept: string): Promise<DiskStat | undefined> {
    return await this.#disk.lstat(this.path(kept)).catch(unlessMissing)
  }

  /** The paths in one directory. */
  async filesIn(directory: string): Promise<readonly string[]> {
    const entries = await this.#disk.list(this.path(directory))
    return entries.filter(({ valid }) => valid).map(({ name }) => (directory === '' ? name : `${directory}/${name}`))
  }

  /** All regular files below, without temporary files. */
  async *files(signal: AbortSignal): AsyncGenerator<KeptEntry> {
    let count = 0
    for await (const entry of this.#walk(signal)) {
      if (entry.stat.type !== 'file' || isTemporary(entry.path)) continue
      if (++count > FILES_MAX) throw refused(`versions directory ${this.root} contains more than ${FILES_MAX} files`)
      yield entry
    }
  }

  /** Removes temporary files of interrupted operations and empty directories. */
  async tidy(signal: AbortSignal): Promise<void> {
    const directories: string[] = []
    for await (const { path, stat } of this.#walk(signal)) {
      if (stat.type === 'directory') directories.push(path)
      else if (stat.type === 'file' && isTemporary(path)) await this.remove(path)
    }
    for (const directory of directories.reverse()) {
      await using above = await this.hold(directory)
      await this.#disk.removeDirectory(joinPath(above.path, baseOf(directory))).catch((error: unknown) => {
        const code = systemCode(error)
        if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'ENOENT') throw error
      })
    }
  }

  /** Yields a directory before its contents. Symlinks are not followed. */
  async *#walk(signal: AbortSignal): AsyncGenerator<KeptEntry> {
    if (!(await this.isUsable())) return
    const open = ['']
    for (let directory = open.pop(); directory !== undefined; directory = open.pop()) {
      signal.throwIfAborted()
      if (directory !== '') await this.#parents.check(`${directory}/x`)
      for (const path of await this.filesIn(directory)) {
        const stat = await this.stat(path)
        if (stat === undefined) continue
        yield { path, stat }
        if (stat.type === 'directory') open.push(path)
      }
    }
  }

  /** The path below the folder's root, if any. Other devices can create symlinks there; elsewhere only the user can. */
  #belowFolder(): string | undefined {
    const above = this.#folderRoot + sep
    return this.root.startsWith(above) ? this.root.slice(above.length).replaceAll(sep, '/') : undefined
  }

  /** The parents of all missing directories on the path to the versions. */
  async #aboveMissing(): Promise<readonly string[]> {
    const above: string[] = []
    for (let path = this.root; path !== dirname(path); path = dirname(path)) {
      if ((await this.#disk.lstat(path).catch(unlessMissing)) !== undefined) break
      above.push(dirname(path))
    }
    return above
  }

  async #refuseSymlinks(below: string): Promise<void> {
    for (const part of [...ancestorsOf(below), below]) {
      const { type } = await this.#disk.lstat(joinPath(this.#folderRoot, part))
      if (part !== '' && type !== 'directory') throw refused(`versions directory ${this.root} is a ${type}`)
    }
  }

  /** The mode of the corresponding directory of the folder, with all rights for the owner. */
  async #modeLike(directory: string): Promise<number> {
    try {
      const { mode, type } = await this.#disk.lstat(joinPath(this.#folderRoot, directory))
      if (type === 'directory') return (mode & 0o777) | OWNER_ALL
    } catch {
      // The directory was removed with its last file.
    }
    return OWNER_ALL
  }
}

function placeOf(folderRoot: string, configured: string, userHome: string): string {
  const text = configured.trim()
  if (text === '') return join(folderRoot, DEFAULT_NAME)
  if (text === '~') return resolve(userHome)
  if (text.startsWith('~/')) return join(resolve(userHome), text.slice(2))
  return isAbsolute(text) ? resolve(text) : resolve(folderRoot, text)
}

export function refused(reason: string, cause?: unknown): TwinfoldError {
  return new TwinfoldError('item-failed', reason, cause === undefined ? {} : { cause })
}

/** Returns undefined for a missing path and rethrows all other errors. */
export function unlessMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error
}
