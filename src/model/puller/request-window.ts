import { ByteWindow } from '../../sync/byte-window.ts'

const START_BYTES = 8 * 1_024 * 1_024
/** So much may have arrived and wait for the disk; to ask for more would only fill memory. */
const UNWRITTEN_BYTES_MAX = 4 * 1_024 * 1_024

/**
 * How much is asked of other devices at a time. It begins small. Whenever the disk has written all that has arrived, it
 * grows, so that a line with a long delay soon has as much under way as it holds; when the disk does not keep up, it
 * shrinks to what it began with: what is not asked for waits at its source and not in our memory.
 */
export class RequestWindow {
  readonly #bytesMax: number
  readonly #bytesMin: number
  readonly #window: ByteWindow
  #limitBytes: number
  #unwrittenBytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
    this.#bytesMin = Math.min(START_BYTES, bytesMax)
    this.#limitBytes = this.#bytesMin
    this.#window = new ByteWindow(this.#limitBytes)
  }

  get limitBytes(): number {
    return this.#limitBytes
  }

  /** Rejects with `signal.reason` as soon as the signal aborts; then nothing is held. */
  acquire(sizeBytes: number, signal: AbortSignal): Promise<Disposable> {
    return this.#window.acquire(sizeBytes, signal)
  }

  /** Bytes have arrived and are on their way to the disk until the returned function is called. */
  arrived(sizeBytes: number): () => void {
    // Not counting this one, which may be larger than that by itself.
    if (this.#unwrittenBytes >= UNWRITTEN_BYTES_MAX) this.#setLimit(this.#limitBytes - sizeBytes)
    this.#unwrittenBytes += sizeBytes
    return () => {
      this.#unwrittenBytes -= sizeBytes
      if (this.#unwrittenBytes === 0) this.#setLimit(this.#limitBytes + sizeBytes)
    }
  }

  #setLimit(limitBytes: number): void {
    this.#limitBytes = Math.max(this.#bytesMin, Math.min(limitBytes, this.#bytesMax))
    this.#window.setLimit(this.#limitBytes)
  }
}
