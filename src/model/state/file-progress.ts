import type { Block } from '../../core/records/block-diff.ts'
import type { FileInfo } from '../../core/records/file-info.ts'
import type { FileProgress } from '../../events/types.ts'

/** Source of content, as named in the metrics. `skipped` was present already, or is a hole in a sparse file. */
export type ByteSource = 'network' | 'local_origin' | 'local_other' | 'skipped'

/** Progress of one file. */
export class PullProgress {
  readonly file: FileInfo
  /** Blocks present in the temporary file, which other devices may request before the file is complete. */
  readonly present: Set<number>
  readonly #blocks: readonly Block[]
  #reused = 0
  #fromOrigin = 0
  #fromElsewhere = 0
  #pulled = 0
  #pulling = 0
  #bytesDone = 0

  readonly #onArrived: ((source: ByteSource, sizeBytes: number) => void) | undefined

  /** `onArrived` is called for every written block. */
  constructor(file: FileInfo, blocks: readonly Block[], onArrived?: (source: ByteSource, sizeBytes: number) => void) {
    this.file = file
    this.#onArrived = onArrived
    this.#blocks = blocks
    this.present = new Set()
  }

  reused(block: Block): void {
    this.#reused++
    this.#arrived(block, 'skipped')
  }

  copied(block: Block, from: 'origin' | 'elsewhere'): void {
    if (from === 'origin') this.#fromOrigin++
    else this.#fromElsewhere++
    this.#arrived(block, from === 'origin' ? 'local_origin' : 'local_other')
  }

  requested(): void {
    this.#pulling++
  }

  fetched(block: Block): void {
    this.#pulling--
    this.#pulled++
    this.#arrived(block, 'network')
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

  #arrived(block: Block, source: ByteSource): void {
    this.present.add(block.number)
    this.#bytesDone += block.sizeBytes
    this.#onArrived?.(source, block.sizeBytes)
  }
}
