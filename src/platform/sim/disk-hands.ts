import { diskError } from './disk-faults.ts'
import type { SimNode } from './disk-node.ts'
import type { SimTree } from './disk-tree.ts'

/** Something on the disk, as somebody who looks at it sees it. */
export interface SeenItem {
  readonly type: SimNode['type']
  readonly mode: number
  /** Empty for what is no file. */
  readonly content: Uint8Array
  /** Empty for what is no symlink. */
  readonly target: string
}

/**
 * What the person at the machine does with their files: at once, past all faults, and made to last item by item. What
 * programs have not synced stays unsynced.
 */
export class SimHands {
  readonly #tree: SimTree
  readonly #tell: (kind: 'changed' | 'removed', path: string) => void

  constructor(tree: SimTree, tell: (kind: 'changed' | 'removed', path: string) => void) {
    this.#tree = tree
    this.#tell = tell
  }

  /** Undefined where nothing is. */
  look(path: string): SeenItem | undefined {
    const node = this.#node(path)
    if (node === undefined) return undefined
    const { mode, type } = { mode: node.metadata.mode, type: node.type }
    if (node.type !== 'file')
      return { type, mode, content: new Uint8Array(), target: node.type === 'symlink' ? node.target : '' }
    const content = new Uint8Array(node.content.sizeBytes)
    node.content.read(content, 0)
    return { type, mode, content, target: '' }
  }

  /** Everything below a directory, by its path from there, in order; directories before what is in them. */
  tree(root: string, below = ''): Map<string, SeenItem> {
    const items = new Map<string, SeenItem>()
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

  /** Writes a file anew, with the directories above it; one that is there keeps its mode. */
  write(path: string, content: Uint8Array): void {
    this.makeDirectories(path.slice(0, path.lastIndexOf('/')))
    let node = this.#node(path)
    if (node === undefined) {
      node = this.#tree.newFile(0o644)
      this.#tree.add(path, 'open', node)
    }
    if (node.type !== 'file') throw diskError('EISDIR', 'open', path)
    this.#tree.truncate(node, 0)
    this.#tree.write(node, content, 0, path)
    this.#done('changed', path)
  }

  makeDirectories(path: string): void {
    for (const made of this.#tree.addDirectories(path, 0o755)) this.#done('changed', made)
  }

  makeSymlink(target: string, path: string): void {
    this.#tree.add(path, 'symlink', this.#tree.newSymlink(target))
    this.#done('changed', path)
  }

  /** A directory with everything in it. */
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
    this.#tree.chmod(this.#tree.find(path, 'chmod', false).node, mode)
    this.#done('changed', path)
  }

  setModified(path: string, modifiedMs: number): void {
    this.#tree.setModified(this.#tree.find(path, 'utime', false).node, BigInt(Math.floor(modifiedMs)) * 1_000_000n)
    this.#done('changed', path)
  }

  #node(path: string): SimNode | undefined {
    try {
      return this.#tree.find(path, 'look', false).node
    } catch {
      return undefined // nothing there, or no way there
    }
  }

  #done(kind: 'changed' | 'removed', path: string): void {
    this.#tree.syncItem(path)
    this.#tell(kind, path)
  }
}
