import type { FileType } from '../../core/records/file-info.ts'
import type { DiskStat } from '../disk.ts'
import type { WalkSink } from './walk-tree.ts'
import type { WalkBatch, WalkItem, WalkProblem, WalkRequest } from '../walk.ts'

/** Items per batch of a walk: no more than a group of files to be hashed (`scanner/hash-queue.ts`). */
const WALK_BATCH_ITEMS = 128

/** By their number in `types`. */
const TYPES: readonly FileType[] = ['file', 'directory', 'symlink']

/** A batch as posted between threads: one string and a few flat arrays cost less than a thousand objects. */
export interface PackedBatch {
  /** Joined by NUL, which no name contains. */
  readonly names: string
  readonly count: number
  readonly types: Uint8Array
  readonly sizes: Float64Array
  readonly seconds: Float64Array
  readonly nanoseconds: Uint32Array
  readonly modes: Uint16Array
  /** Not a number where there is none. */
  readonly stamps: Float64Array
  readonly inodes: Float64Array
  /** User and group of each, alternating, if requested. */
  readonly owners: Uint32Array | undefined
  readonly targets: readonly (readonly [index: number, target: string])[]
  readonly problems: readonly WalkProblem[]
  readonly unnormalized: readonly string[]
  readonly asides: readonly string[]
}

/** Collects and packs the results of a walk. The caller bounds it by checking `isFull` between steps. */
export class BatchPacker implements WalkSink {
  readonly #ownership: boolean
  #names: string[] = []
  #stats: DiskStat[] = []
  #targets: [number, string][] = []
  #problems: WalkProblem[] = []
  #unnormalized: string[] = []
  #asides: string[] = []

  constructor({ ownership = false }: Pick<WalkRequest, 'ownership'>) {
    this.#ownership = ownership
  }

  item(name: string, stat: DiskStat, symlinkTarget: string): void {
    if (symlinkTarget !== '') this.#targets.push([this.#names.length, symlinkTarget])
    this.#names.push(name)
    this.#stats.push(stat)
  }

  problem(path: string, message: string): void {
    this.#problems.push({ path, message })
  }

  unnormalized(path: string): void {
    this.#unnormalized.push(path)
  }

  aside(path: string): void {
    this.#asides.push(path)
  }

  get isFull(): boolean {
    const others = this.#problems.length + this.#unnormalized.length + this.#asides.length
    return this.#names.length + others >= WALK_BATCH_ITEMS
  }

  /** Returns the items since the last call. */
  take(): PackedBatch {
    const stats = this.#stats
    const count = stats.length
    const batch: PackedBatch = {
      names: this.#names.join('\0'),
      count,
      types: new Uint8Array(count),
      sizes: new Float64Array(count),
      seconds: new Float64Array(count),
      nanoseconds: new Uint32Array(count),
      modes: new Uint16Array(count),
      stamps: new Float64Array(count),
      inodes: new Float64Array(count),
      owners: this.#ownership ? Uint32Array.from(stats.flatMap(({ userId, groupId }) => [userId, groupId])) : undefined,
      targets: this.#targets,
      problems: this.#problems,
      unnormalized: this.#unnormalized,
      asides: this.#asides,
    }
    for (let i = 0; i < count; i++) {
      const stat = stats[i]!
      batch.types[i] = stat.type === 'file' ? 0 : stat.type === 'directory' ? 1 : 2
      batch.sizes[i] = stat.sizeBytes
      batch.seconds[i] = stat.modifiedS
      batch.nanoseconds[i] = stat.modifiedNs
      batch.modes[i] = stat.mode
      batch.stamps[i] = stat.changeStamp ?? Number.NaN
      batch.inodes[i] = Number(stat.inode)
    }
    this.#names = []
    this.#stats = []
    this.#targets = []
    this.#problems = []
    this.#unnormalized = []
    this.#asides = []
    return batch
  }
}

export function unpackBatch(packed: PackedBatch): WalkBatch {
  const items: WalkItem[] = []
  const names = packed.count === 0 ? [] : packed.names.split('\0')
  const targets = new Map(packed.targets)
  const { owners } = packed
  for (let i = 0; i < packed.count; i++) {
    const item: WalkItem = {
      name: names[i]!,
      type: TYPES[packed.types[i]!]!,
      sizeBytes: packed.sizes[i]!,
      modifiedS: packed.seconds[i]!,
      modifiedNs: packed.nanoseconds[i]!,
      mode: packed.modes[i]!,
      symlinkTarget: targets.size === 0 ? '' : (targets.get(i) ?? ''),
      changeStamp: Number.isNaN(packed.stamps[i]!) ? undefined : packed.stamps[i]!,
      inode: packed.inodes[i]!,
    }
    const owner = owners && { userId: owners[2 * i]!, groupId: owners[2 * i + 1]! }
    items.push(owner === undefined ? item : { ...item, owner })
  }
  return { items, problems: packed.problems, unnormalized: packed.unnormalized, asides: packed.asides }
}
