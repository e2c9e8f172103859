import { isMissing, systemCode } from '../../core/errors.ts'
import { ancestorsOf, joinPath, parentOf, temporaryName } from '../../core/paths.ts'
import type { DiskItem } from '../../core/records/change.ts'
import { windowsNameProblem } from '../../core/windows-names.ts'
import type { Disk } from '../../platform/disk.ts'
import { anchoredDisk } from '../../platform/files/anchored-disk.ts'
import { itemFailed } from '../../platform/files/item-failed.ts'
import { Parents } from '../../platform/files/parents.ts'

export interface TreeDiskDeps {
  readonly disk: Disk
  /** Absolute, as configured. */
  readonly root: string
  readonly platform: string
  readonly fsync: boolean
  /** Schedules a scan after the pull, for items on disk that are not in the index. */
  scanLater(name: string): void
  /** A missing directory was created. */
  onMade(directory: string): void
}

/** An item on our disk in place of a directory. */
export interface Blocker {
  readonly name: string
  readonly type: DiskItem['type'] | 'other'
}

/** The disk merges them. Most items of an encrypted folder have a directory of their own. */
const DIRECTORIES_AT_ONCE = 32

/** The disk by names below the root of a folder. No name is reached through a symlink in place of a directory. */
export class TreeDisk {
  readonly disk: Disk
  readonly root: string
  readonly platform: string
  readonly parents: Parents
  readonly #deps: TreeDiskDeps
  /** Directories with changes that are not durable. */
  readonly #changed = new Set<string>()

  constructor(deps: TreeDiskDeps) {
    this.#deps = deps
    this.disk = anchoredDisk(deps.disk, deps.root)
    this.root = deps.root
    this.platform = deps.platform
    this.parents = new Parents({
      disk: this.disk,
      root: deps.root,
      onMade: (directory) => {
        // Otherwise a power loss could discard the directory with its recorded items.
        this.changed(directory)
        deps.onMade(directory)
      },
    })
  }

  /** Throws for a name that the system cannot have: it would lead to another item. */
  path(name: string): string {
    const problem = this.nameProblem(name)
    if (problem !== undefined) throw itemFailed(problem)
    return joinPath(this.root, name)
  }

  /** Why the system cannot have an item of this name. */
  nameProblem(name: string): string | undefined {
    return this.platform === 'win32' ? windowsNameProblem(name) : undefined
  }

  temporaryOf(name: string): string {
    return temporaryName(name, this.platform)
  }

  scanLater(name: string): void {
    this.#deps.scanLater(name)
  }

  /** The item on disk as a scan would see it; undefined where it is missing. */
  async stat(name: string): Promise<DiskItem | 'other' | undefined> {
    const path = this.path(name)
    try {
      const stat = await this.disk.lstat(path)
      if (stat.type === 'other') return 'other'
      const symlinkTarget = stat.type === 'symlink' ? await this.disk.readSymlink(path) : ''
      const { type, sizeBytes, modifiedS, modifiedNs, mode, changeStamp, inode } = stat
      return { name, type, sizeBytes, modifiedS, modifiedNs, mode, symlinkTarget, changeStamp, inode }
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }

  /** The same, undefined also where a directory above is missing or of another type. */
  async statReachable(name: string): Promise<DiskItem | 'other' | undefined> {
    return (await this.parents.isReachable(name)) ? await this.stat(name) : undefined
  }

  /** The item in place of a directory above `name`. */
  async findBlocker(name: string): Promise<Blocker | undefined> {
    const parent = parentOf(name)
    if (parent === '') return undefined
    if ((await this.parents.isReachable(name)) && (await this.typeOf(parent)) === 'directory') return undefined
    for (const ancestor of [...ancestorsOf(parent).slice(1), parent]) {
      const type = await this.typeOf(ancestor)
      if (type !== 'directory') return type && { name: ancestor, type }
    }
    return undefined
  }

  async typeOf(name: string): Promise<Blocker['type'] | undefined> {
    const item = await this.stat(name)
    return item === 'other' ? item : item?.type
  }

  async rename(from: string, to: string): Promise<void> {
    await this.parents.inside(to, () => this.disk.rename(this.path(from), this.path(to)))
  }

  /** Rejects with `EEXIST` where the name is in use. */
  async renameNew(from: string, to: string): Promise<void> {
    await this.parents.inside(to, () => this.disk.renameNew(this.path(from), this.path(to)))
  }

  async removeFile(name: string): Promise<void> {
    await this.parents.inside(name, () => this.disk.removeFile(this.path(name)))
  }

  /** For temporary files, which no other program writes. */
  async removeIfThere(name: string): Promise<void> {
    await this.removeFile(name).catch((error: unknown) => {
      if (!isMissing(error)) throw error
    })
  }

  async removeDirectory(name: string): Promise<void> {
    await this.parents.inside(name, () => this.disk.removeDirectory(this.path(name)))
  }

  /** The directory above `name` was changed. */
  changed(name: string): void {
    if (this.#deps.fsync) this.#changed.add(parentOf(name))
  }

  /** Makes the changes since the last call durable; undefined where there are none. */
  takeChanged(): (() => Promise<void>) | undefined {
    const changed = [...this.#changed]
    this.#changed.clear()
    return changed.length === 0 ? undefined : () => this.#syncAll(changed)
  }

  async #syncAll(all: readonly string[]): Promise<void> {
    for (let start = 0; start < all.length; start += DIRECTORIES_AT_ONCE) {
      await Promise.all(all.slice(start, start + DIRECTORIES_AT_ONCE).map((directory) => this.#sync(directory)))
    }
  }

  async #sync(directory: string): Promise<void> {
    try {
      await this.disk.syncDirectory(this.path(directory))
    } catch (error) {
      // Removed since, or not readable: nothing is left to sync.
      const code = systemCode(error)
      if (code !== 'ENOENT' && code !== 'ENOTDIR' && code !== 'EACCES') throw error
    }
  }
}
