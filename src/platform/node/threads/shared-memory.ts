const KIB = 1024

/** On top of each size, so that a block of that size finds room with what stands before it. */
const SPARE_BYTES = 4 * KIB
/** The smallest piece: it holds a few dozen small files. */
const PIECE_BYTES_MIN = 256 * KIB

/** Memory that threads can write to, used again and again: a new piece for each block would keep the collector busy. */
export class SharedMemory {
  readonly #keptBytesMax: number
  readonly #free = new Map<number, SharedArrayBuffer[]>()
  #keptBytes = 0

  constructor(keptBytesMax: number) {
    this.#keptBytesMax = keptBytesMax
  }

  /** What lies here for the next one. */
  get keptBytes(): number {
    return this.#keptBytes
  }

  /** At least as large as asked for. It holds whatever it held before. */
  take(sizeBytes: number): SharedArrayBuffer {
    const pieceBytes = pieceSize(sizeBytes)
    const kept = this.#free.get(pieceBytes)?.pop()
    if (kept === undefined) return new SharedArrayBuffer(pieceBytes)
    this.#keptBytes -= pieceBytes
    return kept
  }

  /** Nobody else may hold it any longer. */
  give(piece: SharedArrayBuffer): void {
    if (this.#keptBytes + piece.byteLength > this.#keptBytesMax) return
    const kept = this.#free.get(piece.byteLength)
    if (kept === undefined) this.#free.set(piece.byteLength, [piece])
    else kept.push(piece)
    this.#keptBytes += piece.byteLength
  }

  /** Nothing is kept any more. */
  clear(): void {
    this.#free.clear()
    this.#keptBytes = 0
  }
}

/** About the power of two that holds it: so there are few sizes, and a piece fits the next one. */
function pieceSize(sizeBytes: number): number {
  let pieceBytes = PIECE_BYTES_MIN
  while (pieceBytes + SPARE_BYTES < sizeBytes) pieceBytes *= 2
  return pieceBytes + SPARE_BYTES
}
