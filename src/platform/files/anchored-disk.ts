import { systemCode } from '../../core/errors.ts'
import { baseOf, joinPath, parentOf } from '../../core/paths.ts'
import { DiskError } from '../disk-error.ts'
import type { Disk, DiskStat, HeldDirectory } from '../disk.ts'

/**
 * The same disk, except that no call below `root` leads through a symlink: the directory above the item is held open
 * and compared with its expected place, and the call refers to the held directory. So a directory that is swapped for a
 * symlink at any moment leads no call elsewhere; such calls fail with `ELOOP`. Listing a directory holds it itself.
 * Other paths, and calls that follow symlinks, are passed on.
 */
export function anchoredDisk(disk: Disk, root: string): Disk {
  const anchor = new Anchor(disk, root)
  return {
    open: (path, mode, permissions) => anchor.at(path, (at) => disk.open(at, mode, permissions)),
    lstat: (path) => anchor.at(path, (at) => disk.lstat(at)),
    stat: (path) => disk.stat(path),
    statDirectory: (path, names) => disk.statDirectory(path, names),
    list: (path) => anchor.inside(path, (at) => disk.list(at)),
    makeDirectory: (path, permissions) => anchor.at(path, (at) => disk.makeDirectory(at, permissions)),
    makeDirectories: (path, permissions) => disk.makeDirectories(path, permissions),
    removeFile: (path) => anchor.at(path, (at) => disk.removeFile(at)),
    removeDirectory: (path) => anchor.at(path, (at) => disk.removeDirectory(at)),
    rename: (from, to) => anchor.both(from, to, (a, b) => disk.rename(a, b)),
    exchange: (from, to) => anchor.both(from, to, (a, b) => disk.exchange(a, b)),
    renameNew: (from, to) => anchor.both(from, to, (a, b) => disk.renameNew(a, b)),
    copyNew: (from, to, permissions) => anchor.both(from, to, (a, b) => disk.copyNew(a, b, permissions)),
    linkNew: (from, to) => anchor.both(from, to, (a, b) => disk.linkNew(a, b)),
    cloneNew: (from, to, permissions) => anchor.both(from, to, (a, b) => disk.cloneNew(a, b, permissions)),
    makeSymlink: (target, path) => anchor.at(path, (at) => disk.makeSymlink(target, at)),
    readSymlink: (path) => anchor.at(path, (at) => disk.readSymlink(at)),
    chmod: (path, mode) => anchor.at(path, (at) => disk.chmod(at, mode)),
    chown: (path, userId, groupId) => anchor.at(path, (at) => disk.chown(at, userId, groupId)),
    setModified: (path, s, ns) => anchor.at(path, (at) => disk.setModified(at, s, ns)),
    hide: (path) => anchor.at(path, (at) => disk.hide(at)),
    syncDirectory: (path) => anchor.inside(path, (at) => disk.syncDirectory(at)),
    holdDirectory: (path) => disk.holdDirectory(path),
    space: (path) => disk.space(path),
    realPath: (path) => disk.realPath(path),
    lock: (path, options) => disk.lock(path, options),
  }
}

/** Linux's limit. Below a held directory the system would allow more, and no other program could open the item. */
const PATH_BYTES_MAX = 4_095

type AnchorDisk = Pick<Disk, 'holdDirectory' | 'lstat' | 'realPath'>

/** Runs calls below held directories of one tree. */
export class Anchor {
  readonly #disk: AnchorDisk
  readonly #root: string
  #realRoot: Promise<string> | undefined

  constructor(disk: AnchorDisk, root: string) {
    this.#disk = disk
    this.#root = root
  }

  /** Runs a call on an item, below the held directory above it. */
  async at<T>(path: string, call: (path: string) => Promise<T>): Promise<T> {
    const name = this.#nameOf(path)
    if (name === undefined || name === '') return await call(path)
    if (isTooLong(path)) throw new DiskError('ENAMETOOLONG', 'file name too long', 'open', path)
    await using held = await this.#hold(parentOf(name), path)
    return await call(joinPath(held.path, baseOf(name)))
  }

  async both<T>(from: string, to: string, call: (from: string, to: string) => Promise<T>): Promise<T> {
    return await this.at(from, (a) => this.at(to, (b) => call(a, b)))
  }

  /** Runs a call on a directory, which is held itself. */
  async inside<T>(path: string, call: (path: string) => Promise<T>): Promise<T> {
    const name = this.#nameOf(path)
    if (name === undefined || name === '') return await call(path)
    await using held = await this.#hold(name, path)
    return await call(held.path)
  }

  /** The name below the root; undefined for other paths. */
  #nameOf(path: string): string | undefined {
    if (path === this.#root) return ''
    const prefix = this.#root.endsWith('/') ? this.#root : `${this.#root}/`
    return path.startsWith(prefix) ? path.slice(prefix.length) : undefined
  }

  async #hold(directory: string, path: string): Promise<HeldDirectory> {
    const expected = joinPath(await this.#rootItself(), directory)
    const held = await this.#disk.holdDirectory(expected).catch(async (error: unknown) => {
      // A symlink is not a missing directory, which the same code would mean.
      const isSymlink = systemCode(error) === 'ENOTDIR' && (await this.#isSymlink(expected))
      throw isSymlink ? elsewhere(path) : error
    })
    if (held.realPath === expected || (await this.#isFolded(held.realPath, expected))) return held
    await held[Symbol.asyncDispose]()
    throw elsewhere(path)
  }

  /**
   * Some disks do not distinguish upper and lower case, and return the spelling that they store: then both spellings
   * are one directory. Elsewhere they are two items, and a symlink in place of one may lead to the other.
   */
  async #isFolded(actual: string, expected: string): Promise<boolean> {
    if (folded(actual) !== folded(expected)) return false
    const [names, others] = [actual.split('/'), expected.split('/')]
    for (const [i, name] of names.entries()) {
      const other = others[i]
      if (name === other) continue
      if (other === undefined) return false
      const above = names.slice(0, i).join('/')
      const [a, b] = await Promise.all([this.#lstat(`${above}/${name}`), this.#lstat(`${above}/${other}`)])
      if (a?.type !== 'directory' || b?.type !== 'directory') return false
      if (a.inode !== b.inode || a.deviceId !== b.deviceId) return false
    }
    return true
  }

  async #isSymlink(path: string): Promise<boolean> {
    return (await this.#lstat(path))?.type === 'symlink'
  }

  #lstat(path: string): Promise<DiskStat | undefined> {
    return this.#disk.lstat(path).catch(() => undefined)
  }

  #rootItself(): Promise<string> {
    this.#realRoot ??= this.#disk.realPath(this.#root).catch((error: unknown) => {
      this.#realRoot = undefined // the error may be temporary
      throw error
    })
    return this.#realRoot
  }
}

function folded(path: string): string {
  return path.normalize('NFC').toLowerCase()
}

function isTooLong(path: string): boolean {
  return path.length * 3 > PATH_BYTES_MAX && Buffer.byteLength(path) > PATH_BYTES_MAX
}

function elsewhere(path: string): DiskError {
  return new DiskError('ELOOP', 'a directory above is a symbolic link', 'open', path)
}
