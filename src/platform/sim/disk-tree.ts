import { checkPath } from '../disk-error.ts'
import type { DiskName, DiskStat } from '../disk.ts'
import { SimContent, type Keep } from './disk-content.ts'
import { diskError } from './disk-faults.ts'
import {
  crashNode,
  nodesBelow,
  SimJournal,
  sizeOf,
  type Metadata,
  type SimDirectoryNode,
  type SimEntry,
  type SimFileNode,
  type SimNode,
} from './disk-node.ts'

export interface SimTreeOptions {
  /** Names that differ only in case are the same item, as on macOS and Windows. */
  readonly caseInsensitive: boolean
  /** Times are rounded down to multiples of this: 2 s for FAT. */
  readonly modifiedStepNs: bigint
  readonly capacityBytes: number
  readonly umask: number
  /** False: as for root. */
  readonly enforcePermissions: boolean
  nowMs(): number
}

/** A resolved path whose last name may not exist yet. */
interface Place {
  readonly directory: SimDirectoryNode
  readonly key: string
  readonly name: string
  readonly entry: SimEntry | undefined
  /** Without symlinks and dots, except perhaps the last name. */
  readonly path: string
}

const NAME_BYTES_MAX = 255
const PATH_BYTES_MAX = 4095
const SYMLINKS_MAX = 40
const READ = 4
const WRITE = 2
const SEARCH = 1
const NS_PER_S = 1_000_000_000n

const DEFAULT_OWNER = { userId: 1000, groupId: 1000 } as const

/** The semantics of a POSIX file system over a tree in memory; synchronous. */
export class SimTree {
  readonly #options: SimTreeOptions
  readonly #journal = new SimJournal()
  readonly #root: SimDirectoryNode
  #lastInode = 1n
  /** A counter, so that two changes in the same instant differ. */
  #lastChange = 0
  /** Hard links of a file beyond the first: its space is freed with the last. */
  #secondNames = new Map<SimNode, number>()
  usedBytes = 0

  constructor(options: SimTreeOptions) {
    this.#options = options
    this.#root = { type: 'directory', ...this.#common(0o755), entries: new Map(), durable: new Map() }
  }

