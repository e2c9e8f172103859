/**
 * Direct access needs multiples of a disk's logical block, at most this; pages of the processor may be larger (arm64).
 */
const PAGE_BYTES = 4 * 1_024
/** The unit in which WebAssembly counts memory. */
const WASM_PAGE_BYTES = 64 * 1_024
const SLAB_BYTES = 16 * 1_024 * 1_024

interface SharedWasmMemory {
  readonly buffer: SharedArrayBuffer
}

/** The used subset: the types of WebAssembly belong to those of a browser. */
declare const WebAssembly: {
  readonly Memory: new (size: { initial: number; maximum: number; shared: true }) => SharedWasmMemory
}

/**
 * Page-aligned shared memory. Only such memory can be written with O_DIRECT, and only WebAssembly guarantees it.
 * Without it, unaligned memory is used, with a copy.
 */
export function pageMemory(sizeBytes: number): Uint8Array {
  const pages = Math.ceil(sizeBytes / WASM_PAGE_BYTES)
  try {
    const { buffer } = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true })
    return new Uint8Array(buffer, 0, sizeBytes)
  } catch {
    return new Uint8Array(new SharedArrayBuffer(sizeBytes)) // no WebAssembly, or no address space for its guard pages
  }
}

/**
 * Allocates from larger slabs: V8 reserves gigabytes of addresses around each. A slab is collected when none of its
 * pieces is referenced.
 */
export class PageMemory {
  /** Referenced by its pieces only. */
  #slab: WeakRef<ArrayBufferLike> | undefined
  #usedBytes = 0

  take(sizeBytes: number): Uint8Array {
    const takenBytes = Math.ceil(sizeBytes / PAGE_BYTES) * PAGE_BYTES
    const piece = new Uint8Array(this.#slabWith(takenBytes), this.#usedBytes, sizeBytes)
    this.#usedBytes += takenBytes
    return piece
  }

  #slabWith(roomBytes: number): ArrayBufferLike {
    const slab = this.#slab?.deref()
    if (slab !== undefined && this.#usedBytes + roomBytes <= slab.byteLength) return slab
    const { buffer } = pageMemory(Math.max(roomBytes, SLAB_BYTES))
    this.#slab = new WeakRef(buffer)
    this.#usedBytes = 0
    return buffer
  }
}

/** Smaller writes are faster through the page cache, which merges them. */
export const DIRECT_BYTES_MIN = 256 * 1_024

/** Whether a write can bypass the page cache. */
export function isWholePages(data: Uint8Array, positionBytes: number): boolean {
  const { length, byteOffset } = data
  return (
    length >= DIRECT_BYTES_MIN &&
    length % PAGE_BYTES === 0 &&
    byteOffset % PAGE_BYTES === 0 &&
    positionBytes % PAGE_BYTES === 0
  )
}
