/** Direct access needs multiples of a disk's logical block, at most this; pages of the processor may be larger (arm64). */
const PAGE_BYTES = 4 * 1_024
/** The unit in which WebAssembly counts memory. */
const WASM_PAGE_BYTES = 64 * 1_024
const SLAB_BYTES = 16 * 1_024 * 1_024

interface SharedWasmMemory {
  readonly buffer: SharedArrayBuffer
}

/** As much of it as we need: its types otherwise come with those of a browser. */
declare const WebAssembly: {
  readonly Memory: new (size: { initial: number; maximum: number; shared: true }) => SharedWasmMemory
}

/**
 * Memory that begins at a page and that threads can share. Only such memory may go to the disk without a copy, and only
 * WebAssembly promises it. Where there is none, other memory does the same with more effort.
 */
export function pageMemory(sizeBytes: number): Uint8Array {
  const pages = Math.ceil(sizeBytes / WASM_PAGE_BYTES)
  try {
    const { buffer } = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true })
    return new Uint8Array(buffer, 0, sizeBytes)
  } catch {
    return new Uint8Array(new SharedArrayBuffer(sizeBytes)) // no WebAssembly, or no room for the guards around its memory
  }
}

/**
 * Cuts pieces out of larger ones: V8 keeps gigabytes of addresses free around each. What nobody holds any more is
 * collected when all that was cut from the same one is.
 */
export class PageMemory {
  /** Held by its pieces alone. */
  #slab: WeakRef<ArrayBufferLike> | undefined
  #usedBytes = 0

  take(sizeBytes: number): Uint8Array {
    const takenBytes = Math.ceil(sizeBytes / PAGE_BYTES) * PAGE_BYTES
    const piece = new Uint8Array(this.#slabWith(takenBytes), this.#usedBytes, sizeBytes)
    this.#usedBytes += takenBytes
    return piece
  }

  #slabWith(roomBytes: number): ArrayBufferLike {
    const known = this.#slab?.deref()
    if (known !== undefined && this.#usedBytes + roomBytes <= known.byteLength) return known
    const { buffer } = pageMemory(Math.max(roomBytes, SLAB_BYTES))
    this.#slab = new WeakRef(buffer)
    this.#usedBytes = 0
    return buffer
  }
}

/** Smaller pieces are quicker by way of the system's memory, which gathers them. */
export const DIRECT_BYTES_MIN = 256 * 1_024

/** Whether a piece may go to a place of a file past the system's memory. */
export function isWholePages(data: Uint8Array, positionBytes: number): boolean {
  const { length, byteOffset } = data
  return (
    length >= DIRECT_BYTES_MIN &&
    length % PAGE_BYTES === 0 &&
    byteOffset % PAGE_BYTES === 0 &&
    positionBytes % PAGE_BYTES === 0
  )
}
