const KIB = 1024

/** Added to each size, so that a block of that size fits with its headroom. */
const SPARE_BYTES = 4 * KIB
/** The smallest buffer: it holds a few dozen small files. */
const PIECE_BYTES_MIN = 256 * KIB

/** A pool of shared buffers: a new one for each block would burden the garbage collector. */
export class SharedMemory {
  readonly #keptBytesMax: number
  readonly #free = new Map<number, SharedArrayBuffer[]>()
  #keptBytes = 0

  constructor(keptBytesMax: number) {
    this.#keptBytesMax = keptBytesMax
  }

  /** Free bytes in the pool. */
  get keptBytes(): number {
    return this.#keptBytes
  }

  /** At least of the requested size. Not cleared. */
  take(sizeBytes: number): SharedArrayBuffer {
    const pieceBytes = pieceSize(sizeBytes)
    const kept = this.#free.get(pieceBytes)?.pop()
    if (kept === undefined) return new SharedArrayBuffer(pieceBytes)
    this.#keptBytes -= pieceBytes
    return kept
  }

  /** The buffer must not be used any more. */
  give(piece: SharedArrayBuffer): void {
    if (this.#keptBytes + piece.byteLength > this.#keptBytesMax) return
    const kept = this.#free.get(piece.byteLength)
    if (kept === undefined) this.#free.set(piece.byteLength, [piece])
    else kept.push(piece)
    this.#keptBytes += piece.byteLength
  }

  /** Frees all buffers. */
  clear(): void {
    this.#free.clear()
    this.#keptBytes = 0
  }
}

/** Rounds to about a power of two, so that there are few sizes and buffers can be reused. */
function pieceSize(sizeBytes: number): number {
  let pieceBytes = PIECE_BYTES_MIN
  while (pieceBytes + SPARE_BYTES < sizeBytes) pieceBytes *= 2
  return pieceBytes + SPARE_BYTES
}
