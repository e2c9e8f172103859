import { isMissing } from '../../core/errors.ts'
import { baseOf, joinPath, parentOf } from '../../core/paths.ts'
import { checkPath, DiskError } from '../disk-error.ts'
import type {
  DirectoryStat,
  Disk,
  HeldDirectory,
  DiskFile,
  DiskName,
  DiskStat,
  LockOptions,
  OpenMode,
  SyncDisk,
} from '../disk.ts'
import { diskError } from './disk-faults.ts'
import { SimFile, type SimFileDeps } from './disk-file.ts'
import { SimDiskState, type OpenNode } from './disk-state.ts'

export type { CrashKeep, SimChange, SimDiskOptions } from './disk-state.ts'

/**
 * A disk in memory, with POSIX semantics and the failures of real disks: unsynced data may be lost, calls fail by
 * injected faults, space is finite.
 */
export class SimDisk extends SimDiskState implements Disk {
  /** Synchronous access to the same disk. Faults apply, latency does not. */
  readonly sync: SyncDisk = {
    lstat: (path) => this.#lstat(path),
    list: (path) => this.#list(path),
    readSymlink: (path) => this.#readSymlink(path),
    read: (path, into, positionBytes) => this.#readAt(path, into, positionBytes),
    removeFile: (root, name) => this.#removeBelow(root, name),
  }

  /** Paths of `hide`, for tests. */
  readonly hidden = new Set<string>()

  async open(path: string, mode: OpenMode, permissions = 0o666): Promise<DiskFile> {
    await this.begin('open', path)
    const opened = this.openNode(path, mode, permissions)
    return new SimFile(this.#fileDeps(), opened.node, opened.path, mode !== 'read')
  }

  async lstat(path: string): Promise<DiskStat> {
    await this.delay()
    return this.#lstat(path)
  }

  async stat(path: string): Promise<DiskStat> {
    await this.begin('stat', path)
    return this.tree.stat(this.tree.find(path, 'stat', true).node)
  }

  async statDirectory(path: string, names: readonly string[]): Promise<DirectoryStat> {
    const directory = await this.stat(path)
    const items = directory.type === 'directory' ? names.map((name) => this.#lstatPresent(joinPath(path, name))) : []
    return { directory, items }
  }

  async list(path: string): Promise<readonly DiskName[]> {
    await this.delay()
    return this.#list(path)
  }

  async makeDirectory(path: string, permissions: number): Promise<void> {
    await this.begin('mkdir', path)
    this.notify('changed', this.tree.add(path, 'mkdir', this.tree.metadata.newDirectory(permissions)))
  }

  async makeDirectories(path: string, permissions: number): Promise<void> {
    await this.begin('mkdir', path)
    for (const created of this.tree.addDirectories(path, permissions)) this.notify('changed', created)
  }

  async removeFile(path: string): Promise<void> {
    await this.delay()
    this.#removeFile(path)
  }

  async removeDirectory(path: string): Promise<void> {
    await this.begin('rmdir', path)
    this.notify('removed', this.tree.removeDirectory(path))
  }

  async rename(from: string, to: string): Promise<void> {
    await this.begin('rename', from)
    const moved = this.tree.rename(from, to)
    if (moved === undefined) return
    this.notify('removed', moved.from)
    this.notify('changed', moved.to)
  }

  async exchange(from: string, to: string): Promise<boolean> {
    checkPath(from, 'rename')
    checkPath(to, 'rename')
    if (this.options.exchanges === false) return false
    await this.begin('rename', from)
    for (const path of this.tree.exchange(from, to)) this.notify('changed', path)
    return true
  }

  async renameNew(from: string, to: string): Promise<void> {
    await this.begin('rename', from)
    this.tree.refuseExisting(from, to)
    const moved = this.tree.rename(from, to)
    if (moved === undefined) return
    this.notify('removed', moved.from)
    this.notify('changed', moved.to)
  }

  async copyNew(from: string, to: string, permissions: number): Promise<void> {
    await this.begin('copy', from)
    const source = this.openNode(from, 'read', 0)
    const data = new Uint8Array(Number(this.tree.stat(source.node).sizeBytes))
    source.node.content.read(data, 0)
    const copy = this.openNode(to, 'create', 0o600)
    this.tree.write(copy.node, data, 0, to)
    this.tree.metadata.chmod(copy.node, permissions)
    this.notify('changed', copy.path)
  }

  async cloneNew(from: string, to: string, permissions: number): Promise<void> {
    if (this.options.clones !== true) throw diskError('ENOTSUP', 'copyfile', from)
    await this.copyNew(from, to, permissions)
  }

  async holdDirectory(path: string): Promise<HeldDirectory> {
    await this.begin('open', path)
    const found = this.tree.find(path, 'open', false)
    if (found.node.type !== 'directory') throw diskError('ENOTDIR', 'open', path)
    return { path: found.path, realPath: found.path, async [Symbol.asyncDispose]() {} }
  }

  async linkNew(from: string, to: string): Promise<void> {
    await this.begin('link', from)
    this.notify('changed', this.tree.link(this.openNode(from, 'read', 0).node, to))
  }

  async makeSymlink(target: string, path: string): Promise<void> {
    await this.begin('symlink', path)
    if (target === '') throw diskError('ENOENT', 'symlink', path)
    if (target.includes('\0')) throw diskError('EINVAL', 'symlink', path)
    if (!target.isWellFormed()) throw diskError('EILSEQ', 'symlink', path)
    this.notify('changed', this.tree.add(path, 'symlink', this.tree.metadata.newSymlink(target)))
  }

  async readSymlink(path: string): Promise<string> {
    await this.delay()
    return this.#readSymlink(path)
  }

  async chmod(path: string, mode: number): Promise<void> {
    await this.begin('chmod', path)
    const found = this.tree.find(path, 'chmod', false)
    if (found.node.type === 'symlink') throw diskError('ELOOP', 'chmod', path)
    this.tree.metadata.chmod(found.node, mode)
    this.notify('changed', found.path)
  }

  async chown(path: string, userId: number, groupId: number): Promise<void> {
    await this.begin('chown', path)
    const found = this.tree.find(path, 'chown', false)
    this.tree.metadata.chown(found.node, userId, groupId)
    this.notify('changed', found.path)
  }

  async setModified(path: string, modifiedS: number, modifiedNs: number): Promise<void> {
    await this.begin('utime', path)
    const found = this.tree.find(path, 'utime', false)
    this.tree.metadata.setModified(found.node, BigInt(modifiedS) * 1_000_000_000n + BigInt(modifiedNs))
    this.notify('changed', found.path)
  }

  async hide(path: string): Promise<void> {
    this.faults.check('hide', path)
    this.hidden.add(this.tree.find(path, 'hide', false).path)
  }

  async syncDirectory(path: string): Promise<void> {
    await this.begin('syncDirectory', path)
    const { node } = this.tree.find(path, 'fsync', true)
    if (node.type !== 'directory') throw diskError('ENOTDIR', 'fsync', path)
    this.tree.syncDirectory(node)
  }

  async space(path: string): Promise<{ readonly freeBytes: number; readonly totalBytes: number }> {
    await this.begin('space', path)
    this.tree.find(path, 'statfs', true)
    const freeBytes = Math.max(0, this.capacityBytes - this.tree.usedBytes)
    return { freeBytes, totalBytes: this.capacityBytes }
  }

  async realPath(path: string): Promise<string> {
    await this.begin('realpath', path)
    return this.tree.find(path, 'realpath', true).path
  }

  async lock(path: string, options: LockOptions = {}): Promise<AsyncDisposable | undefined> {
    await this.begin('lock', path)
    const { node } = this.#lockNode(path)
    if (this.locked.has(node.inode)) return undefined
    const locked = this.locked
    locked.add(node.inode)
    const release = async (): Promise<void> => {
      // A lock from before a crash is in a discarded set, and its file may belong to another lock.
      if (locked !== this.locked || !locked.delete(node.inode)) return
      if (options.leaveFile !== true) this.notify('removed', this.tree.removeFile(path))
    }
    return { [Symbol.asyncDispose]: release }
  }

  #lockNode(path: string): OpenNode {
    try {
      return this.openNode(path, 'write', 0)
    } catch (error) {
      if (!(error instanceof DiskError) || error.code !== 'ENOENT') throw error
      return this.openNode(path, 'create', 0o600)
    }
  }

  #fileDeps(): SimFileDeps {
    const generation = this.generation
    return {
      tree: this.tree,
      begin: async (call, path) => {
        await this.begin(call, path)
        if (generation !== this.generation && call !== 'close') throw diskError('EBADF', call, path)
      },
      readableBytes: (requestedBytes) => this.shortened(requestedBytes),
      spoil: (read, path) => this.faults.spoil(read, path),
      changed: (path) => this.notify('changed', path),
    }
  }

