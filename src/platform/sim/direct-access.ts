import { diskError } from './disk-faults.ts'
import type { SimNode } from './disk-node.ts'
import type { SimTree } from './disk-tree.ts'

/** An item on the disk with its content. */
export interface SimItem {
  readonly type: SimNode['type']
  readonly mode: number
  readonly modifiedNs: bigint
  /** Empty for other types than files. */
  readonly content: Uint8Array
  /** Empty for other types than symlinks. */
  readonly target: string
}

/**
 * Direct access to the disk, as by the user: synchronous, without faults, and durable item by item. Data that programs
 * have not synced stays unsynced.
 */
export class SimDirectAccess {
  readonly #tree: SimTree
  readonly #notify: (kind: 'changed' | 'removed', path: string) => void

  constructor(tree: SimTree, notify: (kind: 'changed' | 'removed', path: string) => void) {
    this.#tree = tree
    this.#notify = notify
  }

  /** Undefined where no item exists. */
  look(path: string): SimItem | undefined {
    const node = this.#node(path)
    if (node === undefined) return undefined
    const { type } = node
    const { mode, modifiedNs } = node.metadata
    if (node.type !== 'file')
      return { type, mode, modifiedNs, content: new Uint8Array(), target: node.type === 'symlink' ? node.target : '' }
    const content = new Uint8Array(node.content.sizeBytes)
    node.content.read(content, 0)
    return { type, mode, modifiedNs, content, target: '' }
  }

  /** All items below a directory, by relative path, sorted; directories before their contents. */
  tree(root: string, below = ''): Map<string, SimItem> {
    const items = new Map<string, SimItem>()
    const names = this.#tree.list(below === '' ? root : `${root}/${below}`).map(({ name }) => name)
    for (const name of names.sort()) {
      const path = below === '' ? name : `${below}/${name}`
      const item = this.look(`${root}/${path}`)
      if (item === undefined) continue
      items.set(path, item)
      if (item.type === 'directory') for (const [inner, found] of this.tree(root, path)) items.set(inner, found)
    }
    return items
  }

  /** Writes a file and creates the directories above it; an existing file keeps its mode. */
  write(path: string, content: Uint8Array): void {
    this.makeDirectories(path.slice(0, path.lastIndexOf('/')))
    let node = this.#node(path)
    if (node === undefined) {
      node = this.#tree.metadata.newFile(0o644)
      this.#tree.add(path, 'open', node)
    }
    if (node.type !== 'file') throw diskError('EISDIR', 'open', path)
    this.#tree.truncate(node, 0)
    this.#tree.write(node, content, 0, path)
    this.#done('changed', path)
  }

  makeDirectories(path: string): void {
    for (const created of this.#tree.addDirectories(path, 0o755)) this.#done('changed', created)
  }

  makeSymlink(target: string, path: string): void {
    this.#tree.add(path, 'symlink', this.#tree.metadata.newSymlink(target))
    this.#done('changed', path)
  }

  /** Directories recursively. */
  remove(path: string): void {
    const node = this.#node(path)
    if (node === undefined) return
    if (node.type === 'directory') {
      for (const { name } of this.#tree.list(path)) this.remove(`${path}/${name}`)
      this.#tree.removeDirectory(path)
    } else this.#tree.removeFile(path)
    this.#done('removed', path)
  }

  rename(from: string, to: string): void {
    this.#tree.rename(from, to)
    this.#done('removed', from)
    this.#done('changed', to)
  }

  chmod(path: string, mode: number): void {
    this.#tree.metadata.chmod(this.#tree.find(path, 'chmod', false).node, mode)
    this.#done('changed', path)
  }

  setModified(path: string, modifiedMs: number): void {
    this.#setModifiedNs(path, BigInt(Math.floor(modifiedMs)) * 1_000_000n)
  }

  /** Replaces everything below a directory by these items, as from a backup: with their modes and times. */
  restore(root: string, items: ReadonlyMap<string, SimItem>): void {
    for (const { name } of this.#tree.list(root)) this.remove(`${root}/${name}`)
    for (const [name, { type, mode, content, target }] of items) {
      const path = `${root}/${name}`
      if (type === 'symlink') this.makeSymlink(target, path)
      else if (type === 'directory') this.makeDirectories(path)
      else this.write(path, content)
      if (type !== 'symlink') this.chmod(path, mode)
    }
    for (const [name, { type, modifiedNs }] of items)
      if (type === 'file') this.#setModifiedNs(`${root}/${name}`, modifiedNs)
  }

  #setModifiedNs(path: string, modifiedNs: bigint): void {
    this.#tree.metadata.setModified(this.#tree.find(path, 'utime', false).node, modifiedNs)
    this.#done('changed', path)
  }

  #node(path: string): SimNode | undefined {
    try {
      return this.#tree.find(path, 'look', false).node
    } catch {
      return undefined // no item, or no path to it
    }
  }

  #done(kind: 'changed' | 'removed', path: string): void {
    this.#tree.syncItem(path)
    this.#notify(kind, path)
  }
}
