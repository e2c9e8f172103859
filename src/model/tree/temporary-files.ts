import { baseOf, joinPath } from '../../core/paths.ts'
import type { FileInfo } from '../../core/records/file-info.ts'
import type { DiskFile, DiskStat } from '../../platform/disk.ts'
import type { FileContent } from './content.ts'
import type { Metadata } from './metadata.ts'
import type { TreeDisk } from './tree-disk.ts'

/** An interrupted pull must be able to resume writing, whatever the final mode is. */
const OWNER_READ_WRITE = 0o600

/** The temporary files of pulls, beside their targets. All names here are those of the targets. */
export class TemporaryFiles {
  readonly #tree: TreeDisk
  readonly #metadata: Metadata

  constructor(tree: TreeDisk, metadata: Metadata) {
    this.#tree = tree
    this.#metadata = metadata
  }

  path(name: string): string {
    return this.#tree.path(this.#tree.temporaryOf(name))
  }

  /** The mode to open the temporary file of a record with. */
  modeOf(record: FileInfo): number {
    const permissions = this.#metadata.permissionsOf(record)
    return permissions === undefined ? 0o666 : permissions | OWNER_READ_WRITE
  }

  /** Rejects with `EEXIST` where there is one. */
  async create(record: FileInfo): Promise<DiskFile> {
    const path = this.path(record.name)
    return await this.#tree.parents.inside(record.name, () => this.#tree.disk.open(path, 'create', this.modeOf(record)))
  }

  /** Makes it a copy of the current file, whose content the caller verifies. */
  async copyOld(record: FileInfo, how: 'copyNew' | 'cloneNew'): Promise<void> {
    const { disk, parents } = this.#tree
    const [from, to] = [this.#tree.path(record.name), this.path(record.name)]
    await parents.inside(record.name, () => disk[how](from, to, this.modeOf(record)))
  }

  /** Makes it a copy of another file of the tree, whose content the caller verifies. */
  async copyOther(record: FileInfo, other: string): Promise<void> {
    const { disk, parents } = this.#tree
    const [from, to] = [this.#tree.path(other), this.path(record.name)]
    await parents.inside(record.name, () => disk.copyNew(from, to, this.modeOf(record)))
  }

  /** Lets `copy` make it, at a path below its directory, which is held. The caller verifies the content. */
  async make(record: FileInfo, copy: (path: string, permissions: number) => Promise<void>): Promise<void> {
    const { parents } = this.#tree
    await using place = await parents.hold(record.name)
    const path = joinPath(place.path, baseOf(this.#tree.temporaryOf(record.name)))
    await parents.inside(record.name, () => copy(path, this.modeOf(record)))
  }

  /** Undefined where it is no file that can be written. */
  async open(name: string): Promise<DiskFile | undefined> {
    try {
      return await this.#tree.disk.open(this.path(name), 'write')
    } catch {
      return undefined // a symlink, a pipe or not writable: the caller removes it or reports the error
    }
  }

  /** A crash can leave a finished file under both names: writing to one would change the other. */
  async isFinished(name: string, temporary: DiskStat): Promise<boolean> {
    const target = await this.#tree.disk.lstat(this.#tree.path(name)).catch(() => undefined) // usually missing
    return target !== undefined && isSameFile(target, temporary)
  }

  async remove(name: string): Promise<void> {
    await this.#tree.removeFile(this.#tree.temporaryOf(name))
  }

  async removeIfThere(name: string): Promise<void> {
    await this.#tree.removeIfThere(this.#tree.temporaryOf(name))
  }

  /** The same where the directory may be gone, or be none any more. */
  async removeIfReachable(name: string): Promise<void> {
    if (await this.#tree.parents.isReachable(name)) await this.removeIfThere(name)
  }

  /** Removes it, unless its name has the replaced file already: that may have an edit of the user. */
  async discard(name: string, { sealed, file }: FileContent): Promise<void> {
    const own = sealed ?? (await file.stat())
    if (isSameFile(await this.#tree.disk.lstat(this.path(name)), own)) await this.removeIfThere(name)
  }
}

function isSameFile(a: DiskStat, b: DiskStat): boolean {
  return a.inode === b.inode && a.deviceId === b.deviceId
}
