import type { FileHead } from '../../core/records/file-info.ts'
import { compareVersions, type VersionVector } from '../../core/records/version-vector.ts'
import type { DownloadUpdate } from '../../protocol/types.ts'

/** Bounds what is stored per device and folder; announcements beyond that are ignored. */
const FILES_MAX = 1_000
const BLOCKS_MAX = 1_000_000

interface Download {
  readonly version: VersionVector
  readonly blockSizeBytes: number
  readonly blocks: Set<number>
}

/** The unfinished files of a device in one folder, as it announced them: their blocks can be requested too. */
export class RemoteDownloads {
  readonly #files = new Map<string, Download>()
  #blockCount = 0

  update(updates: readonly DownloadUpdate[]): void {
    for (const update of updates) {
      const known = this.#files.get(update.name)
      const same = known !== undefined && compareVersions(known.version, update.version) === 'equal'
      if (update.kind === 'forget') {
        if (same) this.#remove(update.name)
        continue
      }
      if (!same) this.#remove(update.name)
      if (this.#files.size < FILES_MAX || same) this.#append(update)
    }
  }

  #append({ name, version, blockSizeBytes, blockIndexes }: DownloadUpdate): void {
    const download = this.#files.get(name) ?? { version, blockSizeBytes, blocks: new Set<number>() }
    this.#files.set(name, download)
    const before = download.blocks.size
    for (const block of blockIndexes) {
      if (this.#blockCount + download.blocks.size - before >= BLOCKS_MAX) break
      if (block >= 0) download.blocks.add(block)
    }
    this.#blockCount += download.blocks.size - before
  }

  #remove(name: string): void {
    this.#blockCount -= this.#files.get(name)?.blocks.size ?? 0
    this.#files.delete(name)
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
