/** Smaller buffers are not pooled. */
const KEPT_SIZE_BYTES_MIN = 1_024
const CLASS_BYTES_MIN = 4 * 1_024
/** Smaller ones are not from the memory for the disk, which is given out in whole pages of large slabs. */
const SLAB_SIZE_BYTES_MIN = 32 * 1_024

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
    if (kept === undefined)
      return classBytes < SLAB_SIZE_BYTES_MIN ? new Uint8Array(classBytes) : this.#allocate(classBytes)
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

/** The next power of two: one per block size, and those of small files. */
function classOf(sizeBytes: number): number {
  let classBytes = CLASS_BYTES_MIN
  while (classBytes < sizeBytes) classBytes *= 2
  return classBytes
}
