import type { FileHead } from '../../core/records/file-info.ts'
import { compareVersions, type VersionVector } from '../../core/records/version-vector.ts'
import type { DownloadUpdate } from '../../protocol/types.ts'

/** What is remembered of one device and folder: files, and blocks of all of them. What is said beyond that is not heard. */
const FILES_MAX = 1_000
const BLOCKS_MAX = 1_000_000

interface Download {
  readonly version: VersionVector
  readonly blockSizeBytes: number
  readonly blocks: Set<number>
}

/** The files a device has begun and not finished, in one folder, as far as it says: blocks can be had from there too. */
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

  /** The device said something new about these names itself. */
  forget(names: Iterable<string>): void {
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

  /** Whole blocks, as nobody tells the size of the last one. */
  get bytes(): number {
    let bytes = 0
    for (const { blocks, blockSizeBytes } of this.#files.values()) bytes += blocks.size * blockSizeBytes
    return bytes
  }

  /** How many blocks of which file. */
  counts(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#files].map(([name, { blocks }]) => [name, blocks.size]))
  }
}
