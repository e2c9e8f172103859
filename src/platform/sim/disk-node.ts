import type { DiskName } from '../disk.ts'
import type { SurvivesPowerLoss, SimContent } from './disk-content.ts'

export interface Metadata {
  readonly mode: number
  /** Since 1970, exact. */
  readonly modifiedNs: bigint
  /** As in `DiskStat`. */
  readonly changeStamp: number
  /** Undefined: the default owner. */
  readonly owner?: { readonly userId: number; readonly groupId: number }
}

interface Common {
  readonly inode: bigint
  metadata: Metadata
  durableMetadata: Metadata
}

export interface SimFileNode extends Common {
  readonly type: 'file'
  readonly content: SimContent
}

export interface SimDirectoryNode extends Common {
  readonly type: 'directory'
  entries: Map<string, SimEntry>
  /** The entries after a power loss. */
  durable: Map<string, SimEntry>
}

interface SimSymlinkNode extends Common {
  readonly type: 'symlink'
  readonly target: string
}

/** A pipe: an item that is never synchronized. */
interface SimOtherNode extends Common {
  readonly type: 'other'
}

export type SimNode = SimFileNode | SimDirectoryNode | SimSymlinkNode | SimOtherNode

export interface SimEntry extends DiskName {
  readonly node: SimNode
}

interface Change {
  readonly directory: SimDirectoryNode
  readonly key: string
  readonly after: SimEntry | undefined
}

/** Changes that the disk applies atomically: the two halves of a rename. */
type Operation = readonly Change[]

/**
 * Directory operations that are not durable yet. The disk may apply later operations before earlier ones, as long as
 * those on one name keep their order: that makes a rename without a sync dangerous.
 */
export class SimJournal {
  #pending: Operation[] = []

  /** Visible to programs from now on; durable after a sync. */
  apply(operation: Operation): void {
    for (const change of operation) putEntry(change.directory.entries, change)
    this.#pending.push(operation)
  }

  syncDirectory(directory: SimDirectoryNode): void {
    this.#sync((change) => change.directory === directory)
  }

  #sync(isSelected: (change: Change) => boolean): void {
    const selected = new Set<Operation>()
    const names = new NameSet()
    for (const operation of this.#pending.toReversed()) {
      if (!operation.some((change) => isSelected(change) || names.has(change))) continue
      selected.add(operation)
      for (const change of operation) names.add(change)
    }
    for (const operation of this.#pending) if (selected.has(operation)) persist(operation)
    this.#pending = this.#pending.filter((operation) => !selected.has(operation))
  }

  /** Makes the names of these entries durable, with all operations that they depend on. */
  syncNames(names: readonly Pick<Change, 'directory' | 'key'>[]): void {
    this.#sync((change) => names.some(({ directory, key }) => change.directory === directory && change.key === key))
  }

  syncAll(): void {
    for (const operation of this.#pending) persist(operation)
    this.#pending = []
  }

  /** Keeps what `keep` accepts and nothing that depends on a rejected operation. */
  crash(keep: SurvivesPowerLoss): void {
    const lost = new NameSet()
    for (const operation of this.#pending) {
      if (keep() && !operation.some((change) => lost.has(change))) persist(operation)
      else for (const change of operation) lost.add(change)
    }
    this.#pending = []
  }
}

/** Names in directories. */
class NameSet {
  readonly #keys = new Map<SimDirectoryNode, Set<string>>()

  add(change: Pick<Change, 'directory' | 'key'>): void {
    const keys = this.#keys.get(change.directory)
    if (keys === undefined) this.#keys.set(change.directory, new Set([change.key]))
    else keys.add(change.key)
  }

  has(change: Pick<Change, 'directory' | 'key'>): boolean {
    return this.#keys.get(change.directory)?.has(change.key) ?? false
  }
}

function persist(operation: Operation): void {
  for (const change of operation) putEntry(change.directory.durable, change)
}

function putEntry(entries: Map<string, SimEntry>, { key, after }: Change): void {
  if (after === undefined) entries.delete(key)
  else entries.set(key, after)
}

/** Restores a node to its durable state, plus the unsynced parts that `keep` accepts. */
export function crashNode(node: SimNode, keep: SurvivesPowerLoss): void {
  if (!keep()) node.metadata = node.durableMetadata
  node.durableMetadata = node.metadata
  if (node.type === 'file') node.content.crash(keep)
  if (node.type === 'directory') node.entries = new Map(node.durable)
}

/** The node and all below it, by visible or by durable entries. */
export function* nodesBelow(
  node: SimNode,
  entriesOf: (directory: SimDirectoryNode) => ReadonlyMap<string, SimEntry>,
): Generator<SimNode> {
  yield node
  if (node.type !== 'directory') return
  for (const entry of entriesOf(node).values()) yield* nodesBelow(entry.node, entriesOf)
}

export function sizeOf(node: SimNode): number {
  switch (node.type) {
    case 'file':
      return node.content.sizeBytes
    case 'symlink':
      return Buffer.byteLength(node.target)
    default:
      return node.type === 'directory' ? 4096 : 0
  }
}
