import type { DiskStat } from '../disk.ts'
import { SimContent } from './disk-content.ts'
import { sizeOf, type Metadata, type SimDirectoryNode, type SimFileNode, type SimNode } from './disk-node.ts'

export interface SimMetadataOptions {
  /** Times are rounded down to multiples of this: 2 s for FAT. */
  readonly modifiedStepNs: bigint
  readonly umask: number
  nowMs(): number
}

const NS_PER_S = 1_000_000_000n

const DEFAULT_OWNER = { userId: 1000, groupId: 1000 } as const

/** Makes nodes, and reads and changes their metadata. */
export class SimMetadata {
  readonly #options: SimMetadataOptions
  #lastInode = 1n
  /** A counter, so that two changes in the same instant differ. */
  #lastChange = 0

  constructor(options: SimMetadataOptions) {
    this.#options = options
  }

  /** `nameCount` is known to the tree. */
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
    }
  }

  chmod(node: SimNode, mode: number): void {
    this.change(node, { mode: mode & 0o7777 })
  }

  /** Always permitted: a refusal is injected as a fault. */
  chown(node: SimNode, userId: number, groupId: number): void {
    this.change(node, { owner: { userId, groupId } })
  }

  setModified(node: SimNode, modifiedNs: bigint): void {
    this.change(node, { modifiedNs: this.#coarse(modifiedNs) })
  }

  newFile(permissions: number): SimFileNode {
    return { type: 'file', ...this.#common(permissions & ~this.#options.umask), content: new SimContent() }
  }

  newDirectory(permissions: number, umask = this.#options.umask): SimDirectoryNode {
    const common = this.#common(permissions & ~umask)
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

  touch(node: SimNode): void {
    this.change(node, { modifiedNs: this.#nowNs() })
  }

  change(node: SimNode, metadata: Partial<Metadata>): void {
    node.metadata = { ...node.metadata, ...metadata, changeStamp: ++this.#lastChange }
  }
}
