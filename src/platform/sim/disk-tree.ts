import { checkPath } from '../disk-error.ts'
import type { DiskName, DiskStat } from '../disk.ts'
import type { SurvivesPowerLoss } from './disk-content.ts'
import { diskError } from './disk-faults.ts'
import { SimMetadata, type SimMetadataOptions } from './disk-metadata.ts'
import {
  crashNode,
  nodesBelow,
  SimJournal,
  type SimDirectoryNode,
  type SimFileNode,
  type SimNode,
} from './disk-node.ts'
import { SimPlaces, type Place, type SimPlacesOptions } from './disk-place.ts'

export interface SimTreeOptions extends SimMetadataOptions, SimPlacesOptions {
  readonly capacityBytes: number
}

const READ = 4
const WRITE = 2
const SEARCH = 1

/** The semantics of a POSIX file system over a tree in memory; synchronous. */
export class SimTree {
  readonly metadata: SimMetadata
  readonly #capacityBytes: number
  readonly #journal = new SimJournal()
  readonly #root: SimDirectoryNode
  readonly #places: SimPlaces
  /** Hard links of a file beyond the first: its space is freed with the last. */
  #secondNames = new Map<SimNode, number>()
  usedBytes = 0

  constructor(options: SimTreeOptions) {
    this.#capacityBytes = options.capacityBytes
    this.metadata = new SimMetadata(options)
    this.#root = this.metadata.newDirectory(0o755, 0)
    this.#places = new SimPlaces(this.#root, options)
  }

