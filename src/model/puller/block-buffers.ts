import { BLOCK_SIZE_BYTES_MIN } from '../../core/records/blocks.ts'

/** Less than this is not worth keeping. */
const KEPT_SIZE_BYTES_MIN = 16 * 1_024

/** Memory for blocks on their way to the disk. It is used again and again: a new one for each would keep the collector busy. */
export class BlockBuffers {
  readonly #keptBytesMax: number
  readonly #allocate: (sizeBytes: number) => Uint8Array
  readonly #free = new Map<number, Uint8Array[]>()
  #keptBytes = 0

  constructor(keptBytesMax: number, allocate: (sizeBytes: number) => Uint8Array) {
    this.#keptBytesMax = keptBytesMax
    this.#allocate = allocate
  }

  /** At least as large as asked for; undefined where no memory of its own is worth it. */
  take(sizeBytes: number): Uint8Array | undefined {
    if (sizeBytes < KEPT_SIZE_BYTES_MIN) return undefined
    const classBytes = classOf(sizeBytes)
    const kept = this.#free.get(classBytes)?.pop()
    if (kept === undefined) return this.#allocate(classBytes)
    this.#keptBytes -= classBytes
    return kept
  }

  /** Nobody else may hold it any longer. */
  give(buffer: Uint8Array): void {
    if (this.#keptBytes + buffer.length > this.#keptBytesMax) return
    const kept = this.#free.get(buffer.length)
    if (kept === undefined) this.#free.set(buffer.length, [buffer])
    else kept.push(buffer)
    this.#keptBytes += buffer.length
  }
}

/** The power of two that holds it: there are eight of them, as there are block sizes. */
function classOf(sizeBytes: number): number {
  let classBytes = BLOCK_SIZE_BYTES_MIN
  while (classBytes < sizeBytes) classBytes *= 2
  return classBytes
}
