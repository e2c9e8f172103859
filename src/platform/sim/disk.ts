import { checkPath, DiskError } from '../disk-error.ts'
import type { Clock } from '../clock.ts'
import type { Disk, HeldDirectory, DiskFile, DiskName, DiskStat, LockOptions, OpenMode, SyncDisk } from '../disk.ts'
import type { Keep } from './disk-content.ts'
import { diskError, SimFaults, type DiskCall, type DiskFault, type DiskRot } from './disk-faults.ts'
import { SimDirectAccess } from './direct-access.ts'
import type { SimFileNode } from './disk-node.ts'
import { SimFile, type SimFileDeps } from './disk-file.ts'
import { SimTree, type SimTreeOptions } from './disk-tree.ts'
import type { SimRandom } from './random.ts'

export type SimDiskOptions = Partial<Omit<SimTreeOptions, 'nowMs'>> & {
  /** Supports cloned files (copy-on-write). */
  readonly clones?: boolean
  /** Exchanges items atomically; default: true. */
  readonly exchanges?: boolean
  /** Given, reads randomly return fewer bytes than requested. */
  readonly shortReads?: SimRandom
  /** Latency of every call. */
  readonly latencyMs?: number
}

/** A change as reported to subscribers; paths are absolute, without symlinks. */
export type SimChange =
  | { readonly kind: 'changed'; readonly path: string }
  | { readonly kind: 'removed'; readonly path: string }

/** Which unsynced data survives a power loss: a random subset that a real disk could leave. */
export type CrashKeep = 'nothing' | 'everything' | SimRandom

interface OpenNode {
  readonly node: SimFileNode
  /** Without symlinks. */
  readonly path: string
}

const NEVER_ABORTS = new AbortController().signal
const READ = 4
const WRITE = 2

/**
 * A disk in memory, with POSIX semantics and the failures of real disks: unsynced data may be lost, calls fail by
 * injected faults, space is finite.
 */
export class SimDisk implements Disk {
  readonly faults = new SimFaults()
  /** Access to the same disk as by the user. */
  readonly hands: SimDirectAccess
  /** Synchronous access to the same disk. Faults apply, latency does not. */
  readonly sync: SyncDisk
  readonly #clock: Clock
  readonly #options: SimDiskOptions
  readonly #capacityBytes: number
  readonly #tree: SimTree
  readonly #listeners = new Set<(change: SimChange) => void>()
  #locked = new Set<bigint>()
  /** Number of crashes: handles opened before a crash are invalid. */
  #generation = 0

