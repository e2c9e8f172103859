import type { FileHead } from '../../core/records/file-info.ts'
import { compareVersions, type VersionVector } from '../../core/records/version-vector.ts'
import type { DownloadUpdate } from '../../protocol/types.ts'

/** Bounds what is stored per device, in all its folders; announcements beyond that are ignored. */
const BYTES_MAX = 8 * 1024 * 1024
/** Estimates of the memory of one file besides its name, of one counter of its version, and of one block. */
const FILE_BYTES = 256
const COUNTER_BYTES = 64
const BLOCK_BYTES = 32

/** The memory used for the announcements of one device. */
export class DownloadMemory {
  usedBytes = 0
}

interface Download {
  readonly version: VersionVector
  readonly blockSizeBytes: number
  readonly blocks: Set<number>
}

/** The unfinished files of a device in one folder, as it announced them: their blocks can be requested too. */
export class RemoteDownloads {
  readonly #files = new Map<string, Download>()
  readonly #memory: DownloadMemory

  constructor(memory: DownloadMemory) {
    this.#memory = memory
  }

  update(updates: readonly DownloadUpdate[]): void {
    for (const update of updates) {
      const known = this.#files.get(update.name)
      const same = known !== undefined && compareVersions(known.version, update.version) === 'equal'
      if (update.kind === 'forget') {
        if (same) this.#remove(update.name)
        continue
      }
      if (!same) this.#remove(update.name)
      this.#append(update)
    }
  }

  #append({ name, version, blockSizeBytes, blockIndexes }: DownloadUpdate): void {
    const known = this.#files.get(name)
    const download = known ?? { version, blockSizeBytes, blocks: new Set<number>() }
    if (known === undefined) {
      if (!this.#reserve(bytesOf(name, download))) return
      this.#files.set(name, download)
    }
    for (const block of blockIndexes) {
      if (block < 0 || download.blocks.has(block)) continue
      if (!this.#reserve(BLOCK_BYTES)) return
      download.blocks.add(block)
    }
  }

  #reserve(bytes: number): boolean {
    if (this.#memory.usedBytes + bytes > BYTES_MAX) return false
    this.#memory.usedBytes += bytes
    return true
  }

  #remove(name: string): void {
    const download = this.#files.get(name)
    if (download === undefined) return
    this.#memory.usedBytes -= bytesOf(name, download)
    this.#files.delete(name)
  }

  /** Releases the memory. */
  clear(): void {
    this.discard([...this.#files.keys()])
  }

  /** The device sent new records of these names. */
  discard(names: Iterable<string>): void {
    if (this.#files.size === 0) return
    for (const name of names) this.#remove(name)
  }

  has(file: Pick<FileHead, 'name' | 'version'>, block: number): boolean {
    const download = this.#files.get(file.name)
    return (
      download !== undefined &&
      download.blocks.has(block) &&
      compareVersions(download.version, file.version) === 'equal'
    )
  }

  /** Counts whole blocks, as the size of the last one is not announced. */
  get bytes(): number {
    let bytes = 0
    for (const { blocks, blockSizeBytes } of this.#files.values()) bytes += blocks.size * blockSizeBytes
    return bytes
  }

  /** Number of blocks by file name. */
  counts(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#files].map(([name, { blocks }]) => [name, blocks.size]))
  }
}

function bytesOf(name: string, { version, blocks }: Download): number {
  return FILE_BYTES + 2 * name.length + COUNTER_BYTES * version.length + BLOCK_BYTES * blocks.size
}
