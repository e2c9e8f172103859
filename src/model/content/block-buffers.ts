import { BLOCK_SIZE_BYTES_MIN } from '../../core/records/blocks.ts'

/** Smaller buffers are not pooled. */
const KEPT_SIZE_BYTES_MIN = 16 * 1_024

/** Pool of buffers for blocks in transit to the disk: reuse lowers the load of the garbage collector. */
export class BlockBuffers {
  readonly #keptBytesMax: number
  readonly #allocate: (sizeBytes: number) => Uint8Array
  readonly #free = new Map<number, Uint8Array[]>()
  #keptBytes = 0

  constructor(keptBytesMax: number, allocate: (sizeBytes: number) => Uint8Array) {
    this.#keptBytesMax = keptBytesMax
    this.#allocate = allocate
  }

  /** At least as large as requested; undefined where pooling is not worthwhile. */
  take(sizeBytes: number): Uint8Array | undefined {
    if (sizeBytes < KEPT_SIZE_BYTES_MIN) return undefined
    const classBytes = classOf(sizeBytes)
    const kept = this.#free.get(classBytes)?.pop()
    if (kept === undefined) return this.#allocate(classBytes)
    this.#keptBytes -= classBytes
    return kept
  }

  /** The caller must not use the buffer any longer. */
  release(buffer: Uint8Array): void {
    if (this.#keptBytes + buffer.length > this.#keptBytesMax) return
    const kept = this.#free.get(buffer.length)
    if (kept === undefined) this.#free.set(buffer.length, [buffer])
    else kept.push(buffer)
    this.#keptBytes += buffer.length
  }
}

/** The next power of two: there are eight of them, one per block size. */
function classOf(sizeBytes: number): number {
  let classBytes = BLOCK_SIZE_BYTES_MIN
  while (classBytes < sizeBytes) classBytes *= 2
  return classBytes
}