  constructor(clock: Clock, options: SimDiskOptions = {}) {
    this.#clock = clock
    this.#options = options
    this.#capacityBytes = options.capacityBytes ?? 2 ** 40
    this.#tree = new SimTree({
      caseInsensitive: options.caseInsensitive ?? false,
      modifiedStepNs: options.modifiedStepNs ?? 1n,
      capacityBytes: this.#capacityBytes,
      umask: options.umask ?? 0o022,
      enforcePermissions: options.enforcePermissions ?? true,
      nowMs: () => clock.nowMs(),
    })
    this.hands = new SimDirectAccess(this.#tree, (kind, path) => this.#notify(kind, path))
    this.sync = {
      lstat: (path) => this.#lstat(path),
      list: (path) => this.#list(path),
      readSymlink: (path) => this.#readSymlink(path),
      read: (path, into, positionBytes) => this.#readAt(path, into, positionBytes),
      removeFile: (path) => this.#removeFile(path),
    }
  }

  /** Calls `listener` at every change, in order, before the call that made it returns. */
  subscribe(listener: (change: SimChange) => void): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }

  /** The next call that matches fails. */
  fail(fault: DiskFault): void {
    this.faults.add(fault)
  }

  /** Matching reads of open files return corrupt data. Scans are not affected. */
  rot(rot: DiskRot): void {
    this.faults.addRot(rot)
  }

  /** Power loss and restart: open files and locks are gone, and all unsynced data except what `keep` accepts. */
  crash(keep: CrashKeep = 'nothing'): void {
    const decide: Keep = typeof keep === 'string' ? () => keep === 'everything' : () => keep.chance(0.5)
    this.#tree.crash(decide)
    this.#locked = new Set()
    this.#generation++
    this.faults.powerOn()
  }

  /** Makes everything durable: for the initial state of a test. */
  syncAll(): void {
    this.#tree.syncAll()
  }

  /** A durable file with its directories, without faults: for the initial state of a test. */
  put(path: string, content: Uint8Array | string, permissions = 0o644): void {
    const data = typeof content === 'string' ? Buffer.from(content) : content
    this.#tree.addDirectories(path.slice(0, path.lastIndexOf('/') + 1), 0o755)
    let node: SimFileNode
    try {
      const found = this.#tree.find(path, 'put', false).node
      if (found.type !== 'file') throw diskError('EINVAL', 'put', path)
      node = found
      this.#tree.truncate(node, 0)
    } catch (error) {
      if (!(error instanceof DiskError) || error.code !== 'ENOENT') throw error
      node = this.#tree.newFile(permissions)
      this.#tree.add(path, 'put', node)
    }
    this.#tree.write(node, data, 0, path)
    this.#tree.syncAll()
    this.#notify('changed', path)
  }

  /** A pipe: an item that is never synchronized. */
  putOther(path: string): void {
    this.#notify('changed', this.#tree.add(path, 'put', this.#tree.newOther()))
  }

  /** A file whose name is no UTF-8; `shown` is how the name appears in a list. */
  putInvalidName(directory: string, shown: string): void {
    this.#tree.add(`${directory}/${shown}`, 'put', this.#tree.newFile(0o644), false)
  }

  async open(path: string, mode: OpenMode, permissions = 0o666): Promise<DiskFile> {
    await this.#begin('open', path)
    const opened = this.#openNode(path, mode, permissions)
    return new SimFile(this.#fileDeps(), opened.node, opened.path, mode !== 'read')
  }

  async lstat(path: string): Promise<DiskStat> {
    await this.#delay()
    return this.#lstat(path)
  }

  async stat(path: string): Promise<DiskStat> {
    await this.#begin('stat', path)
    return this.#tree.stat(this.#tree.find(path, 'stat', true).node)
  }

  async list(path: string): Promise<readonly DiskName[]> {
    await this.#delay()
    return this.#list(path)
  }

  async makeDirectory(path: string, permissions: number): Promise<void> {
    await this.#begin('mkdir', path)
    this.#notify('changed', this.#tree.add(path, 'mkdir', this.#tree.newDirectory(permissions)))
  }

  async makeDirectories(path: string, permissions: number): Promise<void> {
    await this.#begin('mkdir', path)
    for (const created of this.#tree.addDirectories(path, permissions)) this.#notify('changed', created)
  }

  async removeFile(path: string): Promise<void> {
    await this.#delay()
    this.#removeFile(path)
  }

  async removeDirectory(path: string): Promise<void> {
    await this.#begin('rmdir', path)
    this.#notify('removed', this.#tree.removeDirectory(path))
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#begin('rename', from)
    const moved = this.#tree.rename(from, to)
    if (moved === undefined) return
    this.#notify('removed', moved.from)
    this.#notify('changed', moved.to)
  }

  async exchange(from: string, to: string): Promise<boolean> {
    checkPath(from, 'rename')
    checkPath(to, 'rename')
    if (this.#options.exchanges === false) return false
    await this.#begin('rename', from)
    for (const path of this.#tree.exchange(from, to)) this.#notify('changed', path)
    return true
  }

  async renameNew(from: string, to: string): Promise<void> {
    await this.#begin('rename', from)
    this.#tree.refuseExisting(from, to)
    const moved = this.#tree.rename(from, to)
    if (moved === undefined) return
    this.#notify('removed', moved.from)
    this.#notify('changed', moved.to)
  }

  async copyNew(from: string, to: string, permissions: number): Promise<void> {
    await this.#begin('copy', from)
    const source = this.#openNode(from, 'read', 0)
    const data = new Uint8Array(Number(this.#tree.stat(source.node).sizeBytes))
    source.node.content.read(data, 0)
    const copy = this.#openNode(to, 'create', 0o600)
    this.#tree.write(copy.node, data, 0, to)
    this.#tree.chmod(copy.node, permissions)
    this.#notify('changed', copy.path)
  }

  async cloneNew(from: string, to: string, permissions: number): Promise<void> {
    if (this.#options.clones !== true) throw diskError('ENOTSUP', 'copyfile', from)
    await this.copyNew(from, to, permissions)
  }

  async holdDirectory(path: string): Promise<HeldDirectory> {
    await this.#begin('open', path)
    const found = this.#tree.find(path, 'open', false)
    if (found.node.type !== 'directory') throw diskError('ENOTDIR', 'open', path)
    return { path: found.path, realPath: found.path, async [Symbol.asyncDispose]() {} }
  }

  async linkNew(from: string, to: string): Promise<void> {
    await this.#begin('link', from)
    this.#notify('changed', this.#tree.link(this.#openNode(from, 'read', 0).node, to))
  }

  async makeSymlink(target: string, path: string): Promise<void> {
    await this.#begin('symlink', path)
    if (target === '') throw diskError('ENOENT', 'symlink', path)
    if (target.includes('\0')) throw diskError('EINVAL', 'symlink', path)
    if (!target.isWellFormed()) throw diskError('EILSEQ', 'symlink', path)
    this.#notify('changed', this.#tree.add(path, 'symlink', this.#tree.newSymlink(target)))
  }

  async readSymlink(path: string): Promise<string> {
    await this.#delay()
    return this.#readSymlink(path)
  }

  async chmod(path: string, mode: number): Promise<void> {
    await this.#begin('chmod', path)
    const found = this.#tree.find(path, 'chmod', false)
    if (found.node.type === 'symlink') throw diskError('ELOOP', 'chmod', path)
    this.#tree.chmod(found.node, mode)
    this.#notify('changed', found.path)
  }

  async chown(path: string, userId: number, groupId: number): Promise<void> {
    await this.#begin('chown', path)
    const found = this.#tree.find(path, 'chown', false)
    this.#tree.chown(found.node, userId, groupId)
    this.#notify('changed', found.path)
  }

  async setModified(path: string, modifiedS: number, modifiedNs: number): Promise<void> {
    await this.#begin('utime', path)
    const found = this.#tree.find(path, 'utime', false)
    this.#tree.setModified(found.node, BigInt(modifiedS) * 1_000_000_000n + BigInt(modifiedNs))
    this.#notify('changed', found.path)
  }

  async syncDirectory(path: string): Promise<void> {
    await this.#begin('syncDirectory', path)
    const { node } = this.#tree.find(path, 'fsync', true)
    if (node.type !== 'directory') throw diskError('ENOTDIR', 'fsync', path)
    this.#tree.syncDirectory(node)
  }

  async space(path: string): Promise<{ readonly freeBytes: number; readonly totalBytes: number }> {
    await this.#begin('space', path)
    this.#tree.find(path, 'statfs', true)
    const freeBytes = Math.max(0, this.#capacityBytes - this.#tree.usedBytes)
    return { freeBytes, totalBytes: this.#capacityBytes }
  }

  async realPath(path: string): Promise<string> {
    await this.#begin('realpath', path)
    return this.#tree.find(path, 'realpath', true).path
  }

  async lock(path: string, options: LockOptions = {}): Promise<AsyncDisposable | undefined> {
    await this.#begin('lock', path)
    const { node } = this.#lockNode(path)
    if (this.#locked.has(node.inode)) return undefined
    const locked = this.#locked
    locked.add(node.inode)
    const release = async (): Promise<void> => {
      // A lock from before a crash is in a discarded set, and its file may belong to another lock.
      if (locked !== this.#locked || !locked.delete(node.inode)) return
      if (options.leaveFile !== true) this.#notify('removed', this.#tree.removeFile(path))
    }
    return { [Symbol.asyncDispose]: release }
  }

  #lockNode(path: string): OpenNode {
    try {
      return this.#openNode(path, 'write', 0)
    } catch (error) {
      if (!(error instanceof DiskError) || error.code !== 'ENOENT') throw error
      return this.#openNode(path, 'create', 0o600)
    }
  }

  #openNode(path: string, mode: OpenMode, permissions: number): OpenNode {
    if (mode === 'create') {
      const node = this.#tree.newFile(permissions)
      const added = { node, path: this.#tree.add(path, 'open', node) }
      this.#notify('changed', added.path)
      return added
    }
    const { node, path: canonical } = this.#tree.find(path, 'open', false)
    if (node.type === 'symlink') throw diskError('ELOOP', 'open', path)
    if (node.type === 'directory') throw diskError('EISDIR', 'open', path)
    if (node.type === 'other') throw diskError('EINVAL', 'open', path)
    this.#tree.demand(node, mode === 'read' ? READ : READ | WRITE, 'open', path)
    return { node, path: canonical }
  }

  #fileDeps(): SimFileDeps {
    const generation = this.#generation
    return {
      tree: this.#tree,
      begin: async (call, path) => {
        await this.#begin(call, path)
        if (generation !== this.#generation && call !== 'close') throw diskError('EBADF', call, path)
      },
      readableBytes: (requestedBytes) => this.#shortened(requestedBytes),
      spoil: (read, path) => this.faults.spoil(read, path),
      changed: (path) => this.#notify('changed', path),
    }
  }

  #lstat(path: string): DiskStat {
    this.faults.check('stat', path)
    return this.#tree.stat(this.#tree.find(path, 'lstat', false).node)
  }

  #list(path: string): readonly DiskName[] {
    this.faults.check('list', path)
    return this.#tree.list(path)
  }

  #readSymlink(path: string): string {
    this.faults.check('readlink', path)
    const { node } = this.#tree.find(path, 'readlink', false)
    if (node.type !== 'symlink') throw diskError('EINVAL', 'readlink', path)
    return node.target
  }

  #readAt(path: string, into: Uint8Array, positionBytes: number): number {
    this.faults.check('read', path)
    const { node } = this.#openNode(path, 'read', 0)
    return node.content.read(into.subarray(0, this.#shortened(into.length)), positionBytes)
  }

  #removeFile(path: string): void {
    this.faults.check('unlink', path)
    this.#notify('removed', this.#tree.removeFile(path))
  }

  #shortened(requestedBytes: number): number {
    const chance = this.#options.shortReads
    return chance === undefined || requestedBytes < 2 ? requestedBytes : 1 + chance.int(requestedBytes)
  }

  async #begin(call: DiskCall, path: string): Promise<void> {
    await this.#delay()
    this.faults.check(call, path)
  }

  async #delay(): Promise<void> {
    if (this.#options.latencyMs !== undefined) await this.#clock.sleep(this.#options.latencyMs, NEVER_ABORTS)
  }

  #notify(kind: SimChange['kind'], path: string): void {
    for (const listener of this.#listeners) listener({ kind, path })
  }
}
