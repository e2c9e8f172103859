import { diskStampOf, STAMP_UNVERIFIED } from '../../core/records/disk-stamp.ts'
import {
  diskSizeOf,
  diskTimeOf,
  type DiskState,
  type FileHead,
  type FileInfo,
  type FileTime,
} from '../../core/records/file-info.ts'
import type { CompareOptions } from '../../core/records/change.ts'
import type { DiskStat } from '../../platform/disk.ts'
import { itemFailed } from '../../platform/files/item-failed.ts'
import type { FolderAttributes } from './attributes.ts'
import type { FileContent } from './content.ts'
import { modified } from './item-check.ts'
import type { Owners } from './owners.ts'
import type { TreeDisk } from './tree-disk.ts'

const PERMISSIONS = 0o777
const OWNER_ALL = 0o700

export interface MetadataOptions {
  readonly compare: CompareOptions
  readonly fsync: boolean
  readonly owners: Owners
  /** Undefined where attributes are not synchronized. */
  readonly attributes: Pick<FolderAttributes, 'areSame' | 'setAt' | 'setNew' | 'isWanted'> | undefined
}

/** Sets mode, owner, extended attributes and time of items. */
export class Metadata {
  readonly #tree: TreeDisk
  readonly #options: MetadataOptions

  constructor(tree: TreeDisk, options: MetadataOptions) {
    this.#tree = tree
    this.#options = options
  }

  /** The permission bits of the record; undefined where they are not applied. */
  permissionsOf(record: FileHead): number | undefined {
    return this.#options.compare.ignorePerms || record.noPermissions ? undefined : record.permissions & PERMISSIONS
  }

  /** The permissions to make a directory with: private ones where its owner is still to be set. */
  firstPermissionsOf(directory: FileHead): number {
    const permissions = this.permissionsOf(directory) ?? PERMISSIONS
    return this.isPlain(directory) || permissions === PERMISSIONS ? permissions : OWNER_ALL
  }

  /** Whether mode and time are all that a new item needs. */
  isPlain(record: FileHead): boolean {
    return !this.#options.owners.isEnabled && this.#options.attributes?.isWanted(record) !== true
  }

  areSameAttributes(a: FileHead, b: FileHead): boolean {
    return this.#options.attributes?.areSame(a, b) ?? true
  }

