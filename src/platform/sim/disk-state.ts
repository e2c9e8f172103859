import { DiskError } from '../disk-error.ts'
import type { Clock } from '../clock.ts'
import type { OpenMode } from '../disk.ts'
import type { SurvivesPowerLoss } from './disk-content.ts'
import { SimDirectAccess } from './direct-access.ts'
import { diskError, SimFaults, type DiskCall, type DiskFault, type DiskRot } from './disk-faults.ts'
import type { SimFileNode } from './disk-node.ts'
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

export interface OpenNode {
  readonly node: SimFileNode
  /** Without symlinks. */
  readonly path: string
}

const NEVER_ABORTS = new AbortController().signal
const READ = 4
const WRITE = 2

/**
 * The state behind a simulated disk: its tree, faults, latency and subscribers, and what tests do to it beside the
 * calls of a `Disk`.
 */
export class SimDiskState {
  readonly faults = new SimFaults()
  /** Access to the same disk as by the user. */
  readonly direct: SimDirectAccess
  protected readonly tree: SimTree
  protected readonly options: SimDiskOptions
  protected readonly capacityBytes: number
  protected locked = new Set<bigint>()
  /** Number of crashes: handles opened before a crash are invalid. */
  protected generation = 0
  readonly #clock: Clock
  readonly #listeners = new Set<(change: SimChange) => void>()

  constructor(clock: Clock, options: SimDiskOptions = {}) {
    this.#clock = clock
    this.options = options
    this.capacityBytes = options.capacityBytes ?? 2 ** 40
    this.tree = new SimTree({
      caseInsensitive: options.caseInsensitive ?? false,
      modifiedStepNs: options.modifiedStepNs ?? 1n,
      capacityBytes: this.capacityBytes,
      umask: options.umask ?? 0o022,
      enforcePermissions: options.enforcePermissions ?? true,
      nowMs: () => clock.nowMs(),
    })
    this.direct = new SimDirectAccess(this.tree, (kind, path) => this.notify(kind, path))
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
    const decide: SurvivesPowerLoss = typeof keep === 'string' ? () => keep === 'everything' : () => keep.chance(0.5)
    this.tree.crash(decide)
    this.locked = new Set()
    this.generation++
    this.faults.powerOn()
  }

  /** Makes everything durable: for the initial state of a test. */
  syncAll(): void {
    this.tree.syncAll()
  }

  /** A durable file with its directories, without faults: for the initial state of a test. */
  put(path: string, content: Uint8Array | string, permissions = 0o644): void {
    const data = typeof content === 'string' ? Buffer.from(content) : content
    this.tree.addDirectories(path.slice(0, path.lastIndexOf('/') + 1), 0o755)
    let node: SimFileNode
    try {
      const found = this.tree.find(path, 'put', false).node
      if (found.type !== 'file') throw diskError('EINVAL', 'put', path)
      node = found
      this.tree.truncate(node, 0)
    } catch (error) {
      if (!(error instanceof DiskError) || error.code !== 'ENOENT') throw error
      node = this.tree.metadata.newFile(permissions)
      this.tree.add(path, 'put', node)
    }
    this.tree.write(node, data, 0, path)
    this.tree.syncAll()
    this.notify('changed', path)
  }

  /** A pipe: an item that is never synchronized. */
  putOther(path: string): void {
    this.notify('changed', this.tree.add(path, 'put', this.tree.metadata.newOther()))
  }

  /** A file whose name is no UTF-8; `shown` is how the name appears in a list. */
  putInvalidName(directory: string, shown: string): void {
    this.tree.add(`${directory}/${shown}`, 'put', this.tree.metadata.newFile(0o644), false)
  }

  protected openNode(path: string, mode: OpenMode, permissions: number): OpenNode {
    if (mode === 'create') {
      const node = this.tree.metadata.newFile(permissions)
      const added = { node, path: this.tree.add(path, 'open', node) }
      this.notify('changed', added.path)
      return added
    }
    const { node, path: canonical } = this.tree.find(path, 'open', false)
    if (node.type === 'symlink') throw diskError('ELOOP', 'open', path)
    if (node.type === 'directory') throw diskError('EISDIR', 'open', path)
    if (node.type === 'other') throw diskError('EINVAL', 'open', path)
    this.tree.demand(node, mode === 'read' ? READ : READ | WRITE, 'open', path)
    return { node, path: canonical }
  }

  protected shortened(requestedBytes: number): number {
    const chance = this.options.shortReads
    return chance === undefined || requestedBytes < 2 ? requestedBytes : 1 + chance.int(requestedBytes)
  }

  protected async begin(call: DiskCall, path: string): Promise<void> {
    await this.delay()
    this.faults.check(call, path)
  }

  protected async delay(): Promise<void> {
    if (this.options.latencyMs !== undefined) await this.#clock.sleep(this.options.latencyMs, NEVER_ABORTS)
  }

  protected notify(kind: SimChange['kind'], path: string): void {
    for (const listener of this.#listeners) listener({ kind, path })
  }
}