  /** The node of a path; `follow` also follows a symlink in the last component. */
  find(path: string, call: string, follow: boolean): { node: SimNode; path: string } {
    const place = this.#places.find(path, call, follow)
    if (place === undefined) return { node: this.#root, path: '/' }
    if (place.entry === undefined) throw diskError('ENOENT', call, path)
    return { node: place.entry.node, path: place.path }
  }

  stat(node: SimNode): DiskStat {
    const stat = this.metadata.stat(node)
    return node.type === 'file' ? { ...stat, nameCount: 1 + (this.#secondNames.get(node) ?? 0) } : stat
  }

  /** Rejects access that the permission bits do not allow. */
  demand(node: SimNode, bits: number, call: string, path: string): void {
    this.#places.demand(node, bits, call, path)
  }

  list(path: string): DiskName[] {
    const { node } = this.find(path, 'list', true)
    if (node.type !== 'directory') throw diskError('ENOTDIR', 'list', path)
    this.#places.demand(node, READ, 'list', path)
    const names = Array.from(node.entries.values(), ({ name, valid }) => ({ name, valid }))
    return names.sort((a, b) => scatter(a.name) - scatter(b.name)) // an order that callers cannot rely on
  }

  /** Adds a node where no item exists; returns its canonical path. */
  add(path: string, call: string, node: SimNode, valid = true): string {
    const place = this.#places.find(path, call, false)
    if (place === undefined || place.entry !== undefined) throw diskError('EEXIST', call, path)
    this.#places.demand(place.directory, WRITE | SEARCH, call, path)
    this.#journal.apply([{ ...place, after: { name: place.name, valid, node } }])
    this.metadata.touch(place.directory)
    return place.path
  }

  /** A second name for a file; returns its canonical path. */
  link(node: SimFileNode, path: string): string {
    const canonical = this.add(path, 'link', node)
    this.#secondNames.set(node, (this.#secondNames.get(node) ?? 0) + 1)
    this.metadata.change(node, {})
    return canonical
  }

  /** Creates the missing ones of a path; returns the created ones. */
  addDirectories(path: string, permissions: number): string[] {
    checkPath(path, 'mkdir')
    const created: string[] = []
    const parts = path.split('/').filter((part) => part !== '')
    for (let depth = 1; depth <= parts.length; depth++) {
      const part = '/' + parts.slice(0, depth).join('/')
      const place = this.#places.find(part, 'mkdir', true)
      if (place === undefined || place.entry?.node.type === 'directory') continue
      if (place.entry !== undefined) throw diskError(depth === parts.length ? 'EEXIST' : 'ENOTDIR', 'mkdir', path)
      const dangling = this.#places.find(part, 'mkdir', false)?.entry !== undefined
      if (dangling) throw diskError(depth === parts.length ? 'ENOENT' : 'ENOTDIR', 'mkdir', path)
      created.push(this.add(part, 'mkdir', this.metadata.newDirectory(permissions)))
    }
    return created
  }

  removeFile(path: string): string {
    const place = this.#places.existing(path, 'unlink')
    if (place.entry.node.type === 'directory') throw diskError('EISDIR', 'unlink', path)
    this.#places.demand(place.directory, WRITE | SEARCH, 'unlink', path)
    this.#journal.apply([{ ...place, after: undefined }])
    this.#release(place.entry.node)
    this.metadata.touch(place.directory)
    return place.path
  }

  removeDirectory(path: string): string {
    const place = this.#places.existing(path, 'rmdir')
    const { node } = place.entry
    if (node.type !== 'directory') throw diskError('ENOTDIR', 'rmdir', path)
    if (node.entries.size > 0) throw diskError('ENOTEMPTY', 'rmdir', path)
    this.#places.demand(place.directory, WRITE | SEARCH, 'rmdir', path)
    this.#journal.apply([{ ...place, after: undefined }])
    this.metadata.touch(place.directory)
    return place.path
  }

  /** For a rename that must not replace anything. */
  refuseExisting(fromPath: string, toPath: string): void {
    this.#places.existing(fromPath, 'rename')
    if (this.#places.find(toPath, 'rename', false)?.entry !== undefined) throw diskError('EEXIST', 'rename', toPath)
  }

  rename(fromPath: string, toPath: string): { from: string; to: string } | undefined {
    this.#places.find(fromPath, 'rename', false) // both paths are resolved before the target is checked
    const to = this.#places.find(toPath, 'rename', false)
    const from = this.#places.existing(fromPath, 'rename')
    if (to === undefined) throw diskError('EBUSY', 'rename', toPath)
    if (from.path.startsWith(to.path + '/')) throw diskError('ENOTEMPTY', 'rename', toPath)
    this.#places.demand(from.directory, WRITE | SEARCH, 'rename', fromPath)
    this.#places.demand(to.directory, WRITE | SEARCH, 'rename', toPath)
    const { node } = from.entry
    const same = to.entry?.node === node
    if (same && from.name === to.name && from.directory === to.directory) return undefined
    if (to.path.startsWith(from.path + '/')) throw diskError('EINVAL', 'rename', fromPath)
    if (to.entry !== undefined && !same) refuseReplacing(node, to.entry.node, toPath)
    const arrival = { ...to, after: { name: to.name, valid: true, node } }
    this.#journal.apply(same ? [arrival] : [{ ...from, after: undefined }, arrival])
    if (to.entry !== undefined && !same) this.#release(to.entry.node)
    this.metadata.change(node, {})
    this.metadata.touch(from.directory)
    this.metadata.touch(to.directory)
    return { from: from.path, to: to.path }
  }

  /** Each item gets the name of the other, in one operation. */
  exchange(aPath: string, bPath: string): readonly [string, string] {
    const a = this.#places.existing(aPath, 'rename')
    const b = this.#places.existing(bPath, 'rename')
    this.#places.demand(a.directory, WRITE | SEARCH, 'rename', aPath)
    this.#places.demand(b.directory, WRITE | SEARCH, 'rename', bPath)
    if (a.path.startsWith(`${b.path}/`) || b.path.startsWith(`${a.path}/`)) throw diskError('EINVAL', 'rename', aPath)
    this.#journal.apply([
      { ...a, after: { ...a.entry, node: b.entry.node } },
      { ...b, after: { ...b.entry, node: a.entry.node } },
    ])
    for (const node of [a.entry.node, b.entry.node]) this.metadata.change(node, {})
    for (const { directory } of [a, b]) this.metadata.touch(directory)
    return [a.path, b.path]
  }

  write(node: SimFileNode, data: Uint8Array, positionBytes: number, path: string): void {
    const roomBytes = this.#capacityBytes - this.usedBytes
    const before = node.content.allocatedBytes
    const fitsBytes = node.content.fittingBytes(positionBytes, data.length, roomBytes)
    node.content.write(data.subarray(0, fitsBytes), positionBytes)
    this.usedBytes += node.content.allocatedBytes - before
    this.metadata.touch(node)
    if (fitsBytes < data.length) throw diskError('ENOSPC', 'write', path)
  }

  truncate(node: SimFileNode, sizeBytes: number): void {
    const before = node.content.allocatedBytes
    node.content.truncate(sizeBytes)
    this.usedBytes += node.content.allocatedBytes - before
    this.metadata.touch(node)
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
      const place = this.#places.find('/' + parts.slice(0, depth).join('/'), 'sync', false)
      if (place !== undefined) places.push(place)
    }
    this.#journal.syncNames(places)
    const last = places.at(-1)?.entry
    if (last !== undefined) this.syncNode(last.node)
  }

  syncAll(): void {
    this.#journal.syncAll()
    const waiting: SimNode[] = [this.#root]
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      this.syncNode(node)
      if (node.type === 'directory') for (const entry of node.entries.values()) waiting.push(entry.node)
    }
  }

  crash(keep: SurvivesPowerLoss): void {
    const before = [...this.#nodes()]
    this.#journal.crash(keep)
    // Also nodes whose removal was not durable.
    for (const node of new Set([...before, ...this.#durableNodes()])) crashNode(node, keep)
    this.#countNames()
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
    this.metadata.change(node, {})
    if (secondNames > 0) return void this.#secondNames.set(node, secondNames - 1)
    if (node.type === 'file') this.usedBytes -= node.content.allocatedBytes
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