  /**
   * Applies the metadata of the record to a file and returns the resulting state on disk. `local` is the record of the
   * current file. Rejects where the file was edited since it was checked.
   */
  async set(global: FileInfo, local: FileHead): Promise<DiskState> {
    const { disk } = this.#tree
    const { name, modifiedS, modifiedNs } = global
    const path = this.#tree.path(name)
    const { type, mode } = await disk.lstat(path)
    if (type !== 'file') throw itemFailed('not a regular file any more')
    await this.#options.attributes?.setAt(name, global, local)
    await this.#setMode(path, mode, global)
    await this.#options.owners.setAt(path, global)
    const before = await disk.lstat(path)
    if (isEdited(before, local, this.#options.compare.modTimeWindowMs)) {
      this.#tree.scanLater(name)
      throw modified()
    }
    if (isSameTime(before, global)) return { modifiedS, modifiedNs, diskStamp: diskStampOf(before) }
    await disk.setModified(path, modifiedS, modifiedNs)
    const after = await disk.lstat(path)
    // The new time hides an edit that was made since the check: the next scan hashes the file.
    return { modifiedS: after.modifiedS, modifiedNs: after.modifiedNs, diskStamp: STAMP_UNVERIFIED }
  }

  /** Mode and time of a file that was restored, and is not edited yet. */
  async setRestored(record: FileHead): Promise<void> {
    const { disk } = this.#tree
    const path = this.#tree.path(record.name)
    const { type, mode } = await disk.lstat(path)
    if (type !== 'file') throw itemFailed('not a regular file any more')
    await this.#setMode(path, mode, record)
    const { modifiedS, modifiedNs } = diskTimeOf(record)
    await disk.setModified(path, modifiedS, modifiedNs)
  }

  /** The same for a file that has its metadata in a trailer behind its content. */
  async setTrailer({ name, sizeBytes, modifiedS, modifiedNs }: FileInfo, trailer: Uint8Array): Promise<DiskState> {
    const { disk } = this.#tree
    const path = this.#tree.path(name)
    await using file = await disk.open(path, 'write')
    await file.write(trailer, sizeBytes)
    await file.truncate(sizeBytes + trailer.length)
    // Before the sync: with another time after a power loss the file would count as changed here, for good.
    await disk.setModified(path, modifiedS, modifiedNs)
    if (this.#options.fsync) await file.sync()
    await file.close()
    const after = await disk.lstat(path)
    return { modifiedS: after.modifiedS, modifiedNs: after.modifiedNs, trailerBytes: trailer.length }
  }

  /** The same for a directory; `local` is the record of the current one, if it is not new. */
  async setDirectory(global: FileInfo, local: FileHead | undefined, isNew: boolean): Promise<void> {
    const { attributes, owners } = this.#options
    const path = this.#tree.path(global.name)
    await (isNew ? attributes?.setNew(global.name, global) : attributes?.setAt(global.name, global, local))
    if (this.permissionsOf(global) !== undefined)
      await this.#setMode(path, (await this.#tree.disk.lstat(path)).mode, global)
    await owners.setAt(path, global)
  }

  async setOwner(name: string, global: FileInfo): Promise<void> {
    await this.#options.owners.setAt(this.#tree.path(name), global)
  }

  /**
   * Makes content, mode and time of a temporary file durable. Requires the lock: a scan would remove a temporary file
   * with an old time as a leftover. Returns the stat of the file, whose time may be coarser than the one set.
   */
  async seal(content: FileContent, global: FileInfo): Promise<DiskStat> {
    const { attributes, fsync, owners } = this.#options
    const { file, trailerBytes } = content
    const name = this.#tree.temporaryOf(global.name)
    await this.#tree.disk.setModified(this.#tree.path(name), global.modifiedS, global.modifiedNs)
    let stat = await file.stat()
    if (stat.sizeBytes !== diskSizeOf({ ...global, trailerBytes }))
      throw itemFailed('finishing: temporary file has another size')
    // Attributes require write permission, so they are set before the mode. A reused file may have those of an older
    // version.
    await (content.isFresh ? attributes?.setNew(name, global) : attributes?.setAt(name, global))
    const wanted = this.permissionsOf(global)
    if (wanted !== undefined && (stat.mode & PERMISSIONS) !== wanted) {
      await file.chmod(wanted)
      stat = { ...stat, mode: wanted }
    }
    await owners.set(global, file)
    if (fsync) await file.sync()
    content.sealed = stat
    await content.close()
    return stat
  }

  async #setMode(path: string, mode: number, record: FileHead): Promise<void> {
    const wanted = (mode & ~PERMISSIONS) | (this.permissionsOf(record) ?? mode & PERMISSIONS)
    if (mode !== wanted) await this.#tree.disk.chmod(path, wanted)
  }
}

/** Whether size or time differ from the record. Mode and stamp were changed here. */
function isEdited(now: DiskStat, local: FileHead, modTimeWindowMs: number): boolean {
  if (now.sizeBytes !== diskSizeOf(local)) return true
  const { modifiedS, modifiedNs } = diskTimeOf(local)
  if (modTimeWindowMs <= 0) return !isSameTime(now, { modifiedS, modifiedNs })
  return Math.abs((now.modifiedS - modifiedS) * 1_000) > modTimeWindowMs + 1_000
}

function isSameTime(a: FileTime, b: FileTime): boolean {
  return a.modifiedS === b.modifiedS && a.modifiedNs === b.modifiedNs
}
