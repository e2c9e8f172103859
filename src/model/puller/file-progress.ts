import type { Block } from '../../core/block-diff.ts'
import type { FileInfo } from '../../core/file-info.ts'
import type { FileProgress } from '../../events/types.ts'

/** How far one file is. */
export class PullProgress {
  readonly file: FileInfo
  /** Blocks that are in the temporary file, for those who want to fetch them from us before we are done. */
  readonly present: Set<number>
  readonly #blocks: readonly Block[]
  #reused = 0
  #fromOrigin = 0
  #fromElsewhere = 0
  #pulled = 0
  #pulling = 0
  #bytesDone = 0

  constructor(file: FileInfo, blocks: readonly Block[]) {
    this.file = file
    this.#blocks = blocks
    this.present = new Set()
  }

  reused(block: Block): void {
    this.#reused++
    this.#arrived(block)
  }

  copied(block: Block, from: 'origin' | 'elsewhere'): void {
    if (from === 'origin') this.#fromOrigin++
    else this.#fromElsewhere++
    this.#arrived(block)
  }

  requested(): void {
    this.#pulling++
  }

  fetched(block: Block): void {
    this.#pulling--
    this.#pulled++
    this.#arrived(block)
  }

  get blockCount(): number {
    return this.#blocks.length
  }

  get bytesDone(): number {
    return this.#bytesDone
  }

  view(): FileProgress {
    return {
      total: this.#blocks.length,
      reused: this.#reused,
      copiedFromOrigin: this.#fromOrigin,
      copiedFromOriginShifted: 0,
      copiedFromElsewhere: this.#fromElsewhere,
      pulled: this.#pulled,
      pulling: this.#pulling,
      bytesDone: this.#bytesDone,
      bytesTotal: this.file.sizeBytes,
    }
  }

  #arrived(block: Block): void {
    this.present.add(block.number)
    this.#bytesDone += block.sizeBytes
  }
}