  /** The node of a path; `follow` also follows a symlink in the last component. */
  find(path: string, call: string, follow: boolean): { node: SimNode; path: string } {
    const place = this.#place(path, call, follow)
    if (place === undefined) return { node: this.#root, path: '/' }
    if (place.entry === undefined) throw diskError('ENOENT', call, path)
    return { node: place.entry.node, path: place.path }
  }

  stat(node: SimNode): DiskStat {
    const { mode, modifiedNs, changeStamp, owner = DEFAULT_OWNER } = node.metadata
    const fractionNs = ((modifiedNs % NS_PER_S) + NS_PER_S) % NS_PER_S
    return {
      type: node.type,
      sizeBytes: sizeOf(node),
      modifiedS: Number((modifiedNs - fractionNs) / NS_PER_S),
      modifiedNs: Number(fractionNs),
      mode,
      ...owner,
      deviceId: 1n,
      inode: node.inode,
      changeStamp,
      ...(node.type === 'file' && { nameCount: 1 + (this.#secondNames.get(node) ?? 0) }),
    }
  }

  list(path: string): DiskName[] {
    const { node } = this.find(path, 'list', true)
    if (node.type !== 'directory') throw diskError('ENOTDIR', 'list', path)
    this.demand(node, READ, 'list', path)
    const names = Array.from(node.entries.values(), ({ name, valid }) => ({ name, valid }))
    return names.sort((a, b) => scatter(a.name) - scatter(b.name)) // an order that callers cannot rely on
  }

  /** Adds a node where no item exists; returns its canonical path. */
  add(path: string, call: string, node: SimNode, valid = true): string {
    const place = this.#place(path, call, false)
    if (place === undefined || place.entry !== undefined) throw diskError('EEXIST', call, path)
    this.demand(place.directory, WRITE | SEARCH, call, path)
    this.#journal.apply([{ ...place, after: { name: place.name, valid, node } }])
    this.#touch(place.directory)
    return place.path
  }

  /** A second name for a file; returns its canonical path. */
  link(node: SimFileNode, path: string): string {
    const canonical = this.add(path, 'link', node)
    this.#secondNames.set(node, (this.#secondNames.get(node) ?? 0) + 1)
    this.#change(node, {})
    return canonical
  }

  /** Creates the missing ones of a path; returns the created ones. */
  addDirectories(path: string, permissions: number): string[] {
    checkPath(path, 'mkdir')
    const created: string[] = []
    const parts = path.split('/').filter((part) => part !== '')
    for (let depth = 1; depth <= parts.length; depth++) {
      const part = '/' + parts.slice(0, depth).join('/')
      const place = this.#place(part, 'mkdir', true)
      if (place === undefined || place.entry?.node.type === 'directory') continue
      if (place.entry !== undefined) throw diskError(depth === parts.length ? 'EEXIST' : 'ENOTDIR', 'mkdir', path)
      const dangling = this.#place(part, 'mkdir', false)?.entry !== undefined
      if (dangling) throw diskError(depth === parts.length ? 'ENOENT' : 'ENOTDIR', 'mkdir', path)
      created.push(this.add(part, 'mkdir', this.newDirectory(permissions)))
    }
    return created
  }

  removeFile(path: string): string {
    const place = this.#existing(path, 'unlink')
    if (place.entry.node.type === 'directory') throw diskError('EISDIR', 'unlink', path)
    this.demand(place.directory, WRITE | SEARCH, 'unlink', path)
    this.#journal.apply([{ ...place, after: undefined }])
    this.#release(place.entry.node)
    this.#touch(place.directory)
    return place.path
  }

  removeDirectory(path: string): string {
    const place = this.#existing(path, 'rmdir')
    const { node } = place.entry
    if (node.type !== 'directory') throw diskError('ENOTDIR', 'rmdir', path)
    if (node.entries.size > 0) throw diskError('ENOTEMPTY', 'rmdir', path)
    this.demand(place.directory, WRITE | SEARCH, 'rmdir', path)
    this.#journal.apply([{ ...place, after: undefined }])
    this.#touch(place.directory)
    return place.path
  }

  /** For a rename that must not replace anything. */
  refuseExisting(fromPath: string, toPath: string): void {
    this.#existing(fromPath, 'rename')
    if (this.#place(toPath, 'rename', false)?.entry !== undefined) throw diskError('EEXIST', 'rename', toPath)
  }

  rename(fromPath: string, toPath: string): { from: string; to: string } | undefined {
    this.#place(fromPath, 'rename', false) // both paths are resolved before the target is checked
    const to = this.#place(toPath, 'rename', false)
    const from = this.#existing(fromPath, 'rename')
    if (to === undefined) throw diskError('EBUSY', 'rename', toPath)
    this.demand(from.directory, WRITE | SEARCH, 'rename', fromPath)
    this.demand(to.directory, WRITE | SEARCH, 'rename', toPath)
    const { node } = from.entry
    const same = to.entry?.node === node
    if (same && from.name === to.name && from.directory === to.directory) return undefined
    if (to.path.startsWith(from.path + '/')) throw diskError('EINVAL', 'rename', fromPath)
    if (to.entry !== undefined && !same) refuseReplacing(node, to.entry.node, toPath)
    const arrival = { ...to, after: { name: to.name, valid: true, node } }
    this.#journal.apply(same ? [arrival] : [{ ...from, after: undefined }, arrival])
    if (to.entry !== undefined && !same) this.#release(to.entry.node)
    this.#change(node, {})
    this.#touch(from.directory)
    this.#touch(to.directory)
    return { from: from.path, to: to.path }
  }

  /** Each item gets the name of the other, in one operation. */
  exchange(aPath: string, bPath: string): readonly [string, string] {
    const a = this.#existing(aPath, 'rename')
    const b = this.#existing(bPath, 'rename')
    this.demand(a.directory, WRITE | SEARCH, 'rename', aPath)
    this.demand(b.directory, WRITE | SEARCH, 'rename', bPath)
    if (a.path.startsWith(`${b.path}/`) || b.path.startsWith(`${a.path}/`)) throw diskError('EINVAL', 'rename', aPath)
    this.#journal.apply([
      { ...a, after: { ...a.entry, node: b.entry.node } },
      { ...b, after: { ...b.entry, node: a.entry.node } },
    ])
    for (const node of [a.entry.node, b.entry.node]) this.#change(node, {})
    for (const { directory } of [a, b]) this.#touch(directory)
    return [a.path, b.path]
  }

  write(node: SimFileNode, data: Uint8Array, positionBytes: number, path: string): void {
    const roomBytes = this.#options.capacityBytes - this.usedBytes
    const before = node.content.allocatedBytes
    const fitsBytes = node.content.fittingBytes(positionBytes, data.length, roomBytes)
    node.content.write(data.subarray(0, fitsBytes), positionBytes)
    this.usedBytes += node.content.allocatedBytes - before
    this.#touch(node)
    if (fitsBytes < data.length) throw diskError('ENOSPC', 'write', path)
  }

  truncate(node: SimFileNode, sizeBytes: number): void {
    const before = node.content.allocatedBytes
    node.content.truncate(sizeBytes)
    this.usedBytes += node.content.allocatedBytes - before
    this.#touch(node)
  }

  chmod(node: SimNode, mode: number): void {
    this.#change(node, { mode: mode & 0o7777 })
  }

  /** Always permitted: a refusal is injected as a fault. */
  chown(node: SimNode, userId: number, groupId: number): void {
    this.#change(node, { owner: { userId, groupId } })
  }

  setModified(node: SimNode, modifiedNs: bigint): void {
    this.#change(node, { modifiedNs: this.#coarse(modifiedNs) })
  }

  syncNode(node: SimNode): void {
    node.durableMetadata = node.metadata
    if (node.type === 'file') node.content.sync()
  }

  syncDirectory(node: SimDirectoryNode): void {
    this.syncNode(node)
    this.#journal.syncDirectory(node)
  }

  /** Makes one item durable, with its name and the directories above it. */
  syncItem(path: string): void {
    const parts = path.split('/').filter((part) => part !== '')
    const places: Place[] = []
    for (let depth = 1; depth <= parts.length; depth++) {
      const place = this.#place('/' + parts.slice(0, depth).join('/'), 'sync', false)
      if (place !== undefined) places.push(place)
    }
    this.#journal.syncNames(places)
    const last = places.at(-1)?.entry
    if (last !== undefined) this.syncNode(last.node)
  }

  syncAll(): void {
    this.#journal.syncAll()
    for (const node of this.#nodes()) this.syncNode(node)
  }

  crash(keep: Keep): void {
    const before = [...this.#nodes()]
    this.#journal.crash(keep)
    // Also nodes whose removal was not durable.
    for (const node of new Set([...before, ...this.#durableNodes()])) crashNode(node, keep)
    this.#countNames()
  }

  /** Rejects access that the permission bits of the owner do not allow; `bits` as in one digit of a mode. */
  demand(node: SimNode, bits: number, call: string, path: string): void {
    if (!this.#options.enforcePermissions) return
    if (((node.metadata.mode >> 6) & bits) !== bits) throw diskError('EACCES', call, path)
  }

  newFile(permissions: number): SimFileNode {
    return { type: 'file', ...this.#common(permissions & ~this.#options.umask), content: new SimContent() }
  }

  newDirectory(permissions: number): SimDirectoryNode {
    const common = this.#common(permissions & ~this.#options.umask)
    return { type: 'directory', ...common, entries: new Map(), durable: new Map() }
  }

  newSymlink(target: string): SimNode {
    return { type: 'symlink', ...this.#common(0o777), target }
  }

  newOther(): SimNode {
    return { type: 'other', ...this.#common(0o644) }
  }

  #common(mode: number): { inode: bigint; metadata: Metadata; durableMetadata: Metadata } {
    const metadata = { mode: mode & 0o7777, modifiedNs: this.#nowNs(), changeStamp: ++this.#lastChange }
    return { inode: ++this.#lastInode, metadata, durableMetadata: metadata }
  }

  #nowNs(): bigint {
    return this.#coarse(BigInt(Math.floor(this.#options.nowMs())) * 1_000_000n)
  }

  #coarse(timeNs: bigint): bigint {
    const stepNs = this.#options.modifiedStepNs
    return timeNs - (((timeNs % stepNs) + stepNs) % stepNs)
  }

  #touch(node: SimNode): void {
    this.#change(node, { modifiedNs: this.#nowNs() })
  }

  #change(node: SimNode, metadata: Partial<Metadata>): void {
    node.metadata = { ...node.metadata, ...metadata, changeStamp: ++this.#lastChange }
  }

  #countNames(): void {
    this.usedBytes = 0
    this.#secondNames = new Map()
    const seen = new Set<SimNode>()
    for (const node of this.#nodes()) {
      if (node.type !== 'file') continue
      if (seen.has(node)) this.#secondNames.set(node, (this.#secondNames.get(node) ?? 0) + 1)
      else this.usedBytes += node.content.allocatedBytes
      seen.add(node)
    }
  }

  #release(node: SimNode): void {
    const secondNames = this.#secondNames.get(node) ?? 0
    this.#change(node, {})
    if (secondNames > 0) return void this.#secondNames.set(node, secondNames - 1)
    if (node.type === 'file') this.usedBytes -= node.content.allocatedBytes
  }

  #existing(path: string, call: string): Place & { readonly entry: SimEntry } {
    const place = this.#place(path, call, false)
    if (place === undefined) throw diskError('EBUSY', call, path)
    const { entry } = place
    if (entry === undefined) throw diskError('ENOENT', call, path)
    return { ...place, entry }
  }

  /** Undefined for the root, which has no parent directory. */
  #place(path: string, call: string, follow: boolean): Place | undefined {
    checkPath(path, call)
    if (Buffer.byteLength(path) > PATH_BYTES_MAX) throw diskError('ENAMETOOLONG', call, path)
    const parts = path.split('/').reverse()
    const trail: Place[] = []
    for (let part = parts.pop(), symlinks = 0; part !== undefined; part = parts.pop()) {
      if (part === '' || part === '.') continue
      const here = this.#enter(trail.at(-1), call, path)
      if (part === '..') {
        trail.pop()
        continue
      }
      const place = this.#lookup(here, trail.at(-1)?.path ?? '', part, call, path)
      const node = place.entry?.node
      const last = parts.every((rest) => rest === '')
      if (node?.type === 'symlink' && (follow || !last)) {
        if (++symlinks > SYMLINKS_MAX) throw diskError('ELOOP', call, path)
        if (node.target.startsWith('/')) trail.length = 0
        parts.push(...node.target.split('/').reverse())
      } else trail.push(place)
    }
    return trail.at(-1)
  }

  #enter(place: Place | undefined, call: string, path: string): SimDirectoryNode {
    const node = place === undefined ? this.#root : place.entry?.node
    if (node === undefined) throw diskError('ENOENT', call, path)
    if (node.type !== 'directory') throw diskError('ENOTDIR', call, path)
    this.demand(node, SEARCH, call, path)
    return node
  }

  #lookup(directory: SimDirectoryNode, parent: string, name: string, call: string, path: string): Place {
    if (Buffer.byteLength(name) > NAME_BYTES_MAX) throw diskError('ENAMETOOLONG', call, path)
    const key = this.#options.caseInsensitive ? name.normalize('NFC').toLowerCase() : name
    const entry = directory.entries.get(key)
    return { directory, key, name, entry, path: `${parent}/${entry?.name ?? name}` }
  }

  *#nodes(): Generator<SimNode> {
    yield* nodesBelow(this.#root, (directory) => directory.entries)
  }

  *#durableNodes(): Generator<SimNode> {
    yield* nodesBelow(this.#root, (directory) => directory.durable)
  }
}

function refuseReplacing(node: SimNode, target: SimNode, path: string): void {
  if (node.type === 'directory' && target.type !== 'directory') throw diskError('ENOTDIR', 'rename', path)
  if (node.type !== 'directory' && target.type === 'directory') throw diskError('EISDIR', 'rename', path)
  if (target.type === 'directory' && target.entries.size > 0) throw diskError('ENOTEMPTY', 'rename', path)
}

function scatter(name: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