  #lstat(path: string): DiskStat {
    this.faults.check('stat', path)
    return this.tree.stat(this.tree.find(path, 'lstat', false).node)
  }

  #lstatPresent(path: string): DiskStat | undefined {
    try {
      return this.#lstat(path)
    } catch (error) {
      if (!isMissing(error)) throw error
      return undefined
    }
  }

  #list(path: string): readonly DiskName[] {
    this.faults.check('list', path)
    return this.tree.list(path)
  }

  #readSymlink(path: string): string {
    this.faults.check('readlink', path)
    const { node } = this.tree.find(path, 'readlink', false)
    if (node.type !== 'symlink') throw diskError('EINVAL', 'readlink', path)
    return node.target
  }

  #readAt(path: string, into: Uint8Array, positionBytes: number): number {
    this.faults.check('read', path)
    const { node } = this.openNode(path, 'read', 0)
    return node.content.read(into.subarray(0, this.shortened(into.length)), positionBytes)
  }

  #removeBelow(root: string, name: string): void {
    const above = this.tree.find(joinPath(root, parentOf(name)), 'unlink', false).path
    if (above !== joinPath(this.tree.find(root, 'unlink', true).path, parentOf(name)))
      throw diskError('ELOOP', 'unlink', joinPath(root, name))
    this.#removeFile(joinPath(above, baseOf(name)))
  }

  #removeFile(path: string): void {
    this.faults.check('unlink', path)
    this.notify('removed', this.tree.removeFile(path))
  }
}
